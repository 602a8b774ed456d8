#!/usr/bin/env bash
# drydock stream map against node running the mappers, sink and coalescer of our source.patch on the same lines, both
# reading a file and writing a file: interleaved, medians of one run, and the outputs must be the same bytes.
# Asked for: at least 4 times node. Needs the release preset and TypeScript in a toolchain of tests/packages.sh.
# usage: tests/bench/stream_bench.sh TOOLCHAIN [ROUNDS [MEGABYTES]]
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
toolchain=$(realpath "$1")
rounds=${2:-7}
megabytes=${3:-60}
drydock=$PWD/build/release/tool/drydock
[ -x "$drydock" ] || { echo "build it first: cmake --preset release && cmake --build --preset release" >&2; exit 2; }
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/drydock-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT
sh tests/support/stream_script.sh patches/dsh-0.1.1-rc.2/source.patch "$toolchain" "$work/js"

cat >"$work/generate.mjs" <<'JS'
// Messages as children send them: sizes as in recorded runs, most of a tool's output, some text with escapes.
import { createWriteStream } from 'node:fs'
const [, , source, megabytes, file] = process.argv
let state = 1
const below = end => (state = (state * 48271) % 2147483647) % end
const words = ['const', 'value', '=', 'await', 'read("file")', '// für', '\n\t', 'return', '0.5', '…', 'session', '\\n']
const text = size => Array.from({ length: size }, () => words[below(words.length)]).join(' ')
const input = () => ({ command: text(8), options: { deep: [1, 2, { a: text(3) }], limit: below(1000) } })
const claude = () => {
  switch (below(4)) {
    case 0: return { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: text(60) }], usage: { input_tokens: below(9999) } }, session_id: 's', uuid: text(2) }
    case 1: return { type: 'assistant', message: { content: [{ type: 'tool_use', id: `t${below(999)}`, name: 'Bash', input: input() }] } }
    case 2: return { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: `t${below(999)}`, content: [{ type: 'text', text: text(400) }] }] } }
    default: return { type: 'system', subtype: 'status', session_id: 's', detail: input() }
  }
}
const acp = () => {
  switch (below(8)) {
    case 0: return { sessionUpdate: 'tool_call', toolCallId: `t${below(999)}`, title: 'Read', kind: 'read', status: 'pending', rawInput: input() }
    case 1: return { sessionUpdate: 'tool_call_update', toolCallId: `t${below(999)}`, status: 'completed', content: [{ type: 'content', content: { type: 'text', text: text(300) } }] }
    default: return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: text(6) } }
  }
}
const line = () => JSON.stringify(source === 'acp' ? { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: acp() } } : claude())
const out = createWriteStream(file)
let size = 0
while (size < megabytes * 1e6) {
  const lines = `${Array.from({ length: 500 }, line).join('\n')}\n`
  size += Buffer.byteLength(lines)
  if (!out.write(lines)) await new Promise(done => out.once('drain', done))
}
out.end()
JS

cat >"$work/map.mjs" <<'JS'
// The fastest plain way in node: whole blocks in, lines by indexOf, whole blocks out.
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { openSubagentStream } from './js/out/packages/subagent/subagent/src/stream.js'
import { mapClaudeMessage } from './js/out/packages/subagent/subagent-claude-code/src/map-claude-message.js'
import { mapAcpUpdate } from './js/out/packages/subagent/subagent-acp/src/map-acp-update.js'
const [, , source, from, to] = process.argv
const input = openSync(from, 'r')
const output = openSync(to, 'w')
let pending = ''
let seq = 0
const session = {
  ignorableAppendLevel: 1,
  append(type, data, options) {
    pending += `${JSON.stringify({ type, seq: seq++, time: 0, data, ...options.ignorable === true ? { ignorable: true } : {} })}\n`
    if (pending.length > 262144) {
      writeSync(output, pending)
      pending = ''
    }
  },
}
const acp = source === 'acp'
const map = acp ? message => [mapAcpUpdate(message.params.update)].filter(item => item !== undefined) : mapClaudeMessage
const stream = openSubagentStream({ session, childId: 'child', provider: source, map, coalesce: acp, onError: (error) => { throw error } })
const block = Buffer.alloc(1 << 20)
const decoder = new StringDecoder('utf8')
let rest = ''
for (let size; (size = readSync(input, block, 0, block.length, null)) > 0;) {
  const text = rest + decoder.write(block.subarray(0, size))
  let begin = 0
  for (let end; (end = text.indexOf('\n', begin)) >= 0; begin = end + 1) stream.record(JSON.parse(text.slice(begin, end)))
  rest = text.slice(begin)
}
stream.close()
writeSync(output, pending)
closeSync(output)
JS

microseconds() { # COMMAND...
    local begin=$EPOCHREALTIME end
    "$@"
    end=$EPOCHREALTIME
    echo $((${end/./} - ${begin/./}))
}
run_native() { "$drydock" stream map --from "$1" --time 0 "$work/in" >"$work/native"; }
run_node() { node "$work/map.mjs" "$1" "$work/in" "$work/node"; }
median() { sort -n | sed -n "$((($1 + 1) / 2))p"; }

ok=0
for source in claude-code acp; do
    node "$work/generate.mjs" "$source" "$megabytes" "$work/in"
    rm -f "$work"/times.*
    for ((i = 0; i < rounds; ++i)); do
        microseconds run_native "$source" >>"$work/times.native"
        microseconds run_node "$source" >>"$work/times.node"
    done
    cmp "$work/native" "$work/node"
    memory=$(/usr/bin/time -f %M "$drydock" stream map --from "$source" --time 0 "$work/in" 2>&1 >/dev/null | tail -1)
    awk -v source="$source" -v n="$(median "$rounds" <"$work/times.native")" -v j="$(median "$rounds" <"$work/times.node")" \
        -v size="$(stat -c %s "$work/in")" -v memory="$memory" 'BEGIN {
            printf "%-11s %d MB: drydock %.0f ms (%.0f MB/s), node %.0f ms (%.0f MB/s): %.1f times; %.1f MiB of memory\n",
                source, size / 1e6, n / 1e3, size / n, j / 1e3, size / j, j / n, memory / 1024
            exit !(j >= 4 * n) }' || ok=1
done
exit $ok
