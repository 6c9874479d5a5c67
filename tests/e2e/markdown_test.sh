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
finish
