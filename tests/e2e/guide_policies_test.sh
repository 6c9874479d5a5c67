#!/bin/sh
# docs/guide/policies.md, executed: its policy is checked, decides, passes its own spec, and fails it
# once broken.
set -eu
. "$(dirname "$0")/lib.sh"

block() { # NUMBER: that ```lua block of the guide
  awk -v wanted="$1" '/^```lua$/ { n++; inside = 1; next } /^```$/ { inside = 0 }
    inside && n == wanted' "$root/docs/guide/policies.md"
}
block 1 >"$work/quiet-evenings.lua"
block 2 >"$work/quiet-evenings_spec.lua"
spec() {
  cd "$work"
  try busted --lua=luajit --lpath="$root/lua/?.lua" -o plainTerminal "$work/quiet-evenings_spec.lua"
  cd "$root"
}
says() { grep -qF -- "$1" "$work/out"; }

try "$perilune" check "$work/quiet-evenings.lua"
check "the guide's policy is valid" exits 0
check "it has fifteen lines or a few more" [ "$(wc -l <"$work/quiet-evenings.lua")" -le 18 ]
spec
check "it passes the guide's spec" exits 0

printf '%s\n' '{"at":"2026-03-01T23:30:00Z","proposals":[{"observer":"a","kind":"advisory","text":"The lock is never released.","fingerprint":"f","severity":"nit"}]}' >"$work/lines"
try "$perilune" policy eval --policy "default,$work/quiet-evenings.lua" "$work/lines"
check "behind default it defers a nit at night" says '"verdict":"defer","lane":"steer","reason":"quiet hours"'
try "$perilune" replay --config "$demo/config.yaml" --policy "default,$work/quiet-evenings.lua" \
  --against default "$demo"
check "its backtest runs" exits 0

sed 's/"quiet hours"/"sleepy"/' "$work/quiet-evenings.lua" >"$work/broken"
mv "$work/broken" "$work/quiet-evenings.lua"
spec
check "the guide's spec fails once the policy is broken" exits 1
finish
