#!/usr/bin/env bash
# Builds everything, runs every test, then the sanitizers and the linters. From any directory.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/run.sh [--quick] [--without STAGE]... [--help]

Installs by name what is missing (Debian 12, as root), then
  format     clang-format on every source
  build      the preset dev
  image      the static tool: no dynamic executable, at most 2.5 MB
  packages   the registry packages that tests use, into build/packages
  asan       address and undefined-behaviour sanitizers, with the tests of the rooms
  tidy       clang-tidy on every source of the tool
  deb        the Debian packages: lintian, a clean Debian, the static tool for arm64 by an emulator
  image-e2e  an image with the real harness, built and started in every way that goes wrong
  test       every test
and tells how long each took. --quick: only build and test. --without: leave a stage out.
TEXT
}

quick=no
without=()
while [ $# -gt 0 ]; do
    word=$1
    shift
    case "$word" in
        --quick) quick=yes ;;
        --without)
            [ $# -gt 0 ] || { echo "tests/run.sh: --without needs a stage" >&2; exit 2; }
            without+=("$1")
            shift
            ;;
        --help | -h) usage; exit 0 ;;
        *) echo "tests/run.sh: unknown option '$word'" >&2; usage >&2; exit 2 ;;
    esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."

needed=(cmake ninja-build g++ ccache pkg-config git patch diffutils strace attr acl time e2fsprogs util-linux bsdutils
    libgtest-dev libgmock-dev libfmt-dev libexpected-dev nlohmann-json3-dev libyaml-dev nettle-dev
    libdtl-dev libgit2-dev libzstd-dev openssl python3)
needed+=(man-db mandoc zsh fish)
[ "$quick" = yes ] || needed+=(clang clang-format clang-tidy buildah lintian dpkg-dev file g++-aarch64-linux-gnu mmdebstrap
    qemu-user-static)
command -v node >/dev/null || needed+=(nodejs)
command -v npm >/dev/null || needed+=(npm)

install_packages() {
    local missing=() name
    for name in "${needed[@]}"; do
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "installing ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

sources() {
    git ls-files --cached --others --exclude-standard "$@" 2>/dev/null || find tool tests -name '*.[ch]pp'
}

check_format() {
    sources 'tool/*.[ch]pp' 'tests/*.[ch]pp' | xargs clang-format --dry-run --Werror
}

build() {  # PRESET [TARGET]
    cmake --preset "$1" >build/"$1".log 2>&1 || { cat build/"$1".log; return 1; }
    cmake --build --preset "$1" --target "${2:-all}" -- --quiet
}

check_image() {
    build image
    local size libraries
    libraries=$(ldd "$image" 2>&1) || true
    if [[ $libraries != *'not a dynamic executable'* ]]; then
        echo "$image is not static: $libraries"
        return 1
    fi
    size=$(stat -c %s "$image")
    echo "$image: $size bytes"
    [ "$size" -le 2500000 ]
}

prepare_packages() {
    [ -e tests/packages.sh ] || return 0
    bash tests/packages.sh --image "$DRYDOCK_TEST_PACKAGES"
}

check_image_e2e() {
    mkdir -p build/results
    bash tests/e2e/image.sh | tee build/results/image-e2e.txt
}

run_tests() {  # PRESET ARGUMENTS...
    local preset=$1 results=$PWD/build/results/$1
    shift
    GTEST_OUTPUT=xml:$results/ ctest --preset "$preset" -j2 --output-junit "$results/ctest.xml" "$@"
}

check_dev() {
    build dev
    run_tests dev
}

check_asan() {
    build asan room_tests
    LSAN_OPTIONS=suppressions=$PWD/tests/leaks.txt:print_suppressions=0 run_tests asan --label-regex room
}

# Counts cases: those that a program's own report names, or the program where it left none.
count_tests() {
    local results=build/results/dev passed=0 failed=0 line name report tests bad
    while read -r line; do
        name=$(sed -E 's/.* name="([^"]*)".*/\1/' <<<"$line")
        report=$results/${name}_test.xml
        tests=1 bad=0
        if [ -e "$report" ]; then
            tests=$(sum tests "$report")
            bad=$(sum failures "$report")
            tests=$((tests - $(sum skipped "$report") - $(sum disabled "$report")))
        fi
        if grep -q 'status="fail"' <<<"$line" && [ "$bad" -eq 0 ]; then
            bad=1  # it crashed, or ran out of time
        fi
        passed=$((passed + tests - bad)) failed=$((failed + bad))
    done < <(grep '<testcase ' "$results/ctest.xml")
    if [ -e build/results/image-e2e.txt ]; then
        passed=$((passed + $(grep -c '^ok ' build/results/image-e2e.txt || true)))
        failed=$((failed + $(grep -c '^FAILED ' build/results/image-e2e.txt || true)))
    fi
    echo "$passed passed, $failed failed"
}

sum() {  # ATTRIBUTE FILE
    grep '<testsuite ' "$2" | sed -E "s/.* $1=\"([0-9]+)\".*/\1/" | awk '{ n += $1 } END { print n + 0 }'
}

# A room is one unit here too: its headers are read once. That its files are included is what one check looks for.
check_tidy() {
    { find build/dev/tool -name 'unity_*.cxx'; echo tool/cli/main.cpp; echo tool/cli/help_texts.cpp; } \
        | xargs -P2 -n1 clang-tidy -p build/dev --quiet --checks=-bugprone-suspicious-include \
            >build/tidy.log 2>&1 || { cat build/tidy.log; return 1; }
}

summary=()
failed=()
stage() {  # NAME COMMAND...: a failure is noted, and the next stage runs, so that one run tells all
    local name=$1 start=$SECONDS result=ok status
    shift
    if [[ " ${without[*]} " == *" $name "* ]]; then
        summary+=("$(printf '%-10s %5s    left out' "$name" -)")
        return 0
    fi
    echo "== $name"
    set +e
    (set -e && "$@")
    status=$?
    set -e
    if [ $status -ne 0 ]; then
        result=FAILED
        failed+=("$name")
    fi
    summary+=("$(printf '%-10s %5d s  %s' "$name" $((SECONDS - start)) "$result")")
}

mkdir -p build/packages
rm -rf build/results
image=$PWD/build/image/tool/drydock
export DRYDOCK_TEST_PACKAGES=$PWD/build/packages
export DRYDOCK_IMAGE_BINARY=$image

stage install install_packages
if [ "$quick" = yes ]; then
    stage build build dev  # so that its time is told apart
else
    stage format check_format
    stage build build dev
    stage image check_image
    stage packages prepare_packages
    stage asan check_asan
    stage tidy check_tidy
    stage deb bash tests/deb.sh
    stage image-e2e check_image_e2e
fi
# Last, so that its lines close the run.
stage test check_dev

# What needs the harness's monorepo is run where there is one.
if [ -n "${DRYDOCK_HARNESS:-}" ]; then
    stage harness bash tests/harness.sh "$DRYDOCK_HARNESS"
else
    echo "not run: tests/harness.sh, which needs a clone of the harness's monorepo in DRYDOCK_HARNESS"
fi

printf '%s\n' "${summary[@]}"
[ ! -e build/results/dev/ctest.xml ] || count_tests
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
