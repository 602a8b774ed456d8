#!/usr/bin/env bash
# Times a boot with nothing to do inside the image, against sha256sum of the four files there. Medians of interleaved
# blocks of 50 runs each, in one run of this script; ratios below 1 are quicker than sha256sum.
# usage: tests/bench/boot_bench.sh IMAGES [BLOCKS]      (IMAGES: the folder that tests/e2e/image.sh --keep leaves)
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: tests/bench/boot_bench.sh IMAGES [BLOCKS]" >&2; exit 2; }
images=$(realpath "$1")
blocks=${2:-20}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

b() { buildah --root "$images/storage" --runroot "$images/run" --storage-driver overlay "$@"; }
container=$(b from localhost/patched)
root=$(b mount "$container")
work=$(mktemp -d "$images/bench.XXXXXX")
trap 'b umount "$container" >/dev/null; b rm "$container" >/dev/null; rm -rf "$work"' EXIT
mkdir "$work/upper" "$work/work" "$work/root" "$work/volume"
cp -R "$root/srv/dsh/." "$work/volume/"  # the profile, patched when the image was built
cp "${DRYDOCK_IMAGE_BINARY:-build/image/tool/drydock}" "$work/upper/drydock.new"

cat >"$work/upper/bench.sh" <<'LOOP'
cp /drydock.new /usr/local/bin/drydock
core=/usr/local/lib/node_modules/@deepseek-ai/dsh/node_modules/@deepseek-ai
profile=/srv/dsh/profiles/web/node_modules/@deepseek-ai
hashes() {
    sha256sum "$core/dsh-session/lib/index.js" "$core/dsh-subagent/lib/index.js" \
        "$profile/dsh-subagent-claude-code/lib/index.js" "$profile/dsh-subagent-acp/lib/index.js"
}
boot() { drydock apply --stage boot; }
script() { apply-harness-patches.sh; }
nothing() { /bin/true; }
block() {
    begin=$(date +%s%N)
    for _ in 1 2 3 4 5 6 7 8 9 10; do $1; $1; $1; $1; $1; done >/dev/null 2>&1
    end=$(date +%s%N)
    echo "$1 $(((end - begin) / 50000))"
}
boot || exit 1
while [ "$BLOCKS" -gt 0 ]; do
    for what in nothing hashes boot script; do block $what; done
    BLOCKS=$((BLOCKS - 1))
done
LOOP
unshare --mount --pid --fork --kill-child tests/e2e/contain.sh "$root" "$work" "$work/volume" rw 0 /usr/bin/env -i \
    PATH=/usr/local/bin:/usr/bin:/bin DSH_VERSION=0.1.0-rc.8 DSH_HOME=/srv/dsh DSH_STAGE=/srv/dsh BLOCKS="$blocks" \
    /bin/sh /bench.sh >"$work/times"
head -n 1 "$work/times"
median() { awk -v what="$1" '$1 == what { print $2 }' "$work/times" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
base=$(median hashes)
for what in nothing hashes boot script; do
    median "$what" | awk -v what="$what" -v base="$base" '{ printf "%-8s median %6d us   %.2f of sha256sum\n", what, $1, $1 / base }'
done
