#!/bin/sh
# `run --sink FILE` is killed at random moments and started again on the same state directory with the
# whole input: the ledger opens, no delivery is written twice, what was observed starts no run.
# KILLS sets how often (20; full mode: KILLS=200). The last line is `N passed, N failed`.
set -eu
. "$(dirname "$0")/../e2e/lib.sh"
kills=${KILLS:-20}
state=$work/state
sink=$work/sink

mkdir "$work/observers"
cat >"$work/observers/talker.lua" <<'LUA'
-- perilune-api: 1
return { name = "talker", description = "d", on = "turn_end", can = { "advise" },
  observe = function(turn, ctx)
    ctx.state.n = (ctx.state.n or 0) + 1
    return { advise = ("finding %d about %s"):format(ctx.state.n, turn.last_user or ""),
      fingerprint = "f" .. ctx.state.n }
  end }
LUA
n=0
while [ "$n" -lt 400 ]; do
  n=$((n + 1))
  printf '{"session":"s","kind":"user_message","text":"task %d"}\n' "$n"
  printf '{"session":"s","kind":"assistant_text","text":"step %d of it"}\n' "$n"
  printf '{"session":"s","kind":"turn_ended","reason":"completed"}\n'
done >"$work/events.jsonl"

run() {
  exec "$perilune" run --json --dialect activity --observers "$work/observers" --state "$state" \
    --sink "$sink" "$work/events.jsonl"
}

# A run that is not killed.
whole_run() {
  status=0
  (run) >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# A run that is killed after a random time, up to $1 milliseconds.
killed_run() {
  run >"$work/out" 2>"$work/err" &
  pid=$!
  wait_ms=$(awk -v most="$1" -v seed="$2" 'BEGIN { srand(seed); print int(rand() * most) / 1000 }')
  sleep "$wait_ms"
  kill -9 "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}

i=0
while [ "$i" -lt "$kills" ]; do
  i=$((i + 1))
  killed_run 120 "$i"
done
whole_run
check "the ledger opens after $kills kills, and the run ends well" exits 0
check "the ledger is no damaged one" sh -c "! grep -q 'damaged' '$work/err'"

ids() { sed -n 's/^{"id":"\([^"]*\)".*/\1/p' "$sink"; }
check "something was delivered" [ "$(ids | wc -l)" -gt 0 ]
check "no id is in the sink twice" [ "$(ids | sort | uniq -d | wc -l)" -eq 0 ]

try "$perilune" log --ledger "$state/ledger.db" --limit 100000 --json
of_state() { grep '"record":"delivery"' "$work/out" | grep "\"state\":\"$1\"" | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort -u; }
of_state handed >"$work/handed"
ids | sort -u >"$work/ids"
check "nothing is marked handed that the sink has not" \
  [ "$(comm -23 "$work/handed" "$work/ids" | wc -l)" -eq 0 ]
lost=$(grep -c 'lost in hand-over' "$work/out" || true)
check "at most one delivery a kill is lost in hand-over ($lost)" [ "$lost" -le "$kills" ]
grep '"record":"proposal"' "$work/out" | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort >"$work/proposed"
grep '"record":"decision"' "$work/out" | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort -u >"$work/decided"
check "every stored proposal is decided" \
  [ "$(sort -u "$work/proposed" | comm -23 - "$work/decided" | wc -l)" -eq 0 ]
check "no proposal has the id of another" [ "$(uniq -d "$work/proposed" | wc -l)" -eq 0 ]

whole_run
check "what was observed starts no run" sh -c "! grep -q '\"record\":\"run\".*\"talker\"' '$work/out'"
before=$(ids | wc -l)
try "$perilune" stop talker --state "$state"
whole_run
check "a stopped observer says nothing more" [ "$(ids | wc -l)" -eq "$before" ]
finish
