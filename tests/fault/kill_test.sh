#!/bin/sh
# `run --sink FILE` is killed at random moments and started again on the same state directory with the
# whole input: the ledger opens, no delivery is written twice, what was observed starts no run.
# KILLS sets how often (20; full mode: KILLS=200 sh tests/fault/kill_test.sh). Every ten kills begin anew
# on an empty state directory, so that most of them meet a host at work. The last line is
# `N passed, N failed`.
set -eu
. "$(dirname "$0")/../e2e/lib.sh"
kills=${KILLS:-20}
seed=${SEED:-1}
turns=300

mkdir "$work/observers"
write_talker >"$work/observers/talker.lua"
cat >"$work/observers/silent.lua" <<'LUA'
-- perilune-api: 1
return { name = "silent", description = "d", on = "turn_end", observe = function() end }
LUA
# The shipped ones have tests of their own; each start is shorter without them.
shipped=$("$perilune" observers --json --project "$work" 2>/dev/null |
  sed -n 's/.*"layer":"builtin","name":"\([^"]*\)".*/\1/p' | tr '\n' ',')
printf 'observers: { disable: [%s] }\n' "${shipped%,}" >"$work/config.yaml"
write_turns "$turns" >"$work/events.jsonl"

run() {
  exec "$perilune" run --json --policy claude --dialect activity --config "$work/config.yaml" --project "$work" \
    --observers "$work/observers" --state "$state" --sink "$sink" "$work/events.jsonl"
}

# A run that is not killed.
whole_run() {
  status=0
  (run) >"$work/out" 2>"$work/err" </dev/null || status=$?
}

begin() {
  state=$work/state$1
  sink=$work/sink$1
  : >"$sink"
}

# A run that is killed after a random part of the time that a whole one takes; one that had ended by then is
# none of them, and the next has half of that time: a host that has observed all is soon done, and one that
# is killed as it starts is met at last.
killed_run() {
  before=$(wc -l <"$sink")
  within_ms=$most_ms
  : >"$work/out.killed"
  ended=0 tries=0
  while [ "$ended" -ne 137 ] && [ "$tries" -lt 100 ]; do
    ended=0 tries=$((tries + 1))
    run >>"$work/out.killed" 2>"$work/err.killed" &
    pid=$!
    sleep "$(awk -v most="$within_ms" -v seed="$1" 'BEGIN { srand(seed); rand(); print rand() * most / 1000 }')"
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || ended=$?
    within_ms=$((within_ms / 2))
  done
  [ "$ended" -ne 137 ] || hit=$((hit + 1))
  [ "$(wc -l <"$sink")" -eq "$before" ] || worked=$((worked + 1))
}

ids() { sed -n 's/^{"id":"\([^"]*\)".*/\1/p' "$sink"; }
records() { grep "\"record\":\"$1\"" "$work/out" || true; }
id_of() { sed 's/.*"id":"\([^"]*\)".*/\1/'; }

# What has to hold of one state directory. Each fault is a line.
faults() {
  [ "$status" -eq 0 ] || echo "the run behind the kills ended with $status"
  ! grep -q damaged "$work/err" || echo "the ledger is damaged"
  [ "$(ids | sort | uniq -d | wc -l)" -eq 0 ] || echo "an id is in the sink twice"
  [ -z "$(sed '/^{"id":.*}$/d' "$sink")" ] || echo "the sink has a torn line"
  "$perilune" log --ledger "$state/ledger.db" --limit 100000 --json >"$work/out" 2>/dev/null ||
    echo "the ledger cannot be read"
  ids | sort -u >"$work/ids"
  records delivery | grep '"state":"handed"' | id_of | sort -u >"$work/handed"
  [ "$(comm -23 "$work/handed" "$work/ids" | wc -l)" -eq 0 ] || echo "one is marked handed that the sink has not"
  records delivery | grep 'lost in hand-over' | id_of | sort >"$work/lost"
  [ "$(wc -l <"$work/lost")" -le "$1" ] || echo "more than one a kill is lost in hand-over"
  lost=$((lost + $(wc -l <"$work/lost")))
  records proposal | id_of | sort >"$work/proposed"
  [ "$(uniq -d "$work/proposed" | wc -l)" -eq 0 ] || echo "a proposal has the id of another"
  records decision | id_of | sort -u >"$work/decided"
  [ "$(comm -23 "$work/proposed" "$work/decided" | wc -l)" -eq 0 ] || echo "a stored proposal is not decided"
  said=$(wc -l <"$work/proposed")
  [ "$said" -ge $((turns - $1)) ] || echo "$((turns - said)) turns of $turns were not observed"
  records delivery | grep '"state":"queued"' | id_of | sort -u >"$work/queued"
  records delivery | grep -v '"state":"queued"' | id_of | sort -u >"$work/ended"
  [ "$(comm -23 "$work/queued" "$work/ended" | wc -l)" -eq 0 ] || echo "a delivery waits for ever"
}

# How long a whole run takes here, starting anew.
begin 0
started=$(date +%s%N)
whole_run
most_ms=$((($(date +%s%N) - started) / 1000000))
check "a run that nobody kills ends well" exits 0
check "and something was delivered" [ "$(ids | wc -l)" -gt 0 ]

hit=0 worked=0 lost=0 round=0 left=$kills
: >"$work/faults"
while [ "$left" -gt 0 ]; do
  round=$((round + 1))
  begin "$round"
  some=$((left < 10 ? left : 10))
  i=0
  while [ "$i" -lt "$some" ]; do
    i=$((i + 1))
    killed_run "$((seed * 1000 + round * 10 + i))"
  done
  whole_run
  faults "$some" >>"$work/faults"
  left=$((left - some))
done
sort "$work/faults" | uniq -c
echo "# $kills kills, $hit of a live process, $worked of them after it had delivered something, $lost lost in hand-over"
check "every kill met a live host" [ "$hit" -eq "$kills" ]
for promise in "the run behind" "damaged" "twice" "torn" "cannot be read" "the sink has not" "lost in hand-over" \
  "the id of another" "not decided" "not observed" "waits for ever"; do
  check "after $kills kills: no state directory where '$promise'" sh -c "! grep -q '$promise' '$work/faults'"
done

whole_run
check "what was observed starts no run" sh -c "! grep -q '\"record\":\"run\".*\"talker\"' '$work/out'"
before=$(ids | wc -l)
begin "$round"
"$perilune" stop talker --state "$state" >"$work/out" 2>"$work/err"
awk '{ sub(/"task /, "\"more "); print }' "$work/events.jsonl" >"$work/more.jsonl"
mv "$work/more.jsonl" "$work/events.jsonl"
killed_run 7
whole_run
check "a stopped observer runs no more, killed or not" sh -c "! grep -q '\"record\":\"run\".*\"talker\"' '$work/out' '$work/out.killed'"
check "and delivers nothing" [ "$(ids | wc -l)" -eq 0 ]
check "another one does run" grep -q '"record":"run".*"silent"' "$work/out" "$work/out.killed"
finish
