#!/bin/sh
# The permission mode that an observer is armed under (CC-4): the one the agent's own stream tells, else that
# of its settings; the pairing keeps it for its life.
set -eu
. "$(dirname "$0")/lib.sh"

mkdir "$work/observers"
cat >"$work/observers/talker.lua" <<'LUA'
-- perilune-api: 1
return { name = "talker", description = "d", on = "turn_end", observe = function() end }
LUA
settings=$HOME/.claude/settings.json
mkdir -p "$HOME/.claude"
echo '{}' >"$settings"

# armed DIALECT: feeds standard input to a live host; the pairings of the observer are in $work/armed.
armed() {
  cat >"$work/in.jsonl"
  try "$perilune" run --json --dialect "$1" --observers "$work/observers" \
    --state "$work/state" "$work/in.jsonl"
  grep '"record":"pairing"' "$work/out" | grep '"observer":"talker"' >"$work/armed" || true
}
under() { grep -q "\"agent\":\"$1\".*\"state\":\"$2\".*\"mode\":\"$3\"" "$work/armed"; }
runs() { grep '"record":"run"' "$work/out" | grep -c '"observer":"talker"' || true; }

row() { printf '{"type":"%s","sessionId":"%s","uuid":"%s","timestamp":"2026-11-30T10:00:00.000Z",%s}\n' "$1" "$session" "$2" "$3"; }
asked() { row user "$1" "\"permissionMode\":\"$2\",\"message\":{\"role\":\"user\",\"content\":\"go\"}"; }
answered() { row assistant "$1" "\"message\":{\"id\":\"$1\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"done\"}],\"stop_reason\":\"end_turn\"}"; }

session=a
{
  printf '{"type":"agent-setting","agentSetting":"worker","sessionId":"a"}\n'
  asked u1 acceptEdits
  answered m1
  asked u2 dontAsk
  answered m2
} | armed claude-transcript
check "CC-4 a transcript's permissionMode is the arming mode" under main armed acceptEdits
check "CC-4 a later mode is not: the pairing keeps its own" [ "$(runs)" -eq 2 ]

session=b
{
  printf '{"type":"permission-mode","permissionMode":"dontAsk","sessionId":"b"}\n'
  row user u1 '"message":{"role":"user","content":"go"}'
  answered m1
} | armed claude-transcript
check "CC-4 a permission-mode row counts as well: dontAsk without an allow rule denies" under main denied dontAsk

hook() { printf '{"session_id":"%s","cwd":"/w","hook_event_name":"%s"%s}\n' "$session" "$1" "$2"; }
echo '{"permissions":{"defaultMode":"dontAsk"}}' >"$settings"
session=c
{
  hook SessionStart ',"source":"startup"'
  hook UserPromptSubmit ',"permission_mode":"default","prompt":"go"'
  hook Stop ',"permission_mode":"default","last_assistant_message":"done","stop_hook_active":false'
} | armed claude-hooks
check "CC-4 the mode of a hook's input goes before that of the settings" under main armed default

session=d
{
  hook SessionStart ',"source":"startup"'
  hook UserPromptSubmit ',"prompt":"go"'
} | armed claude-hooks
check "CC-4 a stream that tells none: the settings' mode" under main denied dontAsk
echo '{}' >"$settings"

session=e
{
  hook UserPromptSubmit ',"permission_mode":"plan","prompt":"go"'
  hook SubagentStart ',"agent_id":"t1","agent_type":"helper"'
  hook PreToolUse ',"agent_id":"t1","agent_type":"helper","tool_name":"Read","tool_input":{},"tool_use_id":"u"'
} | armed claude-hooks
check "CC-4 a subagent whose records tell none works in the mode of main" under t1 armed plan

{
  printf '{"type":"system","subtype":"init","session_id":"f","uuid":"u","cwd":"/w","permissionMode":"acceptEdits","tools":[]}\n'
  printf '{"type":"assistant","session_id":"f","uuid":"v","parent_tool_use_id":null,"message":{"id":"m","role":"assistant","content":[{"type":"text","text":"hi"}]}}\n'
} | armed claude-stream
check "CC-4 the stream's init tells it" under main armed acceptEdits

printf '{"session_id":"g","model":"m","turn_id":"t","permission_mode":"bypassPermissions","hook_event_name":"UserPromptSubmit","prompt":"go"}\n' >"$work/g"
armed codex-hooks <"$work/g"
check "CC-4 Codex's hooks tell it" under main armed bypassPermissions
armed codex-hooks <"$work/g"
check "CC-4 on resume bypassPermissions is lowered to default" under main armed default
finish
