// Loads installed packages, some of whose modules are seen otherwise than they lie on disk; no file is written.
import { readFileSync, writeSync } from 'node:fs'
import { register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Why nothing can be done, for a person. */
export function giveUp(code, reason) {
  writeSync(2, `${reason}\n`)
  process.exit(code)
}

/** Where a package's `.` lies, as a URL. */
export function entryOf(directory) {
  const description = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  let target = description.exports ?? description.main ?? 'index.js'
  while (typeof target === 'object' && target !== null) {
    target = Array.isArray(target) ? target[0] : target['.'] ?? target.node ?? target.import ?? target.default
  }
  return pathToFileURL(join(directory, String(target))).href
}

const hooks = `
let given
export function initialize(data) { given = data }
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (given.texts[url] !== undefined) return { ...loaded, source: given.texts[url] }
  const name = given.names[url]
  if (name === undefined || loaded.format !== 'module') return loaded
  const source = Buffer.from(loaded.source).toString()
  const declared = new RegExp('^(?:async )?(?:function|class|const|let|var) ' + name + '\\\\b', 'm').test(source)
  const exported = [...source.matchAll(/^export \\{([^}]*)\\}/gm)]
    .some(list => list[1].split(',').some(each => each.trim().split(' ').pop() === name))
    || new RegExp('^export (?:async )?(?:function|class|const|let|var) ' + name + '\\\\b', 'm').test(source)
  if (exported || !declared) return loaded
  return { ...loaded, source: source + '\\nexport { ' + name + ' }\\n' }
}`

/**
 * From here on: `names` has, by a module's URL, a name that the module exports even where it only declares it; `texts`,
 * likewise, the text that it has instead of its own.
 */
export function seeOtherwise({ names = {}, texts = {} }) {
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: { names, texts } })
}
