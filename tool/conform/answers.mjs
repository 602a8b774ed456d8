// What the JavaScript of our patches does with a case of stream/cases.hpp or session/cases.hpp, in the lines that are described there. `functions` holds the exports of the patched packages.

const expanded = text => typeof text === 'string' ? text : text.map(([piece, count]) => piece.repeat(count)).join('')

function itemOf(given) {
  const item = { ...given }
  for (const key of ['text', 'name', 'callId']) {
    if (item[key] !== undefined) item[key] = expanded(item[key])
  }
  return item
}

const thrown = ({ with: value, raw }) => raw ? value : new Error(String(value))

function sinkAnswer(create, input) {
  const lines = []
  let count = 0
  const session = {}
  if (input.append) {
    session.append = (...call) => {
      lines.push(JSON.stringify(['append', ...call]))
      if (input.fails?.at === count++) throw thrown(input.fails)
    }
  }
  if (input.level !== undefined) session.ignorableAppendLevel = input.level
  const onError = error => lines.push(JSON.stringify(['error', error.message]))
  const sink = create({ session, childId: input.childId, provider: input.provider, onError })
  for (const step of input.steps) {
    if (step.stop === undefined) sink.push(itemOf(step.push))
    else sink.stop(thrown(step.stop))
  }
  return lines
}

function coalescerAnswer(create, input) {
  const lines = []
  let number = 0
  const coalescer = create(item => lines.push(JSON.stringify([number, item])))
  for (const step of input) {
    if (step === 'flush') coalescer.flush()
    else coalescer.push(itemOf(step))
    number += 1
  }
  return lines
}

/** What JSON has not, by its word in a case. */
const odd = {
  undefined: () => undefined,
  nan: () => NaN,
  bigint: () => 1n,
  function: () => () => 1,
  symbol: () => Symbol('s'),
  date: () => new Date(0),
  map: () => new Map(),
  hole: () => [, 1],
  extra: () => Object.assign([1], { more: 2 }),
  hidden: () => Object.defineProperty({}, 'hidden', { value: 1 }),
  cycle: () => { const ring = {}; ring.ring = ring; return ring },
}

function withOdd(value) {
  if (typeof value !== 'object' || value === null) return value
  if (typeof value.$js === 'string') return odd[value.$js]()
  for (const key of Object.keys(value)) {
    const before = Object.getOwnPropertyDescriptor(value, key).value
    const now = withOdd(before)
    if (now !== before) Object.defineProperty(value, key, { value: now, writable: true, enumerable: true, configurable: true })
  }
  return value
}

function appendAnswer(Session, input) {
  const now = Date.now
  Date.now = () => 1000
  try {
    const session = Session.create('s')
    const lines = input.map(({ type, data, options }) => {
      try {
        return JSON.stringify(options === undefined ? session.append(type, withOdd(data)) : session.append(type, withOdd(data), options))
      } catch {
        return '["refused"]'
      }
    })
    return [...lines, JSON.stringify(['events', session.events.length])]
  } finally {
    Date.now = now
  }
}

/** The function of that name: an export, or a method of an exported class. */
export function functionOf(functions, name) {
  const [owner, method] = name.split('.')
  return method === undefined ? functions[owner] : functions[owner]?.prototype?.[method]
}

export function answerCase(functions, name, input) {
  switch (name) {
    case 'Session.append':
      return appendAnswer(functions.Session, input)
    case 'boundSubagentStreamItem':
      return [JSON.stringify(functions[name](itemOf(input)))]
    case 'createSubagentStreamSink':
      return sinkAnswer(functions[name], input)
    case 'createSubagentStreamCoalescer':
      return coalescerAnswer(functions[name], input)
    case 'mapClaudeMessage':
      return functions[name](input).map(item => JSON.stringify(item))
    default:
      return [functions[name](input)].filter(item => item !== undefined).map(item => JSON.stringify(item))
  }
}
