#!/usr/bin/env bash
# drydock patch against GNU patch: a text of 10 MiB with 1, 1,000 and 10,000 hunks, interleaved, medians of one run.
# Asked for: at most GNU patch's time at each; 10,000 hunks at most 1.5 times one hunk; at most 4 times the text's size
# in memory. Usage: tests/bench/patch_bench.sh [DRYDOCK [ROUNDS]]
set -euo pipefail
cd "$(dirname "$0")/../.."
drydock=$(realpath "${1:-build/image/tool/drydock}")
rounds=${2:-21}
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/drydock-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT

g++ -O2 -std=c++20 -o "$work/generate" tests/bench/generate.cpp
"$work/generate" "$work"
size=$(stat -c %s "$work/text")

microseconds() { # COMMAND...: how long it took, on standard output
    local begin end
    begin=$EPOCHREALTIME
    "$@" >/dev/null
    end=$EPOCHREALTIME
    echo $(((${end/./} - ${begin/./})))
}
median() { sort -n | sed -n "$((($1 + 1) / 2))p"; }
fresh() { cp "$work/$1" "$work/$2/text"; } # both start from a fresh copy, with its pages in memory

run_drydock() { "$drydock" patch -d "$work/ours" "$work/$1.patch"; }
run_patch() { patch -s -p1 --fuzz=0 --no-backup-if-mismatch -d "$work/theirs" -i "$work/$1.patch"; }

mkdir "$work/ours" "$work/theirs"
cases='text:1 text:1000 text:10000 moved:1 moved:1000 moved:10000'
for ((i = 0; i < rounds; ++i)); do
    for case in $cases; do
        fresh "${case%:*}" ours
        fresh "${case%:*}" theirs
        sync -f "$work"
        # Who goes first pays for what the copying left to do: they take turns.
        if ((i % 2)); then microseconds run_patch "${case#*:}" >>"$work/$case.patch"; fi
        microseconds run_drydock "${case#*:}" >>"$work/$case.drydock"
        if ((i % 2 == 0)); then microseconds run_patch "${case#*:}" >>"$work/$case.patch"; fi
        cmp "$work/ours/text" "$work/theirs/text"
    done
done
ok=0
for case in $cases; do
    d=$(median "$rounds" <"$work/$case.drydock")
    p=$(median "$rounds" <"$work/$case.patch")
    fresh "${case%:*}" ours
    memory=$(/usr/bin/time -f %M "$drydock" patch -d "$work/ours" "$work/${case#*:}.patch" 2>&1 >/dev/null | tail -1)
    [ "$case" = text:1 ] && first=$d
    awk -v c="$case" -v d="$d" -v p="$p" -v f="$first" -v m="$memory" -v s="$size" 'BEGIN {
        printf "%-11s hunks: drydock %6.2f ms, GNU patch %6.2f ms, ratio %.2f; to one hunk %.2f; memory %.2f times the text\n",
            c, d / 1000, p / 1000, d / p, d / f, m * 1024 / s
        exit !(d <= p && (c ~ /moved/ || d <= 1.5 * f) && m * 1024 <= 4 * s) }' || ok=1
done
exit $ok
