#!/bin/sh
# What perilune reads it can write as AgentObservation JSONL, and what it wrote it reads back to
# the same digests (OB-2): every recording that is kept here alone, damaged ones too, each client's as
# one tree, and each dialect among them.
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
"$perilune" replay --emit observations "$captures/claude-code-2.1.332/agent_332" \
  >"$work/observations.jsonl"
find "$work/observations.jsonl" "$captures" "$root/tests/golden/cases" "$root/tests/fault/streams" "$demo" -name '*.json*' \
  ! -name expected-blocks.json ! -name '*.meta.json' ! -name 'C5*' | sort >"$work/files"
while read -r file; do
  check "OB-2 emitted and read back: ${file#"$root"/tests/}" same_digests "$file"
done <"$work/files"
xargs "$perilune" replay --all-sources --no-observers <"$work/files" >"$work/dialects" 2>&1 || true
for dialect in "$root"/lua/perilune/dialects/*.lua; do
  dialect=$(sed -n 's/^ *name = "\([a-z-]*\)".*/\1/p' "$dialect")
  [ -z "$dialect" ] || check "OB-2 a recording of $dialect is among them" \
    grep -q "^ *$dialect  *[1-9][0-9]* file" "$work/dialects"
done
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
