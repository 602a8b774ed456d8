#!/bin/sh
# Takes the stream's files out of a source.patch and compiles them: DIR/out/packages/.../*.js
# usage: stream_script.sh SOURCE_PATCH TOOLCHAIN DIR
set -eu
patch=$(realpath "$1")
tsc=$(realpath "$2")/node_modules/typescript/bin/tsc
mkdir -p "$3"
cd "$3"
# In a repository of its own: within another one, git apply leaves out what lies elsewhere.
git init -q .
git apply --include='packages/*/*/src/map-*.ts' --include='packages/subagent/subagent/src/stream*.ts' "$patch"
echo '{"type": "module"}' >package.json
# shellcheck disable=SC2046 # names without blanks
node "$tsc" --ignoreConfig --noCheck --target es2024 --module esnext --moduleResolution bundler \
    --rewriteRelativeImportExtensions --rootDir . --outDir out $(find packages -name '*.ts')
