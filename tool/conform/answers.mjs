// What the JavaScript of our patches does with a case of stream/cases.hpp, in the lines that are described there. `functions` holds the exports of the patched packages.

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

export function answerCase(functions, name, input) {
  switch (name) {
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
