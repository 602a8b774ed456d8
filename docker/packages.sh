#!/bin/sh
# Makes Debian packages on a bare Debian 12 (amd64): drydock, the full tool, and drydock-static, the image's, for this
# machine and for arm64, for which it unpacks Debian's arm64 libraries in build/arm64-libraries.
set -eu

usage() {
    echo "usage: docker/packages.sh [--preset PRESET] DIR"
    echo "PRESET: of the full tool (default: release)"
}

preset=release
case ${1-} in --help | -h) usage; exit 0 ;; esac
if [ "${1-}" = --preset ]; then
    [ $# -ge 2 ] || { usage >&2; exit 2; }
    preset=$2
    shift 2
fi
case $#,${1-} in
1,-* | [!1],*) usage >&2; exit 2 ;;
esac
mkdir -p "$1"
directory=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

needed="cmake dpkg-dev file g++ g++-aarch64-linux-gnu libdtl-dev libexpected-dev libfmt-dev libgit2-dev libyaml-dev
    libzstd-dev mmdebstrap nettle-dev ninja-build nlohmann-json3-dev pkg-config qemu-user-static"
missing=
for package in $needed; do
    case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) in
    ii*) ;;
    *) missing="$missing $package" ;;
    esac
done
if [ -n "$missing" ]; then
    echo "installing$missing"
    apt-get update -qq
    # shellcheck disable=SC2086  # one word per package
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
fi

# What is there already, and complete, is kept.
libraries=libyaml-dev,nettle-dev,libfmt-dev,libexpected-dev,nlohmann-json3-dev
if [ "$(cat build/arm64-libraries/complete 2>/dev/null)" != "$libraries" ]; then
    rm -rf build/arm64-libraries
    mkdir -p build
    # shellcheck disable=SC1091  # it is the machine's
    . /etc/os-release
    mmdebstrap --quiet --variant=extract --architectures=arm64 \
        --aptopt='Acquire::Retries "3"' --include="$libraries" \
        "$VERSION_CODENAME" build/arm64-libraries
    echo "$libraries" >build/arm64-libraries/complete
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

for each in "$preset" image image-arm64; do
    echo "building and packing the preset $each"
    options=
    [ "$each" = "$preset" ] && [ "$each" = release ] && options=-DDRYDOCK_TESTS=OFF
    # shellcheck disable=SC2086  # none, or one
    if ! { cmake --preset "$each" $options && cmake --build --preset "$each" --target drydock documents -- --quiet &&
        cpack --config "build/$each/CPackConfig.cmake" -B "$work/$each"; } >"$work/log" 2>&1; then
        cat "$work/log" >&2
        exit 1
    fi
    mv "$work/$each"/*.deb "$directory"
done
