// What the published loader says of session logs: node judge.mjs LOADER STORE < PATHS
// LOADER: the folder that tests/packages.sh makes; STORE: a folder to work in. For each path, one a line, of
// a file named *.jsonl or *.jsonl.zstd, one line of JSON: {opens, truncated, events, closers} or {opens: false,
// error}. `events` are those that the file keeps, `closers` those that the loader adds. The
// files are moved away.
import { createInterface } from 'node:readline'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [loader, store] = process.argv.slice(2)
const load = (name) => import(pathToFileURL(join(loader, 'node_modules/@deepseek-ai', name, 'lib/index.js')))
const { Context } = await load('cordis')
const { SessionStore } = await load('dsh-session')
const { JsonlSessionPersistence } = await load('dsh-session-persistence-jsonl')

const open = async (compression) => {
  const root = join(store, compression)
  mkdirSync(root, { recursive: true })
  const context = new Context()
  await context.plugin(SessionStore)
  await context.plugin(JsonlSessionPersistence, { root, compression })
  const persistence = context.get('sessionPersistence')
  // What it reads by the way, before the session is built from it.
  const opened = { persistence, place: '' }
  const loadStored = persistence.loadStored.bind(persistence)
  persistence.loadStored = async (...words) => {
    const stored = await loadStored(...words)
    opened.events = stored.events.length
    opened.truncated = stored.tornMarker !== undefined
    return stored
  }
  return opened
}
const stores = { none: await open('none'), zstd: await open('zstd') }

// The header as far as it can be read: the log must lie where the loader looks for it.
const headerOf = async (path, persistence, compression) => {
  try {
    return JSON.parse(await (compression === 'zstd' ? persistence.readFirstZstdLine(path) : persistence.readFirstLine(path)))
  } catch { return undefined }
}

const put = (path, opened, place) => {
  if (opened.place !== place) {
    if (opened.place !== '') rmSync(dirname(dirname(opened.place)), { recursive: true })
    opened.place = ''
    mkdirSync(dirname(place), { recursive: true })
    opened.place = place
  }
  renameSync(path, place)
}

const judge = async (path) => {
  const compression = path.endsWith('.zstd') ? 'zstd' : 'none'
  const opened = stores[compression]
  const { persistence } = opened
  const header = await headerOf(path, persistence, compression)
  const id = typeof header?.id === 'string' && header.id !== '' ? header.id : 'x'
  let place
  try { place = persistence.locate({ cwd: header?.cwd, id }).path } catch { place = persistence.locate({ id }).path }
  try {
    put(path, opened, place)
    const inspection = await persistence.inspect(id)
    const { events, truncated } = opened
    return { opens: true, truncated, events, closers: inspection.events.length - events }
  } catch (error) {
    return { opens: false, error: String(error).slice(0, 300) }
  }
}

for await (const path of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await judge(path)) + '\n')
}
process.exit(0)
