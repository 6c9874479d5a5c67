#!/bin/sh
# `perilune log`: what happened, by session and observer, in plain lines: nothing an agent or an observer
# says moves the cursor, secrets are out, and no more is listed than was asked for.
set -eu
. "$(dirname "$0")/lib.sh"
mkdir "$work/observers"
cat >"$work/observers/talker.lua" <<'LUA'
-- perilune-api: 1
return { name = "talker", description = "d", on = "turn_end", can = { "advise" },
  observe = function(turn, ctx)
    ctx.state.n = (ctx.state.n or 0) + 1
    return { advise = "\27[31mfinding " .. ctx.state.n .. "\r\n about " .. turn.last_user, fingerprint = "f" .. ctx.state.n }
  end }
LUA
cat >"$work/observers/quiet.lua" <<'LUA'
-- perilune-api: 1
return { name = "quiet", description = "d", on = "turn_end", observe = function() end }
LUA
secret=ghp_$(printf 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8')
for session in one two; do
  printf '{"session":"%s","kind":"user_message","text":"use %s here"}\n' "$session" "$secret"
  printf '{"session":"%s","kind":"assistant_text","text":"done \\u001b[2J"}\n' "$session"
  printf '{"session":"%s","kind":"turn_ended","reason":"completed"}\n' "$session"
done >"$work/events.jsonl"
try "$perilune" run --dialect activity --observers "$work/observers" --state "$work/state" "$work/events.jsonl"
log() { try "$perilune" log --ledger "$work/state/ledger.db" "$@"; }

log --limit 1000
check "what happened stands under its session" grep -qE '^session one, agent main, [0-9]{4}-[0-9]{2}-[0-9]{2}$' "$work/out"
check "with proposals and what was decided" sh -c "grep -q ' proposal  talker ' '$work/out' && grep -q ' decision  talker ' '$work/out'"
check "no secret is in it" sh -c "! grep -q '$secret' '$work/out'"
check "nothing in it moves the cursor" sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$work/out'"
log --session two --limit 1000
check "one session alone" sh -c "grep -q 'session two' '$work/out' && ! grep -q 'session one' '$work/out'"
log --observer quiet --limit 1000
check "one observer alone" sh -c "grep -q quiet '$work/out' && ! grep -q talker '$work/out'"
log --limit 3
check "no more than was asked for" [ "$(grep -c '^  [0-9]' "$work/out")" -eq 3 ]
log --json --limit 1000
check "the same as JSON, a record a line" [ "$(grep -vc '^{"record":.*}$' "$work/out")" -eq 0 ]
check "without the secret" sh -c "! grep -q '$secret' '$work/out'"
log --limit 0
check "a limit of nothing is refused" refuses --limit
try "$perilune" log --ledger "$work/none.db"
check "a ledger that is not there is named" refuses "$work/none.db"
log --session nobody
check "a session that the ledger has not is wrong usage" refuses "there is no session 'nobody'"
log --observer loop-gard
check "so is an observer that nobody knows" refuses "there is no observer 'loop-gard'; did you mean 'loop-guard'?"
log --observer verification
check "where nothing matches, that is said" grep -q 'no stored record matches' "$work/err"
check "and is no failure" exits 0
finish
