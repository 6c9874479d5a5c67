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

# What was no proposal has an id too, and an end that can be told.
id_of() { grep "\"record\":\"$1\"" "$work/records" | grep -F "\"state\":\"$2\"" | sed -n '1s/.*"id":"\([^"]*\)".*/\1/p'; }
try "$perilune" replay --json --config "$demo/config.yaml" "$demo"
cp "$work/out" "$work/records"
told() { # KIND STATE WORDS
  id=$(id_of "$1" "$2")
  try "$perilune" explain "${id:-none}"
  check "PE-5 a $1 that is $2 is explained" exits 0
  check "PE-5 with what that means" says "$3"
}
told run silent 'nothing that it speaks of was there'
told run skipped 'Its wake() saw no reason to run it'
told pairing armed 'It was shown what the agent did from then on.'
check "PE-5 a pairing with all that became of it" says 'Its agent had ended. ('
mkdir "$work/failing"
cat >"$work/failing/broken.lua" <<'LUA'
-- perilune-api: 1
return { name = "broken", description = "d", on = "turn_end", observe = function() error("no such luck") end }
LUA
try "$perilune" replay --json --observers "$work/failing" --config "$demo/config.yaml" "$demo"
cp "$work/out" "$work/records"
told run failed 'no such luck'
check "PE-5 and what three of them do" says 'Three failures in a row disable it'
# Each reason of `default`, as the guide lists them, is explained in a sentence.
sed -n 's/^| [a-z]* | `\([^.`][^`]*\)` |.*/\1/p' "$root/docs/guide/policies.md" >"$work/reasons"
check "the guide lists the reasons" [ "$(wc -l <"$work/reasons")" -gt 15 ]
unexplained() {
  while read -r reason; do
    grep -qF "{\"$reason\"," "$root/cli/reasons.c" || echo "$reason"
  done <"$work/reasons"
}
check "PE-5 each of them has a meaning" [ -z "$(unexplained)" ]

try "$perilune" explain nosuchid
check "explain of an unknown id exits 1" exits 1
check "explain of an unknown id names it" grep -q nosuchid "$work/err"
finish
