#!/bin/sh
# The scrubber on text that real agents wrote: recordings without secrets lose nothing to it, and
# one that is put among them is taken out (case C24).
set -eu
. "$(dirname "$0")/lib.sh"

try "$perilune" replay --json --all-sources "$captures"
check "C24 the recordings are replayed" exits 0
check "C24 they are large enough to prove something" [ "$(wc -c <"$work/out")" -gt 1000000 ]
check "C24 no word of theirs is taken for a secret" sh -c "! grep -q ' redacted\]' '$work/out'"

token=ghp_$(printf 'Zx9%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)
sed "s/hello from bash/hello from $token/g" "$captures/codex-0.171.0/codexh/rollout.jsonl" \
  >"$work/rollout.jsonl"
check "C24 a token is put into one of them" grep -q "$token" "$work/rollout.jsonl"
try "$perilune" replay --json "$work/rollout.jsonl"
check "C24 it is not told" sh -c "! grep -q '$token' '$work/out'"
check "C24 its kind is" grep -q 'hello from \[github-token redacted\]' "$work/out"

# Kinds from Lua: the user's own file, and those a config names.
mkdir -p "$XDG_CONFIG_HOME/perilune"
cat >"$XDG_CONFIG_HOME/perilune/scrub.lua" <<'LUA'
-- perilune-api: 1
return { scrub = {
  { name = "acme-key", pattern = [[\bACME-[0-9]{6}\b]], hides = { "ACME-123456" }, keeps = { "ACME-12" } },
} }
LUA
cat >"$work/team.lua" <<'LUA'
-- perilune-api: 1
return { scrub = {
  { name = "session-cookie", pattern = [[\b(?:sid|session_id)=[0-9a-f]{32}\b]] },
  { name = "internal-host", pattern = [[\b[a-z0-9-]+\.corp\.example\b]] },
  { name = "employee", pattern = [[\bE[0-9]{7}\b]] },
} }
LUA
printf 'privacy: { kinds: ["%s"] }\n' "$work/team.lua" >"$work/config.yaml"
try "$perilune" check "$XDG_CONFIG_HOME/perilune/scrub.lua" "$work/team.lua"
check "C24 both files of kinds are valid" exits 0
check "C24 they are known for what they are" grep -q 'team.lua: Ok (secrets)' "$work/out"
try "$perilune" replay --json --all-sources --config "$work/config.yaml" "$captures"
check "C24 no word of the recordings is taken for one of their kinds" \
  sh -c "[ '$status' -eq 0 ] && [ \"\$(grep -c ' redacted\]' '$work/out')\" -eq 0 ]"
sed "s/hello from bash/ACME-123456 on db1.corp.example/g" \
  "$captures/codex-0.171.0/codexh/rollout.jsonl" >"$work/rollout.jsonl"
try "$perilune" replay --json --config "$work/config.yaml" "$work/rollout.jsonl"
check "C24 what they name is hidden" \
  grep -q '\[acme-key redacted\] on \[internal-host redacted\]' "$work/out"
check "C24 everywhere" sh -c "! grep -q 'ACME-123456\|db1.corp' '$work/out'"
printf 'return { scrub = { { name = "all", pattern = "the" } } }\n' >"$work/team.lua"
try "$perilune" replay --json --config "$work/config.yaml" "$captures"
check "C24 a kind that is too greedy shows in the same count" \
  [ "$(grep -c '\[all redacted\]' "$work/out")" -gt 100 ]

# What an observer outside is shown: no secret, unless the user switched scrubbing off for it, which shows.
case24=$root/tests/fault/streams/C24.jsonl
secrets='FAKE0123456789abcdefABCDEF0123456789\|ghp_FAKE\|hunter2pass\|MIIFAKEFAKEFAKE\|AKIAFAKE'
mkdir "$work/own"
cat >"$work/own/outside.lua" <<LUA
-- perilune-api: 1
return { name = "outside", description = "Keeps what it is shown.", on = "turn_end", once = true,
  command = { "sh", "-c", "cat >>'$work/shown'; echo '{}'" } }
LUA
try "$perilune" replay --json --observers "$work/own" "$case24"
check "C24 a command is shown what was done" grep -q 'git push' "$work/shown"
check "C24 but none of the five secrets" sh -c "! grep -q '$secrets' '$work/shown'"
check "C24 nor are they told or stored" \
  sh -c "! grep -q '$secrets' '$work/out' && ! grep -aq '$secrets' '$XDG_STATE_HOME/perilune/replay.db'"
for kind in openai-key github-token url-password private-key aws-access-key; do
  check "C24 what stands in their place says that it was a $kind" grep -q "\[$kind redacted\]" "$work/shown"
done
rm "$work/shown"
printf 'observers: { outside: { scrub: false } }\n' >"$work/config.yaml"
try "$perilune" replay --json --observers "$work/own" --config "$work/config.yaml" "$case24"
check "C24 scrubbing switched off for one observer shows it all five" \
  [ "$(grep -o "$secrets" "$work/shown" | sort -u | wc -l)" -eq 5 ]
check "C24 and still nothing of it is told or stored" \
  sh -c "! grep -q '$secrets' '$work/out' && ! grep -aq '$secrets' '$XDG_STATE_HOME/perilune/replay.db'"
try "$perilune" observers --observers "$work/own" --config "$work/config.yaml"
check "C24 the list of observers says so" grep -q 'it is shown secrets: scrub is false' "$work/out"

# An observer in the process sees raw text; what it makes of it leaves without secrets.
mkdir "$work/inside"
cat >"$work/inside/loud.lua" <<'LUA'
-- perilune-api: 1
return { name = "loud", description = "d", on = "turn_end", observe = function(turn, ctx)
    print("print", turn.last_user)
    ctx.state.said = turn.last_user
    return { advise = "advice " .. turn.last_user, fingerprint = "f" }
end }
LUA
printf '%s\n' "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"use $token\"}" \
  '{"session":"s","kind":"turn_ended","reason":"end"}' >"$work/said.jsonl"
try "$perilune" run --json --observers "$work/inside" --state "$work/live" --sink "$work/sink" "$work/said.jsonl"
check "C24 an observer's advice is handed over" grep -q 'advice use \[github-token redacted\]' "$work/sink"
check "C24 its print() is shown" grep -q 'use \[github-token redacted\]' "$work/err"
check "C24 its state is kept" grep -aq '"said":"use \[github-token redacted\]"' "$work/live/ledger.db"
check "C24 no secret is in any of them" sh -c "! grep -aq '$token' '$work'/sink '$work'/out '$work'/err '$work'/live/*"
printf 'privacy: { patterns: ["\\"said.*"] }\n' >"$work/config.yaml"
try "$perilune" run --json --observers "$work/inside" --state "$work/cut" --config "$work/config.yaml" "$work/said.jsonl"
check "C24 a state that would be no JSON any more is not kept" sh -c "! grep -aq 'configured redacted' '$work'/cut/ledger.db"

# What a broken file would have hidden cannot be known.
printf 'privacy: { kinds: ["%s"] }\n' "$work/team.lua" >"$work/config.yaml"
printf 'return { scrub = { { name = "all", pattern = "a(b" } } }\n' >"$work/team.lua"
try "$perilune" check "$work/team.lua"
check "C24 a broken kind is told with its line" \
  sh -c "[ '$status' -eq 1 ] && grep -q 'team.lua:1: error: all: its pattern, at 3: ' '$work/out'"
try "$perilune" observers --config "$work/config.yaml"
check "C24 and keeps every observer off until it is mended" \
  sh -c "grep -q 'a file of secrets has a mistake' '$work/out' && ! grep -q ' active ' '$work/out'"
rm "$work/team.lua"
try "$perilune" observers --config "$work/config.yaml"
check "C24 so does one that is missing" grep -q 'a file of secrets is missing' "$work/out"
printf 'privacy: { patterns: ["a(b"] }\n' >"$work/config.yaml"
try "$perilune" observers --config "$work/config.yaml"
check "C24 and a broken pattern" grep -q 'privacy.patterns has a mistake' "$work/out"

# A secret that is the name of a session: keys are stored, shown and typed.
for name in one two; do
  token=ghp_$(printf 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7%s' "$name" | cut -c 1-36)
  printf '{"session":"%s","kind":"user_message","text":"go"}\n' "$token"
  printf '{"session":"%s","kind":"assistant_text","text":"gone"}\n' "$token"
  printf '{"session":"%s","kind":"turn_ended","reason":"completed"}\n' "$token"
done >"$work/named.jsonl"
try "$perilune" run --json --observers "$work/inside" --state "$work/named" "$work/named.jsonl"
check "C24 a session's name that is a secret is in no record" sh -c "! grep -q 'ghp_A1b2' '$work/out'"
check "C24 nor anywhere in the ledger" sh -c "! grep -aq 'ghp_A1b2' '$work'/named/*"
sessions() { grep -o '"session":"session-[0-9a-f]\{10\}"' "$work/out" | sort -u; }
check "C24 each is known by a name of its own" [ "$(sessions | wc -l)" -eq 2 ]
sessions >"$work/first"
try "$perilune" replay --json --observers "$work/inside" --state "$work/named" "$work/named.jsonl"
check "C24 the same in a replay" sh -c "[ '$(sessions)' = '$(cat "$work/first")' ]"
try "$perilune" digest "$work/named.jsonl"
check "C24 and so are digests headed" sh -c "grep -q '^--- session session-' '$work/out' && ! grep -q ghp_ '$work/out'"
finish
