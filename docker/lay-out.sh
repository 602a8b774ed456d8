#!/bin/sh
# Lays a build of drydock out as docker/Dockerfile takes it from its stage `tools`:
#   DIR/image/bin/drydock, DIR/image/share/drydock/{manifests,patches}: goes to /usr/local of the image
#   DIR/full/bin/drydock, DIR/full/share/drydock/...: the full tool, for the stage that verifies
# The image gets the lib.patch files only: a source.patch is for regenerate and bump, and is ten times as big.
set -eu

if [ $# -ne 4 ]; then
    echo "usage: docker/lay-out.sh IMAGE_DRYDOCK FULL_DRYDOCK MANIFESTS DIR" >&2
    exit 2
fi
manifests=$3
directory=$4
share=$directory/image/share/drydock

mkdir -p "$directory/image/bin" "$directory/full/bin" "$directory/full/share" "$share/manifests"
cp "$1" "$directory/image/bin/drydock"
cp "$2" "$directory/full/bin/drydock"
cp "$manifests"/*.yaml "$share/manifests/"
(cd "$manifests/.." && find patches -name '*.lib.patch' -o -name NOTICE) | while read -r file; do
    mkdir -p "$share/$(dirname "$file")"
    cp "$manifests/../$file" "$share/$file"
done
ln -sfn ../../image/share/drydock "$directory/full/share/drydock"
