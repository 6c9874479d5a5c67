#!/bin/sh
# Runs clang-tidy (.clang-tidy) over the library and the command line.
# Usage: check_tidy.sh BUILD_FOLDER JOBS; the folder holds compile_commands.json.
set -eu
cd "$(dirname "$0")/.."
find core cli exec -name '*.c' -print0 |
  xargs -0 -n 1 -P "$2" clang-tidy --quiet -p "$1"
