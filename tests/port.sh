#!/usr/bin/env bash
# Carries the source.patch of 0.1.1-rc.2 back to commits of the harness's history at which it no longer fits, and
# prints the class of every hunk, for a person to judge. By hand: it needs the harness's monorepo.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/port.sh REPO [COMMIT]...

REPO: a clone of the harness with its history. COMMIT: where to carry the patch (default: seven, each farther back).
Only the carrying matters: what is built is the sources, one behind the other. Files to decide on are kept in
build/port/<commit>/conflicts, beside report.md and report.json.
TEXT
}

[ $# -gt 0 ] && [ "$1" != --help ] && [ "$1" != -h ] || { usage; exit $(($# == 0 ? 2 : 0)); }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository=$(git -C "$1" rev-parse --absolute-git-dir)
shift
version=0.1.1-rc.2
[ $# -gt 0 ] || set -- 4c6ff93535 3546f595b9 49351cbf0e bb3010a8df 9186824e87 48d8e2f8f5 be56f64b7a~1
drydock=${DRYDOCK:-build/dev/tool/drydock}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

git clone -q --bare --shared "$repository" "$work/harness.git"
mkdir -p "$work/sets" "$work/scratch" build/port
cp -r patches "$work/"
packages=$(awk '/^    directory:/ { print $2 }' "manifests/$version.yaml" | tr '\n' ' ')
# The real set, with another build.
awk -v packages="$packages" '
    /^build:/ {
        print "build:\n  - name: concatenate\n    command: [sh, -c, \"for p in " packages \
            "; do mkdir -p $p/lib; cat $p/src/*.ts >$p/lib/index.js; done\"]"
        skip = 1
        next
    }
    /^[a-z]/ { skip = 0 }
    !skip' "manifests/$version.yaml" >"$work/sets/$version.yaml"

number=0
for commit in "$@"; do
    number=$((number + 1))
    name=$(git -C "$work/harness.git" rev-parse --short=10 "$commit^{commit}")
    git -C "$work/harness.git" tag -f "port-$name" "$name" >/dev/null
    export GIT_INDEX_FILE=$work/index
    rm -f "$GIT_INDEX_FILE"
    git -C "$work/harness.git" read-tree "$name"
    fits=fits
    git -C "$work/harness.git" apply --cached --check "$PWD/patches/dsh-$version/source.patch" 2>/dev/null || fits='does not fit'
    unset GIT_INDEX_FILE
    echo "== $(git -C "$work/harness.git" show -s --format='%h of %as, %s' "$name") (git apply: $fits)"
    rm -rf "build/port/$name"
    status=0
    "$drydock" bump --from "$version" --to "0.0.0-port.$number" --tag "port-$name" --manifest "$work/sets" \
        --harness "$work/harness.git" --published none --no-cache --scratch "$work/scratch" \
        --report "build/port/$name" --verbose 2>&1 | sed "s,$work/,,g" || status=${PIPESTATUS[0]}
    echo "exit $status"
    echo
done
