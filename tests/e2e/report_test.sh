#!/bin/sh
# Reports of observers (CC-9) on their way through the whole program: whom each is for, which are refused
# and why. One session with a main conversation and two tasks; the observer reports after every step, and
# once more when its agent has settled.
set -eu
. "$(dirname "$0")/lib.sh"

mkdir "$work/observers"
cat >"$work/observers/reporter.lua" <<'LUA'
-- perilune-api: 1
return { name = "reporter", description = "d", on = { "turn_end", "agent_settled" }, can = { "report" },
  observe = function(turn, ctx)
    ctx.state.n = (ctx.state.n or 0) + 1
    local text = { "parser leaks a handle", "retry loop never ends", "config key is misspelt", "tests skip the error path" }
    return { report = ("%s (report %d, %s)"):format(text[ctx.state.n], ctx.state.n, turn.agent),
      fingerprint = turn.agent .. ctx.state.n }
  end }
LUA
printf 'observers: { disable: [claim-check, goal-hold, loop-guard, idle-spin] }\n' >"$work/config.yaml"

host() {
  "$perilune" run --json --dialect activity --config "$work/config.yaml" --observers "$work/observers" \
    --state "$work/state" --sink "$work/sink" -
}
event() { printf '{"session":"s","agent":"%s","kind":"%s","text":"%s","call_id":"%s","name":"%s","input":{}}' "$1" "$2" "$3" "$3" "$3"; }

# One step that does not end its turn, and one that does.
works() { say "$(event "$1" user_message go)" "$(event "$1" tool_call look)" "$(event "$1" tool_result look)" "$(event "$1" assistant_text on)"; }
ends() { say "{\"session\":\"s\",\"agent\":\"$1\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}"; }

handed() { grep '"observer":"reporter"' "$work/sink" | grep "\"agent\":\"$1\"" | grep -c "\"lane\":\"$2\"" || true; }
refused() { grep '"record":"run"' "$work/out" | grep "\"agent\":\"$1\"" | grep -c "$2" || true; }

: >"$work/sink"
live_start host
works main
settled
check "CC-9 a report about main, while it works: to main, lane steer" [ "$(handed main steer)" -eq 1 ]
works t1
settled
check "CC-9 a report about a running task: to that task" [ "$(handed t1 steer)" -eq 1 ]
ends t1
settled
check "CC-9 a report about a finished task is refused" [ "$(refused t1 'the observed agent is not running')" -ge 1 ]
check "CC-9 and goes to nobody" [ "$(grep -c '"agent":"t1"' "$work/sink")" -eq 1 ]
ends main
settled
check "CC-9 a report about main, once it is idle: with the next prompt" [ "$(handed main prompt)" -ge 1 ]
check "CC-9 every report is framed as no words of the user" [ "$(grep -c '"observer":"reporter"' "$work/sink")" -eq "$(grep -c 'observer-note' "$work/sink")" ]
"$perilune" stop reporter --state "$work/state" >"$work/stopped" 2>&1
before=$(wc -l <"$work/sink")
works t2
settled
check "CC-9 nothing of an observer that the user has stopped, nor of a task that begins later" [ "$(wc -l <"$work/sink")" -eq "$before" ]
live_end
finish
