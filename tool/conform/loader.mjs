// Opens a session with an installed loader: node loader.mjs REQUEST ANSWER. The request is JSON: {persistence, session, cordis,
// root, id, texts}: the directories of dsh-session-persistence-jsonl and of what it loads, the folder of the logs, the session's
// id, and by path the text that a file is seen with. The answer is JSON: {opens, events, error}. Standard streams are the
// packages'.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { entryOf, giveUp, seeOtherwise } from './packages.mjs'

const [requestFile, answerFile] = process.argv.slice(2)
const request = JSON.parse(readFileSync(requestFile, 'utf8'))
seeOtherwise({ texts: Object.fromEntries(Object.entries(request.texts).map(([path, text]) => [pathToFileURL(path).href, text])) })

const load = directory => import(entryOf(directory)).catch(error => giveUp(3, error.message))
const { Context } = await load(request.cordis)
const { Session, SessionStore } = await load(request.session)
const { JsonlSessionPersistence } = await load(request.persistence)
if ('ignorableAppendLevel' in Session.prototype) giveUp(4, `the dsh-session in ${request.session} marks events, by bytes that the set does not know`)

const context = new Context()
await context.plugin(SessionStore)
await context.plugin(JsonlSessionPersistence, { root: request.root, compression: 'zstd' })
let answer
try {
  const { events } = await context.get('sessionPersistence').inspect(request.id)
  answer = { opens: true, events: events.length }
} catch (error) {
  answer = { opens: false, error: String(error?.message ?? error) }
}
writeFileSync(answerFile, JSON.stringify(answer))
process.exit(0)
