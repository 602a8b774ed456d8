#!/usr/bin/env bash
# drydock diff against git diff --no-index: CPU time (user and system) and peak memory, interleaved, medians of one
# run. Asked for: on the standard inputs (two versions of a real bundle; 200,000 lines with 1, 10 and 100 % changed, in
# shuffled blocks, with every long line changed, and a repeated block with 10 % edited) at most 0.5 of git's CPU time and
# 0.7 of its memory in total; on each hard input at most its CPU time; and from 200,000 lines to a million no more growth
# than git's. Usage: tests/bench/diff_bench.sh [DRYDOCK [ROUNDS [PACKAGES]]]; PACKAGES is what tests/packages.sh made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
drydock=$(realpath "${1:-build/release/tool/drydock}")
rounds=${2:-11}
packages=$(realpath "${3:-build/packages}")
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/drydock-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT

g++ -O1 -std=c++20 -o "$work/generate" tests/bench/diff_generate.cpp
"$work/generate" "$work"
old=$packages/semver-7.0.0/package/semver.js
cp "$packages/react-dom-18.1.0/package/cjs/react-dom.development.js" "$work/standard/bundle.old"
cp "$packages/react-dom-18.2.0/package/cjs/react-dom.development.js" "$work/standard/bundle.new"

# Microseconds of CPU time and KiB at most, on one line. Both tools exit 1: there are differences.
measure() {  # FILE COMMAND...
    local file=$1 status=0
    shift
    /usr/bin/time -q -f '%U %S %M' -o "$work/time" "$@" >/dev/null || status=$?
    [ "$status" -eq 1 ] || { echo "$* exited with $status" >&2; exit 1; }
    awk '{ printf "%d %d\n", ($1 + $2) * 1000000, $3 }' "$work/time" >>"$file"
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
git() { GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 command git "$@"; }
