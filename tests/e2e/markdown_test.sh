#!/bin/sh
# Markdown observers without a model (PI-1): listed and counted, never run, no strike; a wake in
# Lua beside one counts the calls it spares. C63: a bad file is refused alone.
set -eu
. "$(dirname "$0")/lib.sh"

own=$XDG_CONFIG_HOME/perilune/observers
mkdir -p "$own"
header() { printf '%s\n' '---' "name: $1" 'description: Reviews.' 'on: turn_end' '---' 'Look.'; }
header reviewer >"$own/reviewer.md"
header sleeper >"$own/sleeper.md"
echo '-- perilune-api: 1
return { wake = function(turn) return turn.ending end }' >"$own/sleeper.lua"
cp "$root/tests/fault/definitions/C63.bad.md" "$own/bad.md"

try "$perilune" replay --json "$demo"
check "PI-1 a replay with Markdown observers and no model exits 0" exits 0
records() { grep "\"record\":\"$1\"" "$work/out" | grep "\"observer\":\"$2\""; }
none() { ! records "$@" | grep -q .; }
check "it is armed" records pairing reviewer
check "it costs neither a run nor a digest" none run reviewer
check "no digest is made for it" none digest reviewer
states() { records run "$1" | sed 's/.*"state":"\([^"]*\)".*/\1/' | sort -u | tr '\n' ' '; }
check "PE-1 its wake spares what it can" [ "$(states sleeper)" = "no-runtime skipped " ]
check "C63 a bad file is named with its line" grep -q 'bad.md:3' "$work/out" "$work/err"
check "C63 and is not armed" none pairing bad
try "$perilune" run --quiet "$demo"
try "$perilune" status
check "status says what skipped its runs" grep -q 'skipped by its own wake()' "$work/out"

# --- isolation, and a project's

header apart | sed 's/^on:/isolation: worker\non:/' >"$own/apart.md"
try "$perilune" check "$own/apart.md"
check "PI-1 isolation without Lua beside it is an error with its line" grep -q 'apart.md:4:.*no-lua' "$work/out"
cp "$own/sleeper.lua" "$own/apart.lua"
try "$perilune" check "$own/apart.md"
check "with Lua beside it, it is valid" exits 0
try "$perilune" replay --json "$demo"
check "its wake spares in a worker what the same wake spares in process" \
  [ "$(states apart)" = "$(states sleeper)" ]
rm "$own"/*

project=$work/project/.perilune/observers
mkdir -p "$project"
header sleeper >"$project/sleeper.md"
echo '-- perilune-api: 1
return { wake = function(turn) return turn.ending end }' >"$project/sleeper.lua"
again() { try "$perilune" replay --json --project "$work/project" "$demo"; }
trust() { try "$perilune" trust --yes --project "$work/project" "$@"; }
trust "$project/sleeper.md"
again
check "C65 a Markdown observer waits for the Lua beside it to be trusted" none pairing sleeper
trust
check "trust shows what that Lua is for" grep -q 'wake .*decides whether the model is asked' "$work/out"
again
check "PE-1 the wake of a project's Markdown observer spares what it can" \
  [ "$(states sleeper)" = "no-runtime skipped " ]
echo '-- more' >>"$project/sleeper.lua"
again
check "C65 and no more once the Lua has changed" none pairing sleeper
echo 'local t = {}
t.wake = function() return true end
return t' >"$project/sleeper.lua"
trust
again
check "C65 a project's Lua that cannot be shown is refused, and the Markdown with it" none pairing sleeper
check "with the reason" grep -q 'sleeper.lua.*ends in .return' "$work/err"

# --- while it runs

mkdir -p "$own"
header looker >"$own/looker.md"
live_start "$perilune" run --json --dialect activity --state "$work/state" -
say '{"session":"s","kind":"user_message","text":"go"}' '{"session":"s","kind":"assistant_text","text":"gone"}' \
  '{"session":"s","kind":"turn_ended","reason":"completed"}' # and no mark: that were an event not shown to it
told() {
  "$perilune" status --state "$work/state" 2>"$work/err" | sed -n '/^looker:/,/^$/p' >"$work/told"
  grep -q 'it was woken 1 time,' "$work/told"
}
check "PI-11 status tells of a host that runs how often it was woken" eventually told
all_told() { told && ! grep -q '^ *lag' "$work/told"; }
check "PI-11 and that nothing waits for it" eventually all_told
live_end
finish
