#!/bin/sh
# Ctrl-C ends `run -` as the end of its input does: exit 0, with the summary.
set -eu
. "$(dirname "$0")/lib.sh"

event='{"session":"s","kind":"user_message","text":"hi"}'

# A shell starts background jobs with SIGINT ignored; a terminal does not: env undoes it.
mkfifo "$work/input"
: >"$work/out"
env --default-signal=INT "$perilune" run --json --dialect activity - \
  <"$work/input" >"$work/out" 2>"$work/err" &
pid=$!
exec 3>"$work/input"
echo "$event" >&3
status=0
check "run shows an event before its input ends" await "$work/out" '"record":"observation"'
kill -INT "$pid"
wait "$pid" || status=$?
exec 3>&-
check "Ctrl-C ends a run with exit 0" exits 0
check "Ctrl-C still gives the summary" grep -q '"record":"summary"' "$work/out"
check "what was read before Ctrl-C is whole" luajit "$root/tests/e2e/records.lua" "$work/out"

# --- observers at work

mkdir "$work/observers"
cat >"$work/observers/hanging.lua" <<'LUA'
-- perilune-api: 1
return { name = "hanging", description = "d", on = { "turn_end", "session_end" },
    timeout_ms = 120000, command = { "sh", "-c", "exec sleep 300" } }
LUA
{
  echo "$event"
  echo '{"session":"s","kind":"assistant_text","text":"hello"}'
  echo '{"session":"s","kind":"turn_ended"}'
} >"$work/events"
: >"$work/out"
timeout --foreground "$limit_s" env --default-signal=INT "$perilune" run --json --dialect activity \
  --observers "$work/observers" "$work/events" >"$work/out" 2>"$work/err" &
pid=$!
status=0
check "run over a finished file waits for the observer at work" await "$work/out" '"observer":"hanging","trigger"'
kill -INT "$pid"
wait "$pid" || status=$?
ended() { grep '"record":"run"' "$work/out" | grep '"observer":"hanging"' | grep -c '"state":"abandoned"'; }
check "Ctrl-C ends it long before its observer's deadline, with exit 0" exits 0
check "both runs it had started are recorded as abandoned" [ "$(ended)" -eq 2 ]
check "with the summary behind them" sh -c "tail -n 1 '$work/out' | grep -q '\"record\":\"summary\"'"

sed -i 's/exec sleep 300/read -r l; sleep 1; echo/; s/, "session_end"//' "$work/observers/hanging.lua"
try "$perilune" run --json --dialect activity --observers "$work/observers" --state "$work/other" \
  "$work/events"
answered() { grep '"record":"run"' "$work/out" | grep '"observer":"hanging"' | grep -c '"state":"silent"'; }
check "left alone, it ends when its observer has answered" [ "$(answered)" -eq 1 ]
finish
