#!/bin/sh
# `capture`: a slice of a session becomes a scene, of which observers say what they say of the session.
set -eu
. "$(dirname "$0")/lib.sh"

verdicts() { luajit "$root/tests/e2e/capture_verdicts.lua" "$1" "$2" | grep -q ", $3 of them spoke, 0 differ"; }
says() { grep -qF -- "$1" "$work/out"; }
complains() { grep -qF -- "$1" "$work/err"; }
line() { printf '{"session":"%s","kind":"%s",%s}\n' "$1" "$2" "$3"; }

"$perilune" replay --json --config "$demo/config.yaml" "$demo" >"$work/records"
try "$perilune" capture --config "$demo/config.yaml" "$demo"
check "a whole session becomes a scene" exits 0
cp "$work/out" "$work/scene.lua"
check "shipped observers say of it what they say of the session" verdicts "$work/scene.lua" "$work/records" 4

try "$perilune" capture --config "$demo/config.yaml" --steps 3-9 "$demo"
cp "$work/out" "$work/slice.lua"
cat >"$work/slice_spec.lua" <<END
local testing = require("perilune.testing")
it("hears of the loop", function()
    local said = testing.replay(testing.load("$root/observers/loop-guard.lua"), testing.load("slice.lua"))
    assert.equal(9, said[1].step)
end)
END
check "a slice begins with its turn" grep -q '^-- 9 steps' "$work/slice.lua"
try "$perilune" test "$work/slice_spec.lua"
check "a spec reads it with testing.load" exits 0
config=$XDG_CONFIG_HOME/perilune
mkdir -p "$config/observers"
cp "$work/slice.lua" "$config/observers/slice_scene.lua"
try "$perilune" observers
check "a scene beside an observer is taken for none" sh -c "! grep -q slice '$work/out' '$work/err'"
try "$perilune" check
check "nor does check look at it" sh -c "! grep -q slice '$work/out' '$work/err'"
rm "$config/observers/slice_scene.lua"

key=$(printf 'sk-ant-api03-%s' "$(printf 'Ab3dEf7h%.0s' 1 2 3 4 5 6)")
{
  line s user_message '"text":"one\n\"two\" \\"'
  line s assistant_text '"text":"a"'
  line s tool_call "\"name\":\"Bash\",\"input\":{\"command\":\"echo $key\",\"n\":1.5,\"list\":[true,\"x\"]},\"call_id\":\"1\""
  line s tool_call '"name":"Read","input":{},"call_id":"2"'
  line s tool_result "\"call_id\":\"1\",\"text\":\"$key\""
  line s tool_denied '"call_id":"2","reason":"no"'
  line s assistant_text '"text":"b"'
  line s turn_ended '"reason":"end_turn"'
  line s user_message '"text":"again"'
  line s assistant_text '"text":"c"'
} >"$work/one.jsonl"
try "$perilune" capture "$work/one.jsonl"
check "secrets do not get into a scene" [ "$(grep -c 'Ab3dEf7h' "$work/out")" -eq 0 ]
check "texts are quoted" says 'user = "one\n\"two\" \\"'
check "inputs are tables" says '["n"] = 1.5, ["list"] = { true, "x", }'
check "calls of one answer are marked" says '{ call = "Read", input = { }, denied = "no", parallel = true }'
cp "$work/out" "$work/scene.lua"
try luajit -e "local s = dofile('$work/scene.lua'); assert(#s == 6 and s[6].text == 'c')"
check "the scene is Lua" exits 0

line t user_message '"text":"other"' >>"$work/one.jsonl"
line t assistant_text '"text":"d"' >>"$work/one.jsonl"
try "$perilune" capture "$work/one.jsonl"
check "several sessions: one has to be named" refuses "several sessions"
try "$perilune" capture --session t "$work/one.jsonl"
check "a named session is taken alone" says 'user = "other"'
try "$perilune" capture --session t --steps 7 "$work/one.jsonl"
check "a step that is not there is wrong usage, and the last one is told" refuses "there is no step 7; the last one of main is 1"
try "$perilune" capture --session u "$work/one.jsonl"
check "so is a session" refuses "there is no session 'u'"
try "$perilune" capture --session t --agent sub "$work/one.jsonl"
check "and an agent" refuses "there is no agent 'sub'"
try "$perilune" capture --steps 9-3 "$work/one.jsonl"
check "a range that is none is refused" refuses "9-3"
try "$perilune" capture "$work/missing"
check "a recording that is not there is exit 2" exits 2

# Of every format: an observer sees in the scene, loaded in a spec, what it sees in the session.
mkdir "$work/own"
cat >"$work/own/every-step.lua" <<'LUA'
-- perilune-api: 1
return {
    name = "every-step", description = "Tells what it sees.", on = "turn_end",
    observe = function(turn)
        local names = {}
        for i, call in ipairs(turn.calls()) do names[i] = call.name end
        local seen = ("turn %d: %s: %s."):format(turn.turn, (turn.last_user or "-"):sub(1, 20), table.concat(names, " "))
        return { advise = "step " .. turn.step .. ", " .. seen:gsub("[^%w:,. ]", ""), fingerprint = seen }
    end,
}
LUA
cat >"$work/seen.lua" <<'LUA'
local testing = require("perilune.testing")
local observer, scene = dofile(arg[1]), dofile(arg[2])
for _, said in ipairs(testing.replay(observer, scene)) do print(said.text) end
LUA
same_of() { # RECORDING
  "$perilune" capture "$1" >"$work/scene.lua" || return 1
  "$perilune" replay --json --observers "$work/own" "$1" | sed -n \
    's/^{"record":"proposal".*"agent":"main".*"text":"\(step .*\)","fingerprint".*/\1/p' >"$work/session"
  LUA_PATH="$root/lua/?.lua;;" luajit "$work/seen.lua" "$work/own/every-step.lua" "$work/scene.lua" >"$work/out"
  [ -s "$work/session" ] && cmp "$work/session" "$work/out"
}
for recording in claude-code-2.1.332/hk_332/transcript/*.jsonl claude-code-2.1.332/hk_332/hooks.jsonl \
  claude-code-2.1.332/hk_332/stream-json.jsonl codex-0.171.0/codex1/exec-json.jsonl \
  codex-0.171.0/codex1/rollout.jsonl codex-0.171.0/codexh/hooks.jsonl gemini-cli-0.61.0/session.jsonl \
  gemini-cli-0.61.0/stream-json.jsonl opencode-1.18.33/run-json.jsonl openai-chat/messages.jsonl \
  pi-1.6.0/json.jsonl pi-1.6.0/rpc.jsonl pi-1.6.0/2026-11-30T13-27-25*.jsonl pi-observers-0.1.3/json.jsonl; do
  for file in "$captures"/$recording; do
    check "a scene of ${recording%%.jsonl} shows what the session shows" same_of "$file"
  done
done
finish
