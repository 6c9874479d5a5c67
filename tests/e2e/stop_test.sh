#!/bin/sh
# The agent's stop, live: a hook waits there for an answer, so the last step's observers speak at the Stop
# itself, not with the event behind it. Once the stop is let through it is too late.
set -eu
. "$(dirname "$0")/lib.sh"

mkdir "$work/observers"
cat >"$work/observers/holder.lua" <<'LUA'
-- perilune-api: 1
return { name = "holder", description = "d", on = { "turn_end", "agent_settled", "session_end" }, can = { "veto" },
  observe = function(turn, ctx)
    if not turn.ending then return nil end
    ctx.state.n = (ctx.state.n or 0) + 1
    local why = { "the tests were not run", "README still names the old flag", "one of three files is unchanged" }
    if not why[ctx.state.n] then return nil end
    return { veto = why[ctx.state.n], fingerprint = "tests" .. ctx.state.n }
  end }
LUA
host() {
  "$perilune" run --json --dialect "$1" --observers "$work/observers" --state "$work/state" --sink "$work/sink" -
}
held() { grep -c '"lane":"hold".*"observer":"holder"' "$work/sink" || true; }
judged() { grep '"record":"decision"' "$work/out" | grep -c '"observer":"holder"' || true; }
runs_at() { grep '"record":"run"' "$work/out" | grep '"observer":"holder"' | grep -c "\"trigger\":\"$1\"" || true; }

# event NAME MEMBERS: one hook's input, as Claude Code writes it; Codex adds a model.
event() {
  say "{\"session_id\":\"s\",\"cwd\":\"/w\",\"permission_mode\":\"default\"${extra},\"hook_event_name\":\"$1\"$2}"
}

for client in claude codex; do
  extra=
  [ "$client" = claude ] || extra=',"model":"m","turn_id":"t"'
  : >"$work/sink"
  rm -rf "$work/state"
  live_start host "$client-hooks"
  event UserPromptSubmit ',"prompt":"mend it"'
  event PreToolUse ',"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"u1"'
  event PostToolUse ',"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"u1","tool_response":{"stdout":"a"}'
  event Stop ',"stop_hook_active":false,"last_assistant_message":"All done."'
  settled
  check "$client: a veto of the last step is handed over at the Stop, before any other event" [ "$(held)" -eq 1 ]
  check "$client: the turn is not over by that" [ "$(runs_at agent_settled)" -eq 0 ]
  steps=$(runs_at turn_end)
  event PreToolUse ',"tool_name":"Bash","tool_input":{"command":"make test"},"tool_use_id":"u2"'
  event PostToolUse ',"tool_name":"Bash","tool_input":{"command":"make test"},"tool_use_id":"u2","tool_response":{"stdout":"ok"}'
  event Stop ',"stop_hook_active":true,"last_assistant_message":"Now all done."'
  settled
  check "$client: the agent goes on, and its next stop is judged at once too" [ "$(judged)" -eq 2 ]
  more=$(runs_at turn_end)
  event UserPromptSubmit ',"prompt":"thanks"'
  settled
  check "$client: the stop that was let through settles the turn" [ "$(runs_at agent_settled)" -eq 1 ]
  check "$client: and ends no step twice" [ "$(runs_at turn_end)" -eq "$more" ]
  check "$client: the held one ended one" [ "$more" -gt "$steps" ]
  check "$client: a veto from there comes too late" grep -q '"record":"decision".*"observer":"holder".*"reason":"too late' "$work/out"
  check "$client: and holds nothing" [ "$(held)" -eq 1 ]
  event Stop ',"stop_hook_active":false,"last_assistant_message":"You are welcome."'
  event SessionEnd ',"reason":"logout"'
  settled
  check "$client: leaving the session settles its turn" [ "$(runs_at agent_settled)" -eq 2 ]
  check "$client: and session_end fires (contracts.md 1)" [ "$(runs_at session_end)" -eq 1 ]
  event UserPromptSubmit ',"prompt":"one more thing"'
  event Stop ',"stop_hook_active":false,"last_assistant_message":"Done."'
  event SessionEnd ',"reason":"logout"'
  settled
  check "$client: a session that is resumed is observed on" [ "$(runs_at agent_settled)" -eq 3 ]
  check "$client: and may be left again" [ "$(runs_at session_end)" -eq 2 ]
  live_end
  check "$client: whose end is told once" [ "$(runs_at session_end)" -eq 2 ]
done
finish
