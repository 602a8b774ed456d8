#!/usr/bin/env bash
# Makes the Debian packages and tries them: lintian, an installation in a clean Debian, the image's tool in a root
# directory that holds nothing else, for amd64 and, by an emulator, for arm64. As root, with the published packages that
# tests/packages.sh has put into $DRYDOCK_TEST_PACKAGES.
set -euo pipefail

if [ $# -ne 0 ]; then
    echo "usage: tests/deb.sh" >&2
    exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=0.1.1-rc.2
published=${DRYDOCK_TEST_PACKAGES:?is not set; tests/run.sh sets it}/dsh-session-$version/package

rm -rf build/deb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "deb.sh: $*" >&2
    exit 1
}

equal() { # WHAT FOUND EXPECTED
    [ "$2" = "$3" ] || fail "$1: found"$'\n'"$2"$'\n'"expected"$'\n'"$3"
}

# The preset dev is what other tests have built already.
docker/packages.sh --preset dev build/deb
number=$(sed -n 's/^project(drydock VERSION \([^ ]*\) .*/\1/p' CMakeLists.txt)
full=drydock_${number}_amd64.deb
static=drydock-static_${number}_amd64.deb
static_arm64=drydock-static_${number}_arm64.deb
equal packages "$(ls build/deb)" "$static"$'\n'"$static_arm64"$'\n'"$full"
lintian --allow-root --fail-on error,warning build/deb/*.deb

hash_of() { sha256sum "$1" | cut -d' ' -f1; }
stock=$(hash_of "$published/lib/index.js")
patched=$(sed -n "/stock: $stock/{n;s/.*patched: //p}" "manifests/$version.yaml")
[ ${#patched} -eq 64 ] || fail "the manifest does not know the published package"

# An installation in ROOT of the one package, and what a drydock does with it: try ROOT COMMAND..., where COMMAND runs
# drydock in that root. Its SBOM stays in sbom.json.
try() {
    local root=$1 index=$1/srv/dsh/node_modules/@deepseek-ai/dsh-session/lib/index.js
    local set=(--dsh-version "$version" -p dsh-session -r image=/srv/dsh)
    shift
    rm -rf "$root/srv/dsh"
    mkdir -p "$root/srv/dsh/node_modules/@deepseek-ai"
    cp -R "$published" "$root/srv/dsh/node_modules/@deepseek-ai/dsh-session"
    equal "drydock --version" "$("$@" --version)" "drydock $number"
    equal apply "$("$@" apply "${set[@]}")" \
        "patched @deepseek-ai/dsh-session $version (revision 1): lib/index.js"
    equal "the patched file" "$(hash_of "$index")" "$patched"
    "$@" status --check -q "${set[@]}"
    "$@" sbom "${set[@]}" >"$work/sbom.json"
    equal revert "$("$@" revert "${set[@]}")" "reverted @deepseek-ai/dsh-session $version: lib/index.js"
    equal "the stock file" "$(hash_of "$index")" "$stock"
}

echo "the static tool alone in a root directory"
mkdir "$work/amd64" "$work/arm64"
dpkg-deb -x "build/deb/$static" "$work/amd64"
try "$work/amd64" chroot "$work/amd64" /usr/bin/drydock
mv "$work/sbom.json" "$work/sbom-amd64.json"

echo "the same for arm64"
dpkg-deb -x "build/deb/$static_arm64" "$work/arm64"
cp "$(command -v qemu-aarch64-static)" "$work/arm64/emulator"
try "$work/arm64" chroot "$work/arm64" /emulator /usr/bin/drydock
cmp "$work/sbom.json" "$work/sbom-amd64.json"
[ "$(stat -c %s "$work/arm64/usr/bin/drydock")" -le 2500000 ] || fail "the arm64 tool is larger than 2.5 MB"
diff -r --exclude=drydock --exclude=doc --exclude=lintian "$work/amd64/usr/share" "$work/arm64/usr/share"

echo "the packages in a clean Debian"
base=build/debian-base.tar
if [ ! -e "$base" ]; then
    # shellcheck disable=SC1091  # it is the machine's
    . /etc/os-release
    mmdebstrap --quiet --variant=minbase "$VERSION_CODENAME" "$base.part"
    mv "$base.part" "$base"
fi
clean=$work/clean
mkdir "$clean"
tar -xf "$base" -C "$clean"
cp /etc/resolv.conf "$clean/etc/resolv.conf"
mkdir "$clean/packages"
cp build/deb/*_amd64.deb "$clean/packages"
# With a /proc, by which an executable finds what is installed beside it; the mount goes with the process.
inside() {
    # shellcheck disable=SC2016  # the inner shell expands them
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env DEBIAN_FRONTEND=noninteractive "$@"' \
        "$clean" "$@"
}
apt() { inside apt-get -qq -y --no-install-recommends "$@" >"$work/apt" 2>&1 || { cat "$work/apt" >&2; return 1; }; }
of_ours() { (cd "$clean" && find . -xdev -iname '*drydock*' -not -path './packages/*' -not -path './var/*' | sort); }

apt update
apt install "/packages/$full"
try "$clean" inside drydock
rm -rf "$clean/srv/dsh"
equal "the versions that it brings" "$(inside drydock __names versions)" "$(basename -s .yaml manifests/*.yaml)"
# drydock-rebuild answers this, and finds the same manifests.
equal regenerate "$(inside drydock regenerate --dsh-version 9 --harness /nowhere 2>&1 || true)" \
    "drydock: /usr/share/drydock/manifests: no set for version 9; there are $(basename -s .yaml manifests/*.yaml \
        | paste -sd, | sed 's/,/, /g')"
pages=$(find "$clean/usr/share/man/man1" -name 'drydock*.1.gz' | wc -l)
[ "$pages" -ge 13 ] || fail "found $pages man pages"

apt install "/packages/$static" # takes the place of the full one
[ ! -e "$clean/usr/libexec/drydock" ] || fail "the full one is still there"
try "$clean" inside drydock
cmp "$work/sbom.json" "$work/sbom-amd64.json"
apt install "/packages/$full" # and back
apt purge drydock
equal "what is left" "$(of_ours)" ""
echo "all packages are fit"
