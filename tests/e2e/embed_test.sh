#!/bin/sh
# A program out of the tree (PE-11): installs the library into an empty folder, builds
# embedder.c with what pkg-config says, and runs the demo's events through it.
set -eu
. "$(dirname "$0")/lib.sh"

try cmake --install "$build" --prefix "$work/prefix"
check "PE-11 installs into a folder of its own" exits 0

pc=$(find "$work/prefix" -name perilune.pc)
library=$(find "$work/prefix" -name 'libperilune.so' -exec dirname {} \;)
export PKG_CONFIG_PATH="${pc%/*}"
flags=$(pkg-config --cflags --libs perilune)
# shellcheck disable=SC2086 # a list of flags
try cc -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$work/embedder" \
  "$root/tests/e2e/embedder.c" $flags "-Wl,-rpath,$library"
check "PE-11 builds with pkg-config and the public header alone" exits 0

# The program that the guide shows.
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$root/docs/guide/embedding.md" >"$work/watch.c"
# shellcheck disable=SC2086
try cc -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$work/watch" "$work/watch.c" $flags \
  "-Wl,-rpath,$library"
check "PE-11 the guide's program builds" exits 0

only_ours() {
  nm -D --defined-only "$library/libperilune.so" >"$work/names"
  grep -q ' peri_host_new$' "$work/names" && ! grep -v ' peri_' "$work/names"
}
check "PE-11 exports nothing but peri_ names" only_ours

events=$(find "$demo" -name '*.jsonl' | LC_ALL=C sort | sed 1q)
status=0
"$work/embedder" "$demo/config.yaml" <"$events" >"$work/out" 2>"$work/err" || status=$?
check "PE-11 reads the demo's events to their end" exits 0
check "PE-11 hears the observers' deliveries" grep -q ' -> ' "$work/out"
check "the library prints nothing of its own" [ ! -s "$work/err" ]

mkdir -p "$XDG_CONFIG_HOME/perilune"
cp "$demo/config.yaml" "$XDG_CONFIG_HOME/perilune/config.yaml"
status=0
"$work/watch" <"$events" >"$work/out" 2>"$work/err" || status=$?
check "PE-11 the guide's program runs, with the user's config" exits 0
check "PE-11 and says what the observers say" grep -q ' (steer): ' "$work/out"
finish
