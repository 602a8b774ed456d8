#!/usr/bin/env bash
# Times status and apply where all is patched already, on a set of four packages of the harness's sizes, against
# sha256sum of the same files and against the shell loop that such a set replaces. Medians of interleaved runs, in
# one run of this script; ratios below 1 are quicker than sha256sum.
# usage: tests/bench/status_bench.sh [RUNS]      (the image preset must be built)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
runs=${1:-300}
drydock=$PWD/build/image/tool/drydock
[ -x "$drydock" ] || { echo "build it first: cmake --preset image && cmake --build --preset image" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root/node_modules/@demo" "$work/manifests" "$work/patches"

# Bytes of lib/index.js as built at 0.1.1-rc.2: session, subagent, claude-code, acp.
sizes=(79302 116406 20266 13623)
names=(session subagent claude-code acp)
hash() { sha256sum "$1" | cut -d' ' -f1; }
{
    printf 'schema: 1\nset:\n  name: bench\n  version: 1.0.0\n  revision: 1\n'
    printf 'roots:\n  - name: image\n    path: %s\npackages:\n' "$root"
} >"$work/manifests/1.0.0.yaml"
files=()
for i in 0 1 2 3; do
    name=${names[$i]} package=$root/node_modules/@demo/${names[$i]}
    mkdir -p "$package/lib" "$work/a/lib" "$work/b/lib"
    printf '{\n  "name": "@demo/%s",\n  "version": "1.0.0",\n  "type": "module"\n}\n' "$name" >"$package/package.json"
    awk -v size="${sizes[$i]}" 'BEGIN { while (done < size) { line = sprintf("\tconst value%d = compute(%d, \"%s\");", n, n * 7919 % 1000, n % 5 ? "text" : "longer text in some lines"); n++; print line; done += length(line) + 1 } }' \
        | head -c "${sizes[$i]}" >"$work/a/lib/index.js"
    awk 'NR % 150 == 75 { print "\t// patched here"; print "\tconst added = true;" } { print }' \
        "$work/a/lib/index.js" >"$work/b/lib/index.js"
    (cd "$work" && diff -u --label a/lib/index.js --label b/lib/index.js a/lib/index.js b/lib/index.js) \
        >"$work/patches/$name.lib.patch" || true
    cp "$work/a/lib/index.js" "$package/lib/index.js"
    {
        printf '  - name: "@demo/%s"\n    root: image\n    stages: [image, boot]\n    why: a benchmark\n    provides: 1\n' "$name"
        # As the real sets have it: each provider requires both core packages.
        [ "$i" -lt 1 ] || printf '    requires:\n      "@demo/session": 1\n'
        [ "$i" -lt 2 ] || printf '      "@demo/subagent": 1\n'
        printf '    patch:\n      file: ../patches/%s.lib.patch\n      sha256: %s\n' "$name" "$(hash "$work/patches/$name.lib.patch")"
        printf '    files:\n      - path: lib/index.js\n        stock: %s\n        patched: %s\n        origin: built\n' \
            "$(hash "$work/a/lib/index.js")" "$(hash "$work/b/lib/index.js")"
    } >>"$work/manifests/1.0.0.yaml"
    files+=("$package/lib/index.js")
done
export DRYDOCK_MANIFESTS=$work/manifests DSH_VERSION=1.0.0
"$drydock" apply >/dev/null

cat >"$work/loop.sh" <<'LOOP'
#!/bin/sh
for name in session subagent claude-code acp; do
    package=$1/node_modules/@demo/$name
    version=$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$package/package.json")
    [ "$version" = 1.0.0 ] || exit 3
    patch -R --dry-run -s -p1 -d "$package" <"$2/$name.lib.patch" >/dev/null || exit 1
done
LOOP
chmod +x "$work/loop.sh"

declare -A times
measure() {  # LABEL COMMAND...
    local label=$1 start=$EPOCHREALTIME
    shift
    "$@" >/dev/null
    local end=$EPOCHREALTIME
    times[$label]+="$((${end/./} - ${start/./})) "
}
for _ in $(seq "$runs"); do
    measure sha256sum sha256sum "${files[@]}"
    measure status "$drydock" status
    measure apply "$drydock" apply
    measure boot "$drydock" apply --stage boot
    measure loop "$work/loop.sh" "$root" "$work/patches"
done
median() { tr ' ' '\n' <<<"$1" | sed '/^$/d' | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
base=$(median "${times[sha256sum]}")
grep -q -m1 sha_ni /proc/cpuinfo && echo "this CPU has SHA instructions" || echo "this CPU has no SHA instructions"
for label in sha256sum status apply boot loop; do
    median "${times[$label]}" | awk -v label="$label" -v base="$base" \
        '{ printf "%-10s median %6d us   %.2f of sha256sum\n", label, $1, $1 / base }'
done
