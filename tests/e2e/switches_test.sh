#!/bin/sh
# The switches that keep observers from running (CC-1): environment, config, managed file, and the
# environment that an agent's hooks tell of. Each is named by status, and on run and replay alike none
# can be loosened.
set -eu
. "$(dirname "$0")/lib.sh"

mkdir "$work/observers"
cat >"$work/observers/talker.lua" <<'LUA'
-- perilune-api: 1
return { name = "talker", description = "d", on = "turn_end", can = { "advise" },
  observe = function(turn) return { advise = "a finding about the last step", fingerprint = "f" } end }
LUA
printf '%s\n' '{"session":"s","kind":"user_message","text":"go"}' \
  '{"session":"s","kind":"assistant_text","text":"gone"}' \
  '{"session":"s","kind":"turn_ended","reason":"completed"}' >"$work/events.jsonl"
ran() { [ "$(grep -c '"record":"run".*"observer":"talker"' "$work/out" || true)" -eq "$1" ]; }
live() { try "$perilune" run --json --dialect activity --observers "$work/observers" --state "$work/state" "$@" "$work/events.jsonl"; }
replay() { try "$perilune" replay --json --dialect activity --observers "$work/observers" --state "$work/state" "$@" "$work/events.jsonl"; }
status() { try "$perilune" status --observers "$work/observers" --state "$work/state" "$@"; }

live
check "without a switch it runs" ran 1

for value in 1 TRUE Yes on; do
  PERILUNE_RESTRICTED=$value live
  check "CC-1 PERILUNE_RESTRICTED=$value keeps it from running" ran 0
done
for value in 0 False NO off ''; do
  PERILUNE_OBSERVERS=$value live
  check "CC-1 PERILUNE_OBSERVERS='$value' keeps it from running" ran 0
  PERILUNE_RESTRICTED=$value replay
  check "CC-1 PERILUNE_RESTRICTED='$value' does not" ran 1
done
for name in PERILUNE_OBSERVERS PERILUNE_RESTRICTED; do
  for verb in live replay status; do
    status=0
    eval "$name=maybe $verb"
    check "CC-1 $name=maybe is an error that names the variable ($verb)" refuses "$name"
  done
done
PERILUNE_OBSERVERS=0 status
check "CC-1 status names PERILUNE_OBSERVERS" grep -qx 'observers are off: PERILUNE_OBSERVERS is off in the environment' "$work/out"
check "PI-11 PI-14 and no enabling of one as the way out" sh -c "grep -q 'mend or change what it names' '$work/out' && ! grep -q 'perilune enable' '$work/out'"
PERILUNE_RESTRICTED=1 status
check "CC-1 status names PERILUNE_RESTRICTED" grep -qx 'observers are off: PERILUNE_RESTRICTED is on in the environment' "$work/out"
PERILUNE_RESTRICTED=1 status --json
check "CC-1 and so does its JSON" grep -q '"switchedOff":"PERILUNE_RESTRICTED is on in the environment"' "$work/out"

said_off() { [ "$(grep -c '^perilune: observers are off: ' "$work/err")" -eq 1 ] && grep -qF "off: $1" "$work/err"; }
for verb in live replay; do
  PERILUNE_OBSERVERS=0 $verb
  check "CC-1 one line says that nothing runs, and by which switch ($verb)" said_off 'PERILUNE_OBSERVERS is off'
  PERILUNE_OBSERVERS=0 $verb --no-observers
  check "and none where none is wanted ($verb)" [ ! -s "$work/err" ]
done

# --- the managed file

printf 'observers_enabled: false\n' >"$work/managed.yaml"
printf 'observers: { enabled: true, talker: { enabled: true } }\n' >"$work/config.yaml"
for verb in live replay; do
  $verb --managed "$work/managed.yaml" --config "$work/config.yaml"
  check "CC-1 the managed switch is over every config ($verb)" ran 0
done
status --managed "$work/managed.yaml"
check "CC-1 status names the managed file" grep -qxF "observers are off: the managed file switches observers off: $work/managed.yaml" "$work/out"
printf 'observers_enabled: true\nobservers: { enabled: true }\nlimits: { advisories_per_turn: 10 }\n' >"$work/loose.yaml"
printf 'observers: { disable: [talker] }\n' >"$work/config.yaml"
live --managed "$work/loose.yaml" --config "$work/config.yaml"
check "CC-1 a managed file loosens nothing" ran 0
check "and that it would have is said" grep -q 'loose.yaml.*limits.advisories_per_turn' "$work/err"
printf 'observers_enabled: perhaps\n' >"$work/wrong.yaml"
live --managed "$work/wrong.yaml"
check "CC-1 a managed file with a mistake switches everything off" ran 0
check "CC-1 and names file, line and key" grep -q 'wrong.yaml:1:[0-9]*: error.*observers_enabled' "$work/err"
status --managed "$work/wrong.yaml"
check "CC-1 status says so" grep -qxF "observers are off: the managed file has a mistake: $work/wrong.yaml" "$work/out"
live --managed "$work/none.yaml"
check "a managed file that is not there is said" grep -q none.yaml "$work/err"

try "$perilune" observers --observers "$work/observers" --managed "$work/managed.yaml"
check "CC-1 observers tells what a managed file does" \
  sh -c "grep -qF 'the managed file switches observers off:' '$work/out' && grep -qF ' $work/managed.yaml' '$work/out'"

# --- the config

printf 'observers: { enabled: false }\n' >"$work/config.yaml"
live --config "$work/config.yaml"
check "CC-1 the config's switch keeps it from running" ran 0
check "CC-1 and file and line are named" said_off "observers.enabled is false in $work/config.yaml:1"
names=$("$perilune" observers --observers "$work/observers" --json | sed -n 's/.*"name":"\([^"]*\)".*"state":"active".*/\1/p' | paste -sd,)
printf 'observers: { disable: [%s] }\n' "$names" >"$work/each.yaml"
live --config "$work/each.yaml"
check "CC-1 where each is off by itself, that is said" said_off 'each by itself'
status --config "$work/config.yaml"
check "CC-1 and status names it at the observer" grep -qF "observers.enabled is false in" "$work/out"

# --- the env block of the agent's settings, as its hooks tell it

hook() { printf '{"t":%s,"ev":"%s","payload":{"session_id":"%s","cwd":"/x","hook_event_name":"%s",%s},"env":{"CLAUDE_PROJECT_DIR":"/x"%s}}\n' "$1" "$2" "$3" "$2" "$4" "$5"; }
hooks() {
  {
    hook 1796044722000 UserPromptSubmit "$1" '"prompt":"go"' "$2"
    hook 1796044723000 Stop "$1" '"stop_hook_active":false,"last_assistant_message":"gone"' "$2"
  } >"$work/hooks.jsonl"
  try "$perilune" run --json --dialect claude-hooks --observers "$work/observers" --state "$work/state" "$work/hooks.jsonl"
}
hooks h1 ''
check "a session without switches in its environment is observed" ran 1
hooks h2 ',"PERILUNE_OBSERVERS":"off"'
check "CC-1 PERILUNE_OBSERVERS of the agent's environment keeps its session from being observed" ran 0
check "CC-1 and is named" grep -q "session h2 is not observed: PERILUNE_OBSERVERS is off in the agent's environment" "$work/err"
status
check "CC-1 also by status" grep -q "off      session h2: PERILUNE_OBSERVERS is off in the agent's environment" "$work/out"
hooks h3 ',"PERILUNE_RESTRICTED":"Yes"'
check "CC-1 and so does PERILUNE_RESTRICTED" ran 0
hooks h4 ',"PERILUNE_OBSERVERS":"sometimes"'
check "CC-1 a value that is neither keeps it off" ran 0
check "CC-1 and the variable is named" grep -q "PERILUNE_OBSERVERS is neither true nor false in the agent's environment" "$work/err"
hooks h5 ',"PERILUNE_OBSERVERS":"1","PERILUNE_RESTRICTED":""'
check "values that allow it allow it" ran 1
finish
