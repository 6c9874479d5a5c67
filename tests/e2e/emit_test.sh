#!/bin/sh
# What perilune reads it can write as AgentObservation JSONL, and what it wrote it reads back to
# the same digests (OB-2): every capture alone, and each client's as one tree.
set -eu
. "$(dirname "$0")/lib.sh"

# same_digests PATH: the digests of PATH and of what was emitted for it.
same_digests() {
  "$perilune" digest --json "$1" >"$work/straight" 2>"$work/err" || return 1
  "$perilune" replay --emit observations "$1" >"$work/emitted.jsonl" 2>>"$work/err" || return 1
  "$perilune" digest --json --dialect observations "$work/emitted.jsonl" >"$work/back" \
    2>>"$work/err" || return 1
  luajit "$root/tests/e2e/same_digests.lua" "$work/straight" "$work/back" >"$work/out" || return 1
  count=$((count + $(cat "$work/out")))
}

count=0
status=0
find "$captures" -name '*.json*' ! -name expected-blocks.json ! -name '*.meta.json' |
  sort >"$work/files"
while read -r file; do
  check "OB-2 emitted and read back: ${file#"$captures"/}" same_digests "$file"
done <"$work/files"
for client in "$captures"/*/; do
  check "OB-2 emitted and read back, as a tree: $(basename "$client")" same_digests "$client"
done
check "the captures hold digests enough to prove it" [ "$count" -ge 100 ]

try "$perilune" replay --emit observations "$captures/pi-1.6.0/json.jsonl"
check "--emit prints observations and nothing else" \
  sh -c "[ -s '$work/out' ] && ! grep -v '^{\"kind\":\"' '$work/out'"
check "--emit writes no ledger" [ ! -e "$XDG_STATE_HOME/perilune/replay.db" ]
cp "$work/out" "$work/first.jsonl"
try "$perilune" replay --emit observations --dialect observations "$work/first.jsonl"
luajit "$root/tests/e2e/same_events.lua" "$work/first.jsonl" "$work/out" >"$work/said" 2>&1 &&
  same=yes || same=no
check "OB-2 what was emitted and read back is emitted the same, its seq kept as sourceSeq" \
  [ "$same" = yes ]
try sh -c "'$perilune' run --emit observations - <'$captures/pi-1.6.0/rpc.jsonl'"
check "run --emit reads a live stream" exits 0

try "$perilune" replay --emit records "$captures/pi-1.6.0/json.jsonl"
check "--emit of anything else is a usage error" refuses "'records'"
finish
