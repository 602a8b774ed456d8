// Writes a session with a step of a child, as a patched provider does, by the installed harness's own store:
// node write_session.mjs INSTALLATION SESSIONS
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [installation, root] = process.argv.slice(2)
const load = name => import(pathToFileURL(join(installation, 'node_modules/@deepseek-ai', name, 'lib/index.js')))
const { Context } = await load('cordis')
const { SessionStore, SessionId } = await load('dsh-session')
const { JsonlSessionPersistence } = await load('dsh-session-persistence-jsonl')

const context = new Context()
await context.plugin(SessionStore)
await context.plugin(JsonlSessionPersistence, { root, compression: 'zstd' })
const session = context.get('sessions').create(SessionId('written-in-the-image'))
const item = { kind: 'assistant', text: 'hello' }
session.append('turn/start', { turn: 1 })
session.append('subagent/stream', { childId: 'c1', provider: 'test', index: 0, item }, { ignorable: true })
session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
await context.fiber.dispose()
