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
cp "$packages/react-dom-18.1.0/package/cjs/react-dom.development.js" "$work/standard/bundle.old"
cp "$packages/react-dom-18.2.0/package/cjs/react-dom.development.js" "$work/standard/bundle.new"

TIMEFORMAT='%3U %3S'
git() { GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 command git diff --no-index "$@"; }
drydock() { "$drydock" diff "$@"; }
expect_differences() {  # COMMAND...: both tools exit with 1
    local status=0
    "$@" >/dev/null || status=$?
    [ $status -eq 1 ] || { echo "$* exited with $status" >&2; exit 1; }
}
cpu() {  # COMMAND...: milliseconds, user and system
    { time expect_differences "$@"; } 2>&1 | awk '{ printf "%d\n", ($1 + $2) * 1000 + 0.5 }'
}
memory() {  # COMMAND...: KiB at most, and page faults
    { /usr/bin/time -q -f '%M %R' "$@" >/dev/null || true; } 2>&1
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

inputs=$(cd "$work" && ls -d standard/*.old hard/*.old growth/*.old | sed 's/\.old$//')
for ((i = 0; i < rounds; ++i)); do
    for input in $inputs; do
        cpu drydock "$work/$input.old" "$work/$input.new" >>"$work/$input.drydock"
        cpu git "$work/$input.old" "$work/$input.new" >>"$work/$input.git"
    done
done
for input in $inputs; do
    echo "$input $(median "$work/$input.drydock") $(median "$work/$input.git")" \
        "$(memory "$drydock" diff "$work/$input.old" "$work/$input.new")" \
        "$(memory git diff --no-index "$work/$input.old" "$work/$input.new")"
done | awk '
    function check(holds) { if (!holds) { printf "    too much\n"; failed = 1 } }
    {
        printf "%-26s CPU %5d ms, git %5d ms, ratio %.2f; memory %4.0f MiB, git %4.0f MiB, ratio %.2f\n",
            $1, $2, $3, $2 / $3, $4 / 1024, $6 / 1024, $4 / $6
    }
    $1 ~ /^standard/ { time += $2; time_git += $3; memory += $4; memory_git += $6; faults += $5; faults_git += $7 }
    $1 ~ /^hard/ { check($2 <= $3) }
    $1 ~ /lines-200000$/ { time_small = $2; time_small_git = $3 }
    $1 ~ /lines-1000000$/ { time_large = $2; time_large_git = $3 }
    END {
        printf "standard inputs in total: CPU %.2f of git, memory %.2f, page faults %.2f\n",
            time / time_git, memory / memory_git, faults / faults_git
        check(time <= 0.5 * time_git && memory <= 0.7 * memory_git)
        growth = time_large / time_small
        growth_git = time_large_git / time_small_git
        printf "from 200,000 lines to a million: %.1f times the CPU time, git %.1f times\n", growth, growth_git
        check(growth <= growth_git)
        exit failed
    }'
