#!/bin/sh
# PI-13 without a model: notes and skills in folders of Markdown files are read at load, and the
# observers that recall them speak in a replay. A note that cannot be read is left out alone.
set -eu
. "$(dirname "$0")/lib.sh"

mkdir -p "$work/memory" "$work/skills/pdf-forms" "$XDG_CONFIG_HOME/perilune/memory"
printf '%s\n' '---' 'description: The staging postgres listens on port 5544' '---' 'Ask ops.' \
  >"$work/memory/postgres-port.md"
echo 'Releases are signed with the maintainer yubikey.' >"$work/memory/signing.md"
printf '%s\n' '---' 'description: [broken' '---' 'x' >"$work/memory/broken.md"
printf '%s\n' '---' 'name: pdf-forms' 'description: Fill and flatten PDF forms' '---' 'How.' \
  >"$work/skills/pdf-forms/SKILL.md"
cat >"$work/config.yaml" <<YAML
recall: { memory: [$work/memory], skills: [$work/skills] }
YAML
cat >"$work/events.jsonl" <<'JSONL'
{"session":"s","kind":"user_message","text":"Fill this PDF form from the staging database"}
{"session":"s","kind":"assistant_text","text":"Connecting to the staging postgres on its default port."}
{"session":"s","kind":"tool_call","name":"Bash","input":{"command":"psql -h staging"},"call_id":"1"}
{"session":"s","kind":"tool_result","name":"Bash","call_id":"1","text":"refused","is_error":true}
{"session":"s","kind":"turn_ended","text":"end_turn"}
JSONL

try "$perilune" replay --json --config "$work/config.yaml" "$work/events.jsonl"
check "a replay with notes exits 0" exits 0
said() { grep '"record":"proposal"' "$work/out" | grep "$1" | grep -q "$2"; }
check "PI-13 memory-recall reminds of a note" said memory-recall 'listens on port 5544'
check "PI-13 skill-recall points to a skill" said skill-recall 'pdf-forms'
try "$perilune" observers
of() { grep "^$1 " "$work/out" | tr -s ' '; }
listed() { of "$1" | grep -q "^$1 builtin $2 model $3 "; }
check "PI-13 memory-recall is bundled, on" listed memory-recall active advise
check "PI-13 skill-recall is bundled, on" listed skill-recall active advise
check "PI-13 goal-tracker is bundled, on, with advice and vetoes" \
  listed goal-tracker active 'advise, veto'
check "PI-13 verification is bundled, and off by default" listed verification off advise

try "$perilune" replay --json --config "$work/config.yaml" "$work/events.jsonl"
check "a note that cannot be read is named, and left out alone" \
  grep -q 'broken.md.*left out' "$work/out" "$work/err"

echo 'The staging postgres listens on port 5544.' >"$XDG_CONFIG_HOME/perilune/memory/port.md"
try "$perilune" replay --json "$work/events.jsonl"
check "the user's own notes are read without being configured" said memory-recall '(port)'

printf '%s\n' 'recall: { memory: [/nonexistent-notes] }' >"$work/config.yaml"
try "$perilune" replay --json --config "$work/config.yaml" "$work/events.jsonl"
check "a configured folder that is missing is named" \
  grep -q 'nonexistent-notes' "$work/out" "$work/err"

rm "$XDG_CONFIG_HOME"/perilune/memory/*
mkdir -p "$work/project/.perilune"
"$perilune" remember --project "$work/project" "The staging postgres listens on port 5544." >"$work/note"
try "$perilune" replay --json --project "$work/project" "$work/events.jsonl"
check "PI-12 what was remembered in a project is recalled there, without being trusted first" \
  said memory-recall 'listens on port 5544'
note=$work/project/$(cat "$work/note")
sed 's/5544/6655/' "$note" >"$work/changed"
cat "$work/changed" >"$note"
try "$perilune" replay --json --project "$work/project" "$work/events.jsonl"
quiet() { ! said memory-recall staging; }
check "C65 a note that was changed since is not" quiet
"$perilune" trust --yes --project "$work/project" >"$work/out"
try "$perilune" replay --json --project "$work/project" "$work/events.jsonl"
check "C65 and is again once that content is trusted" said memory-recall 'listens on port 6655'
finish
