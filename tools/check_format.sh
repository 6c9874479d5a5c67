#!/bin/sh
# Fails on C that clang-format would write differently (.clang-format) and lists file:line of the
# first place in each file.
set -eu
cd "$(dirname "$0")/.."
# A seed of a fuzzer may be called anything.
wrong=$(find core cli exec include tests tools -path tests/fuzz/seeds -prune -o -name '*.[ch]' -print0 |
  xargs -0 clang-format --dry-run 2>&1 |
  sed -n 's/^\([^ ]*:[0-9]*\):[0-9]*: warning.*/\1/p' | sort -u -t : -k 1,1)
[ -z "$wrong" ] || {
  echo "$wrong"
  echo "hint: clang-format -i FILE"
  exit 1
}
