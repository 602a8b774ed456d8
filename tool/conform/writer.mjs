// Lets installed packages write a session: node writer.mjs REQUEST ANSWER. The request is JSON: {session, sink, children}: the
// directories of dsh-session and dsh-subagent (null for none), and for each child {childId, provider, directory, function,
// coalesce, messages}: what it sends, and the mapper that makes items of it; without one its messages are items. The answer
// is JSON: {header, events, warnings}: the log's lines, and what the sinks report. Standard streams are the packages'.
import { readFileSync, writeFileSync } from 'node:fs'
import { entryOf, giveUp, seeOtherwise } from './packages.mjs'

const [requestFile, answerFile] = process.argv.slice(2)
const request = JSON.parse(readFileSync(requestFile, 'utf8'))
const mappers = request.children.filter(child => child.directory !== undefined)
seeOtherwise({ names: Object.fromEntries(mappers.map(child => [entryOf(child.directory), child.function])) })

const load = directory => import(entryOf(directory)).catch(error => giveUp(3, `cannot be loaded: ${error.message}`))
const functionIn = async (directory, name) => {
  const found = (await load(directory))[name]
  return typeof found === 'function' ? found : giveUp(4, `has no ${name}`)
}

const Session = await functionIn(request.session, 'Session')
const warnings = []
const id = 'drydock-verify'
const session = Session.create(id, undefined, { ...Session.create(id).header, cwd: '/', createdAt: 1000 })

/** Where a child's items go: the installed sink, or without one the session itself. */
const sinkOf = async ({ childId, provider }) => {
  if (request.sink !== null) {
    const create = await functionIn(request.sink, 'createSubagentStreamSink')
    return create({ session, childId, provider, onError: error => warnings.push(String(error?.message ?? error)) })
  }
  let index = 0
  const push = item => session.append('subagent/stream', { childId, provider, index: index++, item }, { ignorable: true })
  return { push }
}

/** What takes a child's messages one by one, then `undefined`. */
const recordingOf = async child => {
  const { push } = await sinkOf(child)
  const map = child.directory === undefined ? message => message : await functionIn(child.directory, child.function)
  if (!child.coalesce) return message => message !== undefined && [map(message)].flat().forEach(push)
  const coalescer = (await functionIn(request.sink, 'createSubagentStreamCoalescer'))(push)
  return message => {
    if (message === undefined) return coalescer.flush()
    const item = map(message)
    if (item !== undefined) coalescer.push(item)
  }
}
const recordings = []
for (const child of request.children) recordings.push({ child, record: await recordingOf(child) })

// A turn in which the model delegates to all children at once.
const at = { turn: 1, step: 1 }
session.append('turn/start', { turn: 1 })
session.append('user/message', { id: 'u', role: 'user', content: [{ type: 'text', text: 'go' }], source: { kind: 'user' } }, { surfaceOp: 'append' })
session.append('step/start', at)
session.append('assistant/message', {
  ...at,
  message: {
    id: 'a',
    role: 'assistant',
    content: recordings.map(({ child }) => ({ type: 'tool-call', id: child.childId, name: 'subagent', arguments: '{}' })),
    source: { kind: 'model', provider: 'p', model: 'm' },
  },
}, { surfaceOp: 'append' })
const calls = recordings.map(({ child }) => session.append('tool/call', { ...at, callId: child.childId, name: 'subagent', arguments: '{}' }).seq)
const most = Math.max(0, ...request.children.map(child => child.messages.length))
for (let i = 0; i < most; i += 1) {
  for (const { child, record } of recordings) {
    if (i < child.messages.length) record(child.messages[i])
  }
}
recordings.forEach(({ child, record }, i) => {
  record(undefined)
  const callId = child.childId
  session.append('tool/result', {
    ...at,
    message: {
      id: `r-${callId}`,
      role: 'user',
      content: [{ type: 'tool-result', toolCallId: callId, content: [{ type: 'text', text: 'done' }] }],
      source: { kind: 'tool', callId },
    },
  }, { sourceEventSeqs: [calls[i]], surfaceOp: 'append' })
})
session.append('step/end', at)
session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })

const header = { type: 'session', version: session.header.version, id, createdAt: session.header.createdAt, cwd: session.header.cwd, delegationDepth: 0 }
writeFileSync(answerFile, JSON.stringify({
  header: JSON.stringify(header),
  events: session.events.map(event => JSON.stringify(event)),
  warnings,
}))
process.exit(0)
