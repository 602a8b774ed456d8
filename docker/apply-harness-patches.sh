#!/bin/sh
# Patches the staged profile for the harness of $DSH_VERSION. What is in the way is said, and the container starts;
# with DRYDOCK_STRICT=1 it does not. README.md, "In an image", tells what each message means.

# On stderr, so that the command has standard output for itself.
drydock apply --stage boot >&2
status=$?
[ "$status" -ne 0 ] || exit 0
case ${DRYDOCK_STRICT:-0} in
    0)
        echo "apply-harness-patches.sh: drydock ended with $status; starting with the packages as they are" >&2
        exit 0
        ;;
    *)
        echo "apply-harness-patches.sh: drydock ended with $status; not starting, since DRYDOCK_STRICT is set" >&2
        exit "$status"
        ;;
esac
