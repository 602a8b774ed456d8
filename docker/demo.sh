#!/bin/sh
# Shows the whole way on a bare Debian 12: builds the static tool, installs the real packages where an image has them,
# patches them, shows what the patch does, and takes it back. Run it again as often as you like.
set -eu

[ $# -eq 0 ] || { echo "usage: docker/demo.sh" >&2; exit 2; }
cd "$(dirname "$0")/.."
packages=build/packages
tool=build/image/tool/drydock

step() { printf '\n== %s\n' "$*"; }

fail() {
    printf 'demo.sh: %s\n' "$*" >&2
    exit 1
}

# Says a command, on stderr, and runs it.
run() {
    printf '$ %s\n' "$*" >&2
    "$@"
}

missing_packages() {
    for package in ca-certificates cmake g++ libexpected-dev libfmt-dev libyaml-dev nettle-dev \
        ninja-build nlohmann-json3-dev pkg-config; do
        case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) in
        ii*) ;;
        *) printf '%s ' "$package" ;;
        esac
    done
    command -v node >/dev/null || printf 'nodejs '
    command -v npm >/dev/null || printf 'npm '
}

install_what_is_missing() {
    missing=$(missing_packages)
    if [ -z "$missing" ]; then
        echo "all there"
        return 0
    fi
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "run as root once, or install: $missing"
        as_root=sudo
    fi
    run $as_root apt-get update -qq
    # shellcheck disable=SC2086  # one word per package
    run $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
}

# drydock on one version's installation: drydock_on VERSION INSTALLATION COMMAND [OPTION...]
drydock_on() {
    version=$1
    installation=$2
    command=$3
    shift 3
    run "$tool" "$command" --manifest manifests --dsh-version "$version" --root "image=$installation" "$@"
}

# demonstrate VERSION [OPTION...]: the options say which packages, where the registry does not have all of a set's.
demonstrate() {
    version=$1
    shift
    installation=build/demo/image-$version/lib/node_modules/@deepseek-ai/dsh
    installed=$installation/node_modules/@deepseek-ai/dsh-session
    published=$packages/dsh-session-$version/package

    step "$version: as published"
    rm -rf "build/demo/image-$version"
    mkdir -p build/demo
    cp -R "$packages/image-$version" "build/demo/image-$version"
    run node docker/demo-append.mjs "$installation" stock

    step "$version: drydock apply"
    drydock_on "$version" "$installation" apply "$@"
    drydock_on "$version" "$installation" status "$@"
    drydock_on "$version" "$installation" status "$@" --check >/dev/null || fail "status --check says that it is not patched"
    run node docker/demo-append.mjs "$installation" patched

    step "$version: a second apply changes nothing"
    before=$(stat -c '%i %y %z' "$installed/lib/index.js")
    drydock_on "$version" "$installation" apply "$@"
    [ "$(stat -c '%i %y %z' "$installed/lib/index.js")" = "$before" ] || fail "the second apply touched the file"

    step "$version: drydock revert"
    drydock_on "$version" "$installation" revert "$@"
    run cmp "$installed/lib/index.js" "$published/lib/index.js"
    run diff -r "$installed" "$published"
    run node docker/demo-append.mjs "$installation" stock
}

step "what the build needs"
install_what_is_missing

step "the static tool"
run cmake --preset image -Wno-dev >/dev/null
run cmake --build --preset image
if ldd "$tool" >/dev/null 2>&1; then fail "$tool is not static"; fi
run ls -l "$tool"

step "the published packages"
run tests/packages.sh "$packages"

demonstrate 0.1.1-rc.2 --package dsh-session
demonstrate 0.1.0-rc.8

step "done: every check passed"
