#!/bin/sh
# What a restarted host takes up again (CC-6), on a copy of a real session: Claude Code 2.1.332 had the
# agent `worker` watched by `watcher`, as the task ab2eceff24c993822. Each part starts from what one
# host left when it had read the first 40 lines.
set -eu
. "$(dirname "$0")/lib.sh"

session=9c3b429e-c386-445e-baa8-7ae9017c6906
fork=25b28e77-686f-4c94-97df-fb428dbfa5d0
task=ab2eceff24c993822
from=$captures/claude-code-2.1.332/resB_332/transcript
observed=$work/projects/$session.jsonl
kept=$work/projects/$session/subagents/agent-$task

mkdir "$work/observers"
for name in watcher successor; do
  cat >"$work/observers/$name.lua" <<LUA
-- perilune-api: 1
return { name = "$name", description = "d", on = "turn_end", agents = { "nobody" },
  observe = function(turn, ctx) ctx.state.steps = (ctx.state.steps or 0) + 1 end }
LUA
done

# watched_by NAME: from now on the worker's definition names this observer.
watched_by() { printf 'agents: { worker: { observer: %s } }\n' "$1" >"$work/agents.yaml"; }

# host FILE: one host that reads the file to its end.
host() {
  try "$perilune" run --json --config "$work/agents.yaml" --observers "$work/observers" \
    --state "$work/state" "$1"
}

# restart: back to where the first host stopped; the whole session is there now.
restart() {
  rm -rf "$work/state" "$work/projects"
  cp -R "$work/left" "$work/state"
  cp -R "$from" "$work/projects"
  watched_by watcher
}

record() { grep "\"record\":\"$1\"" "$work/out" | grep -F "$2"; }
id_of() { record pairing "\"observer\":\"$1\"" | sed -n 's/.*"id":"\([^"]*\)".*/\1/p' | sort -u; }
runs() { record run "\"observer\":\"$1\"" | wc -l; }
fresh() { [ "$(id_of "$1" | wc -l)" -eq 1 ] && [ "$(id_of "$1")" != "$task" ]; }
notes() { record digest 'Recovery note' | wc -l; }

# --- the first host, and one that simply goes on

cp -R "$from" "$work/projects"
chmod -R u+w "$work/projects"
head -n 40 "$from/$session.jsonl" >"$observed"
watched_by watcher
host "$observed"
check "CC-6 the client's observer-ref names the task that the observer goes on as" record pairing "\"id\":\"$task\",\"observer\":\"watcher\""
check "CC-6 it is shown every step of the 40 lines" [ "$(runs watcher)" -eq 3 ]
cp -R "$work/state" "$work/left"
try "$perilune" run --json --config "$work/agents.yaml" --observers "$work/observers" --state "$work/state" "$observed"
check "read again, it is told why no observer runs" grep -q "made before, on the same ledger; none is repeated" "$work/out"
check "and how many there were" grep -q "\"earlierRuns\":[1-9]" "$work/out"

restart
host "$observed"
check "CC-6 the rest is fed to the same observer" [ "$(id_of watcher)" = "$task" ]
check "CC-6 only the rest" [ "$(runs watcher)" -eq 3 ]
check "CC-6 and without a note" [ "$(notes)" -eq 0 ]

# --- another type

restart
watched_by successor
host "$observed"
check "CC-6 type changed: a fresh id" fresh successor
check "CC-6 type changed: no note" [ "$(notes)" -eq 0 ]
check "CC-6 type changed: the one before is not armed" [ -z "$(id_of watcher)" ]

# --- its transcript gone

restart
rm "$kept.jsonl"
host "$observed"
check "CC-6 transcript gone: a fresh id" fresh watcher
check "CC-6 transcript gone: its first digest begins with the recovery note" record digest '"text":"Recovery note: '
check "CC-6 transcript gone: only the first" [ "$(notes)" -eq 1 ]
first=$(id_of watcher)
host "$observed"
check "CC-6 transcript gone: the next host goes on as the fresh one" [ "$(id_of watcher)" = "$first" ]
check "CC-6 transcript gone: and knows what it knew" [ "$(notes)" -eq 0 ]

# --- a fork

restart
host "$work/projects/$fork.jsonl"
check "CC-6 a fork: a fresh id" fresh watcher
check "CC-6 a fork: no note" [ "$(notes)" -eq 0 ]

# --- several observers, each with a task of its own

restart
watched_by '"watcher, successor"'
mkdir -p "$work/projects/several/subagents"
touch "$work/projects/several/subagents/agent-a1.jsonl" "$work/projects/several/subagents/agent-a2.jsonl"
cat >"$work/projects/several.jsonl" <<'END'
{"type":"agent-setting","agentSetting":"worker","sessionId":"several"}
{"type":"user","sessionId":"several","uuid":"u","timestamp":"2026-11-30T10:00:00.000Z","message":{"role":"user","content":"go"}}
{"type":"observer-ref","observerTaskId":"a2","observerAgentType":"successor","observerTaskIds":{"watcher":"a1","successor":"a2"},"timestamp":"2026-11-30T10:00:01.000Z"}
END
host "$work/projects/several.jsonl"
check "CC-6 of several observers each goes on as its own task" record pairing '"id":"a1","observer":"watcher"'
check "CC-6 the second too" record pairing '"id":"a2","observer":"successor"'

# --- stopped by the user

restart
sed 's/"isObserver": true/"observerStopped": true, &/' "$from/$session/subagents/agent-$task.meta.json" >"$kept.meta.json"
host "$observed"
check "CC-6 the client's tombstone stops the observer" record pairing "\"id\":\"$task\",\"observer\":\"watcher\",\"state\":\"stopped\",\"reason\":\"observerStopped\""
check "CC-6 nothing more is shown to it" [ "$(runs watcher)" -eq 0 ]
cp "$from/$session/subagents/agent-$task.meta.json" "$kept.meta.json"
host "$observed"
check "CC-6 the tombstone survives the restart" [ "$(runs watcher)" -eq 0 ]
check "CC-6 and is told again" record pairing '"state":"stopped","reason":"observerStopped"'

restart
try "$perilune" stop watcher --state "$work/state"
host "$observed"
check "CC-6 perilune stop is such a tombstone too" [ "$(runs watcher)" -eq 0 ]
host "$observed"
check "CC-6 for every host after it" [ "$(runs watcher)" -eq 0 ]

# --- what is stopped takes no task from the recording

restart
try "$perilune" stop watcher --state "$work/state"
touch "$work/projects/$session/subagents/agent-a9.jsonl"
printf '%s\n' '{"type":"observer-ref","observerTaskId":"a9","observerAgentType":"watcher","timestamp":"2026-11-30T23:00:00.000Z"}' >>"$observed"
host "$observed"
host "$observed"
check "CC-6 a stopped observer keeps its task, whatever the observer-ref names" [ "$(id_of watcher)" = "$task" ]
check "CC-6 and stays stopped" [ "$(runs watcher)" -eq 0 ]
finish
