#!/bin/sh
# What a mistyped command line gets: exit 2 and the nearest thing that exists.
set -eu
. "$(dirname "$0")/lib.sh"

says() { grep -qF -- "$1" "$work/err"; }

printf '{"session":"s","kind":"user_message","text":"hi"}\n' >"$work/events.jsonl"

for verb in run replay digest; do
  try "$perilune" "$verb" --dialect nosuch "$work/events.jsonl"
  check "$verb exits 2 on an unknown dialect" exits 2
  check "$verb names the dialect it does not know" says nosuch
  for known in activity observations claude; do
    check "$verb lists the dialect $known" says "$known"
  done
done

try "$perilune" repaly "$work/events.jsonl"
check "an unknown verb exits 2" exits 2
check "an unknown verb is answered with the nearest" says replay

try "$perilune" replay --jsno "$work/events.jsonl"
check "an unknown flag exits 2" exits 2
check "an unknown flag is answered with the nearest" says --json

try "$perilune" replay
check "a verb without what it needs exits 2" exits 2

# One rule for every verb: a name that nothing has is wrong usage.
"$perilune" replay --quiet "$work/events.jsonl" >/dev/null
while read -r wrong near words; do
  # shellcheck disable=SC2086 # a command line in words
  try "$perilune" $words
  check "an unknown name exits 2, with the nearest: $words" refuses "'$wrong'; did you mean '$near'?"
done <<TEXT
verificaton verification enable verificaton
loop-gaurd loop-guard disable danger-cmd loop-gaurd
loop-gaurd loop-guard promote loop-gaurd
loop-gaurd loop-guard stop loop-gaurd
loop-gaurd loop-guard precision loop-gaurd
loop-gaurd loop-guard log --replay --observer loop-gaurd
loop-gaurd loop-guard digest --observer loop-gaurd $work/events.jsonl
mian main digest --observed mian $work/events.jsonl
TEXT
try "$perilune" run --policy defualt "$work/events.jsonl"
check "so is a policy" sh -c "[ $status -eq 2 ] && grep -q 'did you mean default?' '$work/err'"
try "$perilune" log --replay --session nobody
check "an unknown session exits 2" refuses "there is no session 'nobody'"
check "and nothing was switched" [ ! -e "$XDG_CONFIG_HOME/perilune/switches.yaml" ]

try "$perilune" status --state "$work/fresh"
check "before the first session status says what to do, on one screen" \
  sh -c "grep -q '^nobody watches yet: ' '$work/out' && [ \$(wc -l <'$work/out') -le 20 ]"
check "observers that nothing is known of are told in one breath" grep -q '^claim-check, context-cliff, ' "$work/out"

# What is not there is said in words of its own, with what to do.
try "$perilune" check
check "check without a config of one's own says so" refuses 'you have nothing in'
try "$perilune" test "$work/events.jsonl"
check "a file that is no spec is none" refuses 'no spec: '
try "$perilune" observers --lua "$work/nodir"
check "a folder of Lua that is not there is named" refuses 'nodir: there is no such folder of Lua'
try "$perilune" explain --ledger "$work/none.db" abcd
check "so is a ledger" refuses 'there is no file '
try "$perilune" precision --ledger "$work"
check "and a folder that is taken for one, once" [ "$(wc -l <"$work/err")" -eq 1 ]
try "$perilune" run --config "$work" "$work/events.jsonl"
check "a folder is no config" says 'it is no file'
HOME='' XDG_CONFIG_HOME='' try "$perilune" disable loop-guard
check "without a home it says what to set" refuses 'no place for switches; set HOME'

for files in 5 6 10; do
  try sh -c "ulimit -n $files; exec '$perilune' status"
  check "with $files files it says how many are needed" sh -c "[ $status -eq 3 ] && [ ! -s '$work/out' ] && [ \$(wc -l <'$work/err') -eq 1 ]"
  check "and how to have them" says 'ulimit -n 256'
done

try "$perilune" trust --json
check "trust asks a person, whatever a program wants to read" refuses "--json is for --list"

try "$perilune" run --json --dialect activity "$work/events.jsonl"
check "a right command line exits 0" exits 0
check "a right command line gives no error" [ ! -s "$work/err" ]
finish
