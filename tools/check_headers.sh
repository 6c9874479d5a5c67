#!/bin/sh
# The promise of include/perilune: each header compiles alone as C11 and as C++17 without a
# warning, and each example in a @code block compiles as a program of its own.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only -Iinclude"
examples=0

# A caller's own file, so that what only a main file may hold (#pragma once, unused statics)
# raises no warning of its own.
for header in include/perilune/*.h; do
  name=perilune/$(basename "$header")
  printf '#include <%s>\n#include <%s>\n' "$name" "$name" >"$work/alone.c"
  cp "$work/alone.c" "$work/alone.cpp"
  # shellcheck disable=SC2086
  gcc -std=c11 $strict "$work/alone.c"
  # shellcheck disable=SC2086
  g++ -std=c++17 $strict "$work/alone.cpp"

  # Every @code block becomes a file of its own, its comment marks removed.
  awk -v base="$work/$(basename "$header" .h)" '
    /@endcode/ { inside = 0 }
    inside { sub(/^ *\/\/\/ ?/, ""); print > file }
    /@code/ { inside = 1; file = base "_" ++count ".example.c" }' "$header"
done

for example in "$work"/*.example.c; do
  [ -f "$example" ] || continue
  # shellcheck disable=SC2086
  gcc -std=c11 $strict "$example"
  examples=$((examples + 1))
done
echo "$examples examples compile"
[ "$examples" -gt 0 ]
