#!/bin/sh
# precision and promote (PE-8): what became of an observer's notes, and when it may leave the shadow.
set -eu
. "$(dirname "$0")/lib.sh"
config=$XDG_CONFIG_HOME/perilune
mkdir -p "$config/observers" "$work/project"
cd "$work/project"
says() { grep -qF -- "$1" "$work/out"; }

# observer NAME FILE: one note a turn, to read FILE-TURN.c.
observer() {
  cat >"$config/observers/$1.lua" <<LUA
-- perilune-api: 1
return {
    name = "$1", description = "wants a file read", on = "turn_end", can = { "advise" },
    deliver = "steer",
    observe = function(turn, ctx)
        if ctx.state.turn == turn.turn then return nil end
        ctx.state.turn = turn.turn
        return { advise = ("Read \`$2-%d.c\` before going on."):format(turn.turn),
            fingerprint = "$2" .. turn.turn }
    end,
}
LUA
}
observer heeded wanted
observer deaf nowhere
printf 'observers: { heeded: { mode: shadow }, deaf: { mode: shadow } }\n' >"$config/config.yaml"

line() { printf '{"session":"%s","kind":"%s"%s}\n' "$session" "$1" "${2-}"; }
reads() {
  line tool_call ",\"name\":\"Read\",\"call_id\":\"$1\",\"input\":{\"file_path\":\"$2\"}"
  line tool_result ",\"call_id\":\"$1\",\"text\":\"some lines\""
  line assistant_text ',"text":"I see."'
}
# session NAME TURNS: in each turn the agent looks around, then reads wanted-TURN.c.
session() {
  session=$1
  turn=0
  while [ "$turn" -lt "$2" ]; do
    turn=$((turn + 1))
    line user_message ",\"text\":\"part $turn\""
    reads "a$turn" around.c
    reads "b$turn" "src/wanted-$turn.c"
    reads "c$turn" after.c
    line turn_ended ',"reason":"end_turn"'
  done
}
session few 4 >few.jsonl
session many 30 >many.jsonl

try "$perilune" observers
check "PE-8 observers says who is in shadow" grep -q '^heeded .*in shadow' "$work/out"
try "$perilune" status
check "status, too" says "in shadow: nothing of what it says is delivered"
try "$perilune" status --json
check "and its JSON" says '"mode":"shadow"'
try "$perilune" precision
check "precision without a ledger says what makes one" exits 2
check "in one line" grep -q 'perilune replay' "$work/err"

try "$perilune" replay few.jsonl
check "PE-8 a replay says what observers in shadow would have delivered" says "8 notes that would have been delivered"
check "PE-8 and that it would" says "in shadow, would"
try "$perilune" run --quiet --state "$work/said" few.jsonl
try "$perilune" status --state "$work/said"
check "status counts what is said in shadow apart" \
  says "0 delivered, 0 deferred, 0 dropped, the rest in shadow"
try "$perilune" precision --replay --json heeded
check "PE-8 its numbers come with what they are counted over" \
  says '"observer":"heeded","shown":false,"delivered":4,"judged":4,"followed":4,"ignored":0,"contradicted":0'
check "PE-8 one observer is asked for by name" [ "$(wc -l <"$work/out")" -eq 1 ]
try "$perilune" precision
check "PE-8 what no agent was shown is told apart" says "notes no agent was shown"
check "PE-8 with denominators" sh -c "grep -A 1 '4 not shown, 4 judged' '$work/out' | grep -q '4 of 4 (100 %) followed'"
id=$("$perilune" log --replay --observer heeded --json | sed -n 's/.*"id":"\([^"]*\)".*"state":"followed".*/\1/p' | sed 1q)
try "$perilune" explain "$id"
check "PE-8 explain tells what the agent did, and that it had not been told" says "(it was never shown"
try "$perilune" promote heeded
check "PE-8 promote refuses below the floor" exits 1
check "PE-8 it says how many are missing" says "stays in shadow: 4 notes were judged, 20 are needed"

try "$perilune" replay many.jsonl
try "$perilune" precision --replay --json
check "PE-8 an ignored one is counted so" says '"observer":"deaf","shown":false,"delivered":30'
check "PE-8 and not as followed" says '"followed":0,'
try "$perilune" promote deaf
check "PE-8 promote refuses a rate below the floor" exits 1
check "PE-8 it states the rate" says "0 % were followed, 25 % are needed"
try "$perilune" promote nobody
check "promote knows no such observer" exits 2
try "$perilune" promote heeded --json
check "PE-8 promote lets a good one speak" exits 0
check "PE-8 with its numbers" says '"name":"heeded","live":true,"delivered":30,"judged":30,"followed":30'
check "its switch is the user's own" grep -q 'heeded: { mode: live }' "$config/switches.yaml"
try "$perilune" promote heeded
check "promoted once, it is live" says "heeded is live already"
try "$perilune" disable heeded
check "a switch keeps what else was said of it" \
  grep -q 'heeded: { enabled: false, mode: live }' "$config/switches.yaml"
try "$perilune" enable heeded
try "$perilune" replay --json few.jsonl
check "PE-8 what it says is no shadow's any more" \
  sh -c "grep '\"observer\":\"heeded\"' '$work/out' | grep -q '\"state\":\"deliver\"'"
check "PE-8 and the other one's still is" \
  sh -c "grep '\"record\":\"decision\"' '$work/out' | grep '\"name\":\"shadow\"' | grep -q '\"observer\":\"deaf\"'"

mkdir -p .perilune
printf 'observers: { heeded: { mode: shadow }, deaf: { mode: live } }\n' >.perilune/config.yaml
try "$perilune" trust --yes
try "$perilune" observers
check "a project may not take an observer out of shadow" grep -q 'mode: live' "$work/err"
sed -i '/heeded/d' "$config/switches.yaml"
try "$perilune" replay many.jsonl
try "$perilune" promote heeded
check "nor does promote where the project keeps it there" exits 1
check "and it says who does" says "a project's or a managed config keeps it there"

finish
