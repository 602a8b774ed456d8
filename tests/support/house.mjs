// node house.mjs FOLDER <COMMANDS: what house.hpp says, with the packages in FOLDER/node_modules.
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const bring = (name) =>
  import(pathToFileURL(join(process.argv[2], 'node_modules/@deepseek-ai', name, 'lib/index.js')))
const { Context } = await bring('cordis')
const { SessionStore } = await bring('dsh-session')
const { JsonlSessionPersistence } = await bring('dsh-session-persistence-jsonl')
const { SessionProjectionRegistry } = await bring('dsh-session-projection')
const { SubagentRuntime } = await bring('dsh-subagent')

const open = async (root, compression) => {
  const context = new Context()
  await context.plugin(SessionStore)
  await context.plugin(JsonlSessionPersistence, { root, compression })
  return context
}

const write = async ({ write: root, compression, sessions }) => {
  const context = await open(root, compression)
  for (const { id, meta, fork, events = [] } of sessions) {
    const session = fork === undefined
      ? context.sessions.create(id, { meta })
      : context.sessions.fork(fork, undefined, id)
    for (const [type, data, options] of events) session.append(type, data, options)
    await context.sessions.flush(session)
  }
  return true
}

const list = async ({ list: root, compression, of }) => {
  const context = await open(root, compression)
  await context.plugin(SessionProjectionRegistry)
  await context.plugin(SubagentRuntime)
  try {
    const answer = { headers: [], direct: {}, below: {} }
    for (const { id } of await context.get('sessionPersistence').list()) answer.headers.push(id)
    for (const id of of) {
      answer.direct[id] = await context.get('subagents').listChildren(id)
      answer.below[id] = await context.get('subagents').listDescendants(id)
    }
    return answer
  } catch (error) {
    return { refused: String(error) }
  }
}

// As when a session is taken up again: a cut end is cut off, an open turn ended.
const load = async ({ load: root, compression, id }) => {
  const context = await open(root, compression)
  await context.get('sessionPersistence').load(id)
  return true
}

const answer = (command) =>
  command.write !== undefined ? write(command) : command.list !== undefined ? list(command) : load(command)

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line)
  process.stdout.write(JSON.stringify(await answer(command)) + '\n')
}
process.exit(0)
