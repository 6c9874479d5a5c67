#!/bin/sh
# goal, remember, enable and disable (PI-12).
set -eu
. "$(dirname "$0")/lib.sh"
project=$work/project
mkdir -p "$project" "$work/outside"
cd "$project"
state() { "$perilune" observers --json 2>/dev/null | grep "\"layer\":\"builtin\",\"name\":\"$1\""; }

try "$perilune" goal Parse all configs --check "make test"
check "PI-12 goal writes .perilune/goal.md" grep -qx 'Parse all configs' .perilune/goal.md
check "PI-12 with its check" grep -qx 'check: make test' .perilune/goal.md
try "$perilune" trust
check "what one wrote oneself is trusted" grep -q 'trusted already' "$work/out"
printf '%s\n' '{"session":"s","kind":"user_message","text":"x"}' \
  '{"session":"s","kind":"tool_call","name":"Edit","call_id":"c","input":{"file_path":"a","old_string":"b","new_string":"c"}}' \
  '{"session":"s","kind":"tool_result","call_id":"c","text":"ok"}' \
  '{"session":"s","kind":"assistant_text","text":"All done."}' \
  '{"session":"s","kind":"turn_ended","reason":"end_turn"}' >"$work/stops.jsonl"
try "$perilune" run "$work/stops.jsonl"
check "an observer judges by it" grep -q 'goal-hold' "$work/out"
try "$perilune" goal --show
check "goal --show prints it" grep -qx 'Parse all configs' "$work/out"
try "$perilune" goal
check "PI-12 an empty goal clears" [ ! -e .perilune/goal.md ]
try "$perilune" goal --show
check "then there is none" exits 1
ln -s "$work/outside/goal" .perilune/goal.md
try "$perilune" goal Something else
check "PI-12 goal never writes through a link" exits 2
check "PI-12 nothing appears behind it" [ ! -e "$work/outside/goal" ]
rm .perilune/goal.md

try "$perilune" remember "Don't use tabs in YAML files. They break it." --type feedback
note=.perilune/memory/dont-use-tabs-in-yaml-files.md
check "PI-12 remember names the note by its first six words" [ -s "$note" ]
check "PI-12 its description is the first sentence" grep -qx "description: \"Don't use tabs in YAML files.\"" "$note"
check "PI-12 and its type is kept" grep -qx 'type: feedback' "$note"
try "$perilune" remember "Don't use tabs in YAML files, ever"
check "PI-12 a taken name gets a number" [ -s .perilune/memory/dont-use-tabs-in-yaml-files-2.md ]
try "$perilune" remember 'Используй пробелы, не табы: "так" & <так>'
check "PI-12 in the file as well: notes are told apart by name" \
  grep -qx 'name: "dont-use-tabs-in-yaml-files-2"' .perilune/memory/dont-use-tabs-in-yaml-files-2.md
check "PI-12 any script" [ -s .perilune/memory/Используй-пробелы-не-табы-так-так.md ]
try "$perilune" trust
check "notes one wrote are trusted" grep -q 'trusted already' "$work/out"
mv .perilune/memory "$work/outside/memory"
ln -s "$work/outside/memory" .perilune/memory
before=$(ls "$work/outside/memory")
try "$perilune" remember another note entirely
check "PI-12 remember never writes through a link" exits 2
check "PI-12 nothing was added behind it" [ "$before" = "$(ls "$work/outside/memory")" ]
try "$perilune" remember ''
check "an empty note is refused" exits 2
rm -r .perilune

mkdir -p "$XDG_CONFIG_HOME/perilune"
printf '# mine\nobservers: { disable: [idle-spin] } # keep\n' >"$XDG_CONFIG_HOME/perilune/config.yaml"
cp "$XDG_CONFIG_HOME/perilune/config.yaml" "$work/config.before"
try "$perilune" disable loop-guard
check "PI-12 disable switches off" grep -qx 'loop-guard is off' "$work/out"
check "and it is listed so" grep -q '"state":"off"' <<TEXT
$(state loop-guard)
TEXT
try "$perilune" observers
check "and the file that says so is named" grep -q "/perilune/switches.yaml:3$" "$work/out"
try "$perilune" enable loop-guard verification
check "PI-12 enable switches on" grep -qx 'verification is on' "$work/out"
try "$perilune" enable idle-spin
check "what config.yaml disables stays off, and enable says so" grep -qx "idle-spin is still off: disabled in $XDG_CONFIG_HOME/perilune/config.yaml:2" "$work/out"
check "with exit 1" exits 1
check "config.yaml is not touched" cmp "$work/config.before" "$XDG_CONFIG_HOME/perilune/config.yaml"
try "$perilune" disable loop-gard
check "an unknown name is wrong usage, with the nearest one" refuses "did you mean 'loop-guard'"
PERILUNE_OBSERVERS=off try "$perilune" observers
check "CC-1 the switch that is off is named" grep -q 'PERILUNE_OBSERVERS is off' "$work/out"
PERILUNE_OBSERVERS=often try "$perilune" run "$work/stops.jsonl"
check "CC-1 a switch that is neither is an error" refuses PERILUNE_OBSERVERS
finish
