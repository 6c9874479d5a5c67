#!/bin/sh
# Observers that an agent's definition names (CC-2): how many, for whom, what they are shown, and whose they
# are where the agent's own program runs them.
set -eu
. "$(dirname "$0")/lib.sh"

agents=$HOME/.claude/agents
mkdir -p "$agents" "$work/observers"
for name in one two three four five; do
  cat >"$work/observers/$name.lua" <<LUA
-- perilune-api: 1
return { name = "$name", description = "d", on = "turn_end", agents = { "nobody" }, can = { "report" },
  observe = function(turn, ctx)
    local seen = {}
    for _, item in ipairs(turn.items) do seen[#seen + 1] = item.kind end
    local call = turn.calls()[1]
    return { report = "$name saw " .. table.concat(seen, " ") .. (call and call.result and ", with its result" or "") }
  end }
LUA
done
agent() { printf -- '---\nname: %s\ndescription: d\n%s\n---\nprompt\n' "$1" "$2" >"$agents/$1.md"; }

# hears DIALECT: a live host on standard input.
hears() {
  cat >"$work/in.jsonl"
  rm -rf "$work/state"
  try "$perilune" run --json --dialect "$1" --observers "$work/observers" --state "$work/state" "$work/in.jsonl"
}
step() { # AGENT
  printf '{"session":"s","agent":"%s","kind":"user_message","text":"go"}\n' "$1"
  printf '{"session":"s","agent":"%s","kind":"tool_call","name":"Read","input":{"a":1},"call_id":"c"}\n' "$1"
  printf '{"session":"s","agent":"%s","kind":"tool_result","text":"RESULT-TEXT","call_id":"c"}\n' "$1"
  printf '{"session":"s","agent":"%s","kind":"turn_ended","reason":"completed"}\n' "$1"
}
pairings() { grep '"record":"pairing"' "$work/out" | grep "\"agent\":\"$1\"" | grep "\"state\":\"${2:-armed}\"" || true; }
armed() { pairings "$1" | sed -n 's/.*"observer":"\(one\|two\|three\|four\|five\|watcher\|second\|worker\)".*/\1/p' | tr '\n' ' '; }
is_armed() { [ "$(armed "$1")" = "$2" ]; }
said() { grep '"record":"proposal"' "$work/out" | grep -qF "$1"; }

# --- how many

agent main 'observer: one, two'
step main | hears activity
check "CC-2 a comma list names several" is_armed main "one two "
agent main 'observer: [two, three, one, four, five]'
step main | hears activity
check "CC-2 a YAML list does; of five the first four, in their order" is_armed main "two three one four "
check "CC-2 and a warning" grep -q "Agent 'main' .*first four" "$work/err"

# --- no chaining, no self-observation, for the main agent too

rm "$agents/main.md"
agent worker 'observer: [watcher, worker]'
agent watcher 'observer: second'
agent second ''
{
  printf '{"type":"agent-setting","agentSetting":"worker","sessionId":"s"}\n'
  printf '{"type":"user","sessionId":"s","uuid":"u","timestamp":"2026-11-30T10:00:00.000Z","message":{"role":"user","content":"go"}}\n'
  printf '{"type":"observer-ref","observerTaskId":"aw","observerAgentType":"watcher","timestamp":"2026-11-30T10:00:01.000Z"}\n'
  printf '{"type":"user","sessionId":"s","agentId":"aw","uuid":"v","timestamp":"2026-11-30T10:00:02.000Z","message":{"role":"user","content":"a digest"}}\n'
} | hears claude-transcript
check "CC-2 the main agent's observer is armed, the agent itself is not its observer" is_armed main "watcher "
check "CC-2 the observer of the main agent is not observed" [ -z "$(pairings aw)" ]
check "CC-2 which is told" grep -q "Agent 'watcher' declares observer 'second'.*no chaining" "$work/err"
check "CC-2 so is the agent that names itself" grep -q "Agent 'worker' declares observer 'worker'.*observes itself" "$work/err"

# --- what they are shown

agent main 'observer: one
observerMessage: MIND THE TESTS'
step main | hears activity
check "CC-2 with results, unless the definition says otherwise" said 'one saw user_message tool_call tool_result turn_ended, with its result'
check "CC-2 observerMessage stands in the digest" sh -c "grep '\"record\":\"digest\"' '$work/out' | grep '\"observer\":\"one\"' | grep -q 'MIND THE TESTS'"
agent main 'observer: one
observeToolResults: false'
step main | hears activity
check "CC-2 observeToolResults: false leaves results out of the turn" said 'one saw user_message tool_call turn_ended"'
check "CC-2 and out of the digest" sh -c "! grep '\"record\":\"digest\"' '$work/out' | grep '\"observer\":\"one\"' | grep -q RESULT-TEXT"

# --- subagents

agent main 'observer: one'
{ step main && step t1; } | hears activity
check "CC-2 a subagent is watched by its coordinator's observers" is_armed t1 "one "
agent main 'observer: one
observeSubagents: false'
{ step main && step t1; } | hears activity
check "CC-2 observeSubagents: false leaves them out" is_armed t1 ""

agent main 'observer: second'
calls() { # AGENT TYPE
  printf '{"session_id":"s","hook_event_name":"PreToolUse","agent_id":"%s","agent_type":"%s","tool_name":"Read","tool_input":{"a":1},"tool_use_id":"%s"}\n' "$1" "$2" "c$1"
}
{
  printf '{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"go"}\n'
  calls t1 second
  calls t2 other
} | hears claude-hooks
check "CC-2 a subagent of the very type that observes its coordinator is not watched by it" is_armed t1 ""
check "CC-2 one of another type is" is_armed t2 "second "

rm "$agents/main.md"
# --- run by the client itself

agent worker 'observer: one'
hook='"session_id":"s","cwd":"/w","agent_type":"worker","hook_event_name":"UserPromptSubmit","prompt":"go"'
printf '{"t":1,"ev":"UserPromptSubmit","payload":{%s},"env":{"CLAUDE_CODE_EXPERIMENTAL_OBSERVER_AGENTS":"1"}}\n' "$hook" | hears claude-hooks
check "CC-1 a session whose own observers are on: not armed a second time" is_armed main ""
check "CC-1 but listed" sh -c "grep '\"record\":\"pairing\"' '$work/out' | grep '\"observer\":\"one\"' | grep -q '\"state\":\"by-client\"'"
printf '{"t":1,"ev":"UserPromptSubmit","payload":{%s},"env":{"CLAUDE_CODE_EXPERIMENTAL_OBSERVER_AGENTS":"0"}}\n' "$hook" | hears claude-hooks
check "CC-1 a session where they are off: armed" is_armed main "one "
printf '{%s}\n' "$hook" >"$work/bare"
export CLAUDE_CODE_EXPERIMENTAL_OBSERVER_AGENTS=true
hears claude-hooks <"$work/bare"
check "CC-1 the hook's own environment says so as well" is_armed main ""
unset CLAUDE_CODE_EXPERIMENTAL_OBSERVER_AGENTS
finish
