#!/bin/sh
# What is peculiar to the sessions of pi, Gemini CLI, opencode and chat logs; their ordinary
# course is in golden/digests.
set -eu
. "$(dirname "$0")/lib.sh"
status=0

# shown FILE...: the digests of the files, or of what stands on standard input.
shown() {
  status=0
  if [ $# -eq 0 ]; then
    cat >"$work/in.jsonl"
    set -- "$work/in.jsonl"
  fi
  "$perilune" digest "$@" >"$work/out" 2>"$work/err" || status=$?
}

has() { grep -qF -- "$1" "$work/out"; }
lacks() { ! has "$1"; }
occurs() { [ "$(grep -cF -- "$2" "$work/out")" -eq "$1" ]; }

for file in json.jsonl 2026-11-30T13-36-32-193Z_01a22cab-e3c0-77f9-91d9-ce6def82acbc.jsonl; do
  shown "$captures/pi-observers-0.1.3/$file"
  check "CC-8 what pi-observers wrote into the stream is in no digest: $file" \
    sh -c "! grep -q 'MARK_\|observer-advis' '$work/out'"
  check "CC-8 what the agent did about it is: $file" has "Done 3"
done

shown <<'EOF'
{"type":"session","version":3,"id":"s","timestamp":"2026-11-30T10:00:00.000Z","cwd":"/w"}
{"type":"agent_start"}
{"type":"message_end","message":{"role":"custom","customType":"observer-advisory","content":"MARK","timestamp":1}}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"as you say"}],"stopReason":"stop"}}
{"type":"agent_settled","aborted":false}
{"type":"message_end","message":{"role":"user","content":"a person"}}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"half an ans"}],"stopReason":"error","errorMessage":"overloaded"}}
{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":1,"errorMessage":"overloaded"}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"an answer"}],"stopReason":"stop"}}
{"type":"agent_settled","aborted":false}
{"type":"message_end","message":{"role":"user","content":"and again"}}
{"type":"agent_settled","aborted":true}
EOF
check "CC-8 a pi turn that only an advisory opened is not digested" lacks "as you say"
check "a pi answer that failed and was retried does not end the turn" occurs 1 'reason="completed"'
check "a pi turn that the user stopped ends as aborted" has 'reason="aborted"'

mkdir "$work/fork"
cat >"$work/fork/parent.jsonl" <<'EOF'
{"type":"session","version":3,"id":"old","timestamp":"2026-11-30T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-11-30T10:00:01.000Z","message":{"role":"user","content":"do X"}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-11-30T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"did X"}],"stopReason":"stop"}}
EOF
{
  echo '{"type":"session","version":3,"id":"new","timestamp":"2026-11-30T11:00:00.000Z","cwd":"/w","parentSession":"parent.jsonl"}'
  sed 1d "$work/fork/parent.jsonl"
  cat <<'EOF'
{"type":"message","id":"bbbb0003","parentId":"aaaa0002","timestamp":"2026-11-30T11:00:03.000Z","message":{"role":"user","content":"now do Y"}}
{"type":"message","id":"bbbb0004","parentId":"bbbb0003","timestamp":"2026-11-30T11:00:04.000Z","message":{"role":"assistant","content":[{"type":"text","text":"did Y"}],"stopReason":"stop"}}
EOF
} >"$work/fork/child.jsonl"
shown "$work/fork"
check "C15 entries that a pi fork copied are digested once" occurs 1 "did X"
check "C15 what is new in a pi fork is digested, under its session" \
  sh -c "grep -A 99 'session new' '$work/out' | grep -qF 'did Y'"
try "$perilune" replay --emit observations "$work/fork"
check "C15 a pi fork names its parent" has '"parent":"parent.jsonl"'

shown <<'EOF'
{"type":"session","version":3,"id":"tree","timestamp":"2026-11-30T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"0001","parentId":null,"timestamp":"2026-11-30T10:00:01.000Z","message":{"role":"system","content":""}}
{"type":"message","id":"0002","parentId":"0001","timestamp":"2026-11-30T10:00:02.000Z","message":{"role":"user","content":"the wrong way"}}
{"type":"message","id":"0003","parentId":"0002","timestamp":"2026-11-30T10:00:03.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"wrong"}}],"stopReason":"toolUse"}}
{"type":"message","id":"0004","parentId":"0003","timestamp":"2026-11-30T10:00:04.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"went wrong"}],"isError":true}}
{"type":"message","id":"0005","parentId":"0001","timestamp":"2026-11-30T10:00:05.000Z","message":{"role":"user","content":"the right way"}}
{"type":"message","id":"0006","parentId":"0005","timestamp":"2026-11-30T10:00:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"went right"}],"stopReason":"stop"}}
EOF
check "a pi branch that was left before it was digested is in no digest" lacks "wrong"
check "the branch that pi went on with is" has "the right way"

shown <<'EOF'
{"type":"init","timestamp":"2026-11-30T10:00:00.000Z","session_id":"g","model":"m"}
{"type":"message","timestamp":"2026-11-30T10:00:01.000Z","role":"user","content":"go"}
{"type":"message","timestamp":"2026-11-30T10:00:02.000Z","role":"assistant","content":"one, ","delta":true}
{"type":"message","timestamp":"2026-11-30T10:00:02.100Z","role":"assistant","content":"two","delta":true}
{"type":"tool_use","timestamp":"2026-11-30T10:00:03.000Z","tool_name":"run","tool_id":"t1","parameters":{"a":1}}
{"type":"tool_result","timestamp":"2026-11-30T10:00:04.000Z","tool_id":"t1","status":"error","error":{"type":"E","message":"boom"}}
{"type":"message","timestamp":"2026-11-30T10:00:05.000Z","role":"assistant","content":"cut of","delta":true}
{"type":"message","timestamp":"2026-11-30T10:00:05.100Z","role":"assistant","content":"f here","delta":true}
EOF
check "gemini's pieces of a text are one text" has "one, two"
check "gemini's failed call has its error" sh -c "grep -A 1 'error=\"true\"' '$work/out' | grep -q boom"
check "gemini's pieces before the end of the stream are not lost" has "cut off here"

shown <<'EOF'
{"type":"message.part.updated","properties":{"part":{"id":"p0","sessionID":"o","messageID":"m0","type":"text","text":"a person asks"}}}
{"type":"message.part.updated","properties":{"part":{"id":"p0","sessionID":"o","messageID":"m0","type":"text","text":"a person asks"}}}
{"type":"message.part.updated","properties":{"part":{"id":"p1","sessionID":"o","messageID":"m1","type":"text","text":"I wi","time":{"start":1}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p1","sessionID":"o","messageID":"m1","type":"text","text":"I will","time":{"start":1,"end":2}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p1","sessionID":"o","messageID":"m1","type":"text","text":"I will","time":{"start":1,"end":2}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p2","sessionID":"o","messageID":"m1","type":"tool","callID":"c1","tool":"bash","state":{"status":"pending","input":{}}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p2","sessionID":"o","messageID":"m1","type":"tool","callID":"c1","tool":"bash","state":{"status":"running","input":{"command":"make"}}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p2","sessionID":"o","messageID":"m1","type":"tool","callID":"c1","tool":"bash","state":{"status":"running","input":{"command":"make"},"metadata":{"output":"..."}}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p2","sessionID":"o","messageID":"m1","type":"tool","callID":"c1","tool":"bash","state":{"status":"error","input":{"command":"make"},"error":"boom"}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p2","sessionID":"o","messageID":"m1","type":"tool","callID":"c1","tool":"bash","state":{"status":"error","input":{"command":"make"},"error":"boom"}}}}
{"type":"session.idle","properties":{"sessionID":"o"}}
EOF
check "opencode's snapshots of a part are one call" occurs 1 '{"command":"make"}'
check "opencode's snapshots of a part are one result" occurs 1 "boom"
check "opencode's text counts once it has ended" occurs 1 "I will"
check "opencode's user is a user" sh -c "grep -A 1 '<user-message' '$work/out' | grep -q 'a person asks'"

shown "$captures/openai-chat/messages.json"
cp "$work/out" "$work/array"
shown "$captures/openai-chat/messages.jsonl"
sed 's/messages\.jsonl/messages.json/; s/nonce="[^"]*"//g' "$work/out" >"$work/lines"
sed 's/nonce="[^"]*"//g' "$work/array" >"$work/elements"
check "a chat log reads alike as one array and as lines" cmp "$work/lines" "$work/elements"
printf '[{"role":"user","content":"a"}, {"role":"assistant","content":"b' | shown
check "an array cut off in an element gives the others" has "<user-message"
finish
