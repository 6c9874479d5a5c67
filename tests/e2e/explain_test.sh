#!/bin/sh
# `explain` for a delivered, a deferred and a dropped proposal of the demo (PE-5).
set -eu
. "$(dirname "$0")/lib.sh"

try "$perilune" replay --json --config "$demo/config.yaml" "$demo"
check "the demo replays" exits 0
grep '"record":"decision"' "$work/out" >"$work/decisions" || true

field() { printf '%s\n' "$decision" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
# Prose is wrapped: a text counts as said wherever its lines break.
says() { [ -n "$1" ] && tr -s ' \n' '  ' <"$work/out" | grep -qF -- "$1"; }

# explains VERDICT WORDS
explains() {
  decision=$(grep -E "\"(verdict|state)\":\"$1\"" "$work/decisions" | sed 1q)
  check "the demo has a proposal with verdict $1" [ -n "$decision" ]
  id=$(field id)
  try "$perilune" explain "${id:-none}"
  check "PE-5 explain exits 0 for verdict $1" exits 0
  check "PE-5 explain says what became of it: $1" says "$2"
  check "PE-5 explain gives the reason for verdict $1" says "$(field reason)"
  check "PE-5 explain names the observer behind verdict $1" says "$(field observer)"
}

explains deliver "let it through"
explains defer "put it off"
explains drop "dropped it"

try "$perilune" explain nosuchid
check "explain of an unknown id exits 1" exits 1
check "explain of an unknown id names it" grep -q nosuchid "$work/err"
finish
