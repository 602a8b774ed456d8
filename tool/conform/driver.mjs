// Runs one function of an installed package over cases: node driver.mjs PACKAGE-DIRECTORY FUNCTION CASES ANSWERS. Both files
// hold records: a size in four bytes, the lowest first, and that many bytes. Standard streams are the package's. A function that the package does not export is given an export in memory; no file is written.
import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { answerCase } from './answers.mjs'

const [directory, name, casesFile, answersFile] = process.argv.slice(2)

/** Why nothing can be compared, for a person. */
function giveUp(code, reason) {
  writeSync(2, `${reason}\n`)
  process.exit(code)
}

/** The file behind a package's `.`. */
function entryOf(description) {
  let target = description.exports ?? description.main ?? 'index.js'
  while (typeof target === 'object' && target !== null) {
    target = Array.isArray(target) ? target[0] : target['.'] ?? target.node ?? target.import ?? target.default
  }
  return join(directory, String(target))
}

const hooks = `
const { entry, name } = JSON.parse(process.env.DRYDOCK_ADDED_EXPORT)
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (url !== entry || loaded.format !== 'module') return loaded
  const source = Buffer.from(loaded.source).toString()
  const declared = new RegExp('^(?:async )?(?:function|class|const|let|var) ' + name + '\\\\b', 'm').test(source)
  const exported = [...source.matchAll(/^export \\{([^}]*)\\}/gm)]
    .some(list => list[1].split(',').some(each => each.trim().split(' ').pop() === name))
    || new RegExp('^export (?:async )?(?:function|class|const|let|var) ' + name + '\\\\b', 'm').test(source)
  if (exported || !declared) return loaded
  return { ...loaded, source: source + '\\nexport { ' + name + ' }\\n' }
}`

const entry = pathToFileURL(entryOf(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')))).href
process.env.DRYDOCK_ADDED_EXPORT = JSON.stringify({ entry, name })
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

const functions = await import(entry).catch(error => giveUp(3, `cannot be loaded: ${error.message}`))
if (typeof functions[name] !== 'function') giveUp(4, `has no ${name}`)

const input = readFileSync(casesFile)
const parts = []
for (let at = 0; at < input.length;) {
  const size = input.readUInt32LE(at)
  const text = input.toString('utf8', at + 4, at + 4 + size)
  at += 4 + size
  let lines
  try {
    lines = answerCase(functions, name, JSON.parse(text))
  } catch (error) {
    lines = [JSON.stringify(['throws', String(error?.message ?? error)])]
  }
  const bytes = Buffer.from(lines.map(line => line + '\n').join(''))
  const head = Buffer.alloc(4)
  head.writeUInt32LE(bytes.length)
  parts.push(head, bytes)
}
writeFileSync(answersFile, Buffer.concat(parts))
process.exit(0)
