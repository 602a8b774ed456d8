#!/usr/bin/env bash
# One container for tests/e2e/image.sh, in the namespaces that `unshare --mount --pid --fork` has made: its root is an
# overlay of image layers, its volume lies at /srv/dsh.
# usage: contain.sh LAYERS CASE VOLUME ro|rw USER COMMAND...
#   CASE: a folder with upper/, work/ and root/; ro: the root can't be written; USER: a number
set -euo pipefail
layers=$1 case=$2 volume=$3 access=$4 user=$5
shift 5
mount -t overlay overlay -o "lowerdir=$layers,upperdir=$case/upper,workdir=$case/work" "$case/root"
mkdir -p "$case/root/srv/dsh" "$case/root/proc" "$case/root/dev"
mount --bind "$volume" "$case/root/srv/dsh"
mount -t proc proc "$case/root/proc"
mount --rbind /dev "$case/root/dev"
[ "$access" = rw ] || mount -o remount,bind,ro "$case/root"
exec chroot --userspec="$user:$user" "$case/root" "$@"
