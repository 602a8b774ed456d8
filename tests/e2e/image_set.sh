#!/usr/bin/env bash
# Makes what tests/e2e/image.sh patches: the two providers, which the registry does not have at this version, with
# their real names and our real mappers, and sets of the test's own that are the committed set but for them.
#   DIR/providers/NAME/{stock,patched}/lib/index.js
#   DIR/first/{manifests,patches}    the committed sets, with those providers
#   DIR/second/{manifests,patches}   revision 2 of it, which knows revision 1
#   DIR/wrong/{manifests,patches}    one whose mapper does something else, its hashes all in order
# usage: tests/e2e/image_set.sh DRYDOCK DIR
set -euo pipefail
drydock=$1
mkdir -p "$2"
directory=$(cd "$2" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

hash() { sha256sum <"$1" | cut -d ' ' -f 1; }

mapper() {  # NAME: the region of the committed patch that holds the mapper
    awk '/^\+\/\/#region lib\/types\/map-/ { on = 1 } on && /^\+/ { print substr($0, 2) } on && /^\+\/\/#endregion/ { exit }' \
        "patches/dsh-0.1.0-rc.8/$1.lib.patch"
}

stock() {  # NAME
    cat <<JAVASCRIPT
// $1 as a test makes it: it imports the core as the real one does.
import { SessionId } from "@deepseek-ai/dsh-session";
import { AssistantOutputFold } from "@deepseek-ai/dsh-subagent";
const name = "$1";
function inject() {
	return [SessionId, AssistantOutputFold];
}
JAVASCRIPT
}

index() { echo "$directory/providers/$1/$2/lib/index.js"; }

variant() {  # NAME VARIANT EXPORTS SED: the provider with its mapper, edited
    mkdir -p "$(dirname "$(index "$1" "$2")")"
    { stock "$1"; mapper "$1" | sed "$4"; echo "export { inject, $3name };"; } >"$(index "$1" "$2")"
}

make_provider() {  # NAME MAPPER FAULT: FAULT is a sed command that changes what the mapper does
    mkdir -p "$(dirname "$(index "$1" stock)")"
    { stock "$1"; echo "export { inject, name };"; } >"$(index "$1" stock)"
    variant "$1" patched "$2, " ''
    variant "$1" second "$2, " '1a // revision 2'
    variant "$1" wrong "$2, " "$3"
    if cmp -s "$(index "$1" patched)" "$(index "$1" wrong)"; then
        echo "image_set.sh: the fault '$3' is not in $1" >&2
        return 1
    fi
}

patch_of() {  # NAME VARIANT FILE
    local status=0
    "$drydock" diff "$directory/providers/$1/stock" "$directory/providers/$1/$2" >"$3" || status=$?
    [ $status -eq 1 ]
}

make_set() {  # SET VARIANT
    local set=$directory/$1 version name
    mkdir -p "$set/manifests" "$set/patches"
    cp -R patches/. "$set/patches"
    cp manifests/0.1.0-rc.8.yaml "$set/manifests"
    # What there is of the newer version has the same files, so the set for it is the same.
    sed 's/^  version: .*/  version: 0.1.1-rc.2/; s/dsh-0.1.0-rc.8/dsh-0.1.1-rc.2/' manifests/0.1.0-rc.8.yaml \
        >"$set/manifests/0.1.1-rc.2.yaml"
    cp patches/dsh-0.1.0-rc.8/*.lib.patch "$set/patches/dsh-0.1.1-rc.2"
    for version in 0.1.0-rc.8 0.1.1-rc.2; do
        for name in dsh-subagent-acp dsh-subagent-claude-code; do
            local patch=$set/patches/dsh-$version/$name.lib.patch
            patch_of "$name" "$2" "$patch"
            put_hashes "$set/manifests/$version.yaml" "$name" "$(hash "$patch")" "$(hash "$(index "$name" stock)")" \
                "$(hash "$(index "$name" "$2")")"
        done
    done
}

put_hashes() {  # MANIFEST NAME PATCH STOCK PATCHED
    awk -v name="\"@deepseek-ai/$2\"" -v patch="$3" -v stock="$4" -v patched="$5" '
        /^  - name: / { on = $3 == name }
        on && /^      sha256:/ { $0 = "      sha256: " patch }
        on && /^        stock:/ { $0 = "        stock: " stock }
        on && /^        patched:/ { $0 = "        patched: " patched }
        { print }' "$1" >"$1.new"
    mv "$1.new" "$1"
}

# Both providers of the second set know their first revision.
add_first_revision() {
    local manifest=$directory/second/manifests/0.1.0-rc.8.yaml name
    sed -i 's/^  revision: 1$/  revision: 2/' "$manifest"
    for name in dsh-subagent-acp dsh-subagent-claude-code; do
        local patch=$directory/second/patches/dsh-0.1.0-rc.8/$name.first.lib.patch
        patch_of "$name" patched "$patch"
        awk -v name="\"@deepseek-ai/$name\"" -v file="../patches/dsh-0.1.0-rc.8/$name.first.lib.patch" \
            -v patch="$(hash "$patch")" -v patched="$(hash "$(index "$name" patched)")" '
            /^  - name: / { on = $3 == name }
            { print }
            on && /^        origin:/ {
                print "    revisions:\n      - revision: 1\n        patch:\n          file: " file "\n          sha256: " patch
                print "        files:\n          - path: lib/index.js\n            patched: " patched
            }' "$manifest" >"$manifest.new"
        mv "$manifest.new" "$manifest"
    done
}

make_provider dsh-subagent-acp mapAcpUpdate 's/value === void 0 ? ""/value === void 0 ? "nothing"/'
make_provider dsh-subagent-claude-code mapClaudeMessage 's/"\[image\]"/"[picture]"/'
make_set first patched
make_set second second
make_set wrong wrong
add_first_revision
