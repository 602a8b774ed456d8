#!/usr/bin/env bash
# Lets libFuzzer look for an input that breaks what tests/fuzz requires. By hand: CI tries a few thousand inputs
# of each target by the targets' own mutator.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/fuzz.sh [--jobs N] [SECONDS] [TARGET]...

Builds the targets (all of tests/fuzz/*_fuzz.cpp) with clang, libFuzzer and the address and undefined-behaviour
sanitizers, has each write the corpus that it starts from, and runs it for SECONDS (default: 600), N targets at a
time (default: 2). Prints what each tried and covered; exits 1 if one found something, and tells where the input lies.
What is found of interest is kept in build/fuzz/corpus and is where the next run starts.
TEXT
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=2 seconds=600 targets=()
while [ $# -gt 0 ]; do
    case "$1" in
        --help | -h) usage; exit 0 ;;
        --jobs) [ $# -gt 1 ] || { usage >&2; exit 2; }; jobs=$2; shift ;;
        *[!0-9]*)
            [ -e "tests/fuzz/$1_fuzz.cpp" ] || { echo "tests/fuzz.sh: there is no target '$1'" >&2; exit 2; }
            targets+=("$1")
            ;;
        *) seconds=$1 ;;
    esac
    shift
done
[ ${#targets[@]} -gt 0 ] || targets=($(basename -s _fuzz.cpp -a tests/fuzz/*_fuzz.cpp))

needed=(clang libclang-rt-14-dev)
if [ "$(dpkg-query -W -f '${Status}\n' "${needed[@]}" 2>/dev/null | grep -c '^install ok installed$')" -ne 2 ]; then
    echo "installing ${needed[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${needed[@]}" >/dev/null
fi
mkdir -p build
cmake --preset fuzz >build/fuzz.log 2>&1 && cmake --build --preset fuzz >>build/fuzz.log 2>&1 ||
    { cat build/fuzz.log; exit 1; }

work=$PWD/build/fuzz
# What a target prints ends in its lines `stat::NAME: VALUE`; the others look like `#8192 pulse cov: 812 ft: 2718 ...`.
run_target() {  # NAME
    local name=$1 program=$work/tests/${1}_fuzz log=$work/$1.log status=0 found
    "$program" --write-corpus "$work/seeds/$name"
    mkdir -p "$work/corpus/$name"
    rm -rf "$work/findings/$name"
    mkdir -p "$work/findings/$name"
    "$program" "-max_total_time=$seconds" -print_final_stats=1 -max_len=65536 -timeout=60 -report_slow_units=60 -rss_limit_mb=1024 \
        "-dict=$work/seeds/$name.dict" "-artifact_prefix=$work/findings/$name/" \
        "$work/corpus/$name" "$work/seeds/$name" >"$log" 2>&1 || status=$?
    found=$(find "$work/findings/$name" -type f)
    printf '%-8s %9s executions, coverage %5s of %5s edges: ' "$name" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
        "$(sed -n 's/^#.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)" \
        "$(sed -n 's/^INFO: Loaded .* (\([0-9]*\) inline 8-bit counters).*/\1/p' "$log")"
    if [ "$status" -eq 0 ] && [ -z "$found" ]; then
        echo 'no finding'
        return 0
    fi
    echo "FOUND ${found:-nothing that was kept}: exit $status, see $log"
    return 1
}
export -f run_target
export work seconds
printf '%s\0' "${targets[@]}" | xargs -0 -n 1 -P "$jobs" bash -c 'run_target "$1"' run_target || exit 1
