#!/bin/sh
# Replays every commit of a large git repository, merges aside, on the files of its first parent, forwards and
# backwards: every blob must be exact.
# Usage: tests/history.sh REPOSITORY [BUILD_DIRECTORY]
set -eu
cd "$(dirname "$0")/.."
repository=$(cd "$1" && pwd)
DRYDOCK_TEST_REPOSITORY=$repository "${2:-build/dev}/tests/compat_test" --gtest_filter=History.a_given_one
