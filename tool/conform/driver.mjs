// Runs one function of an installed package over cases: node driver.mjs PACKAGE-DIRECTORY FUNCTION CASES ANSWERS. Both files
// hold records: a size in four bytes, the lowest first, and that many bytes. Standard streams are the package's.
import { readFileSync, writeFileSync } from 'node:fs'
import { answerCase, functionOf } from './answers.mjs'
import { entryOf, giveUp, seeOtherwise } from './packages.mjs'

const [directory, name, casesFile, answersFile] = process.argv.slice(2)
const entry = entryOf(directory)
seeOtherwise({ names: { [entry]: name.split('.')[0] } })

const functions = await import(entry).catch(error => giveUp(3, `cannot be loaded: ${error.message}`))
if (typeof functionOf(functions, name) !== 'function') giveUp(4, `has no ${name}`)

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
