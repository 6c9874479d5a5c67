#!/bin/sh
# Recordings that are compressed, torn, padded or marked: what is in them comes out, what is lost is
# said.
set -eu
. "$(dirname "$0")/lib.sh"

transcript=$(ls "$captures"/claude-code-2.1.332/basic332/transcript/*.jsonl | head -n 1)
# events FILE: the observations of a file, without what depends on its name.
events() { "$perilune" run --json --no-observers "$1" | grep '"record":"observation"'; }

status=0
cp "$transcript" "$work/plain.jsonl"
gzip -c "$transcript" >"$work/packed.jsonl.gz"
events "$work/plain.jsonl" >"$work/want"
events "$work/packed.jsonl.gz" >"$work/got"
check "a .gz recording gives the events of the plain one" cmp "$work/want" "$work/got"
if command -v zstd >/dev/null; then
  zstd -q -c "$transcript" >"$work/packed.jsonl.zst"
  events "$work/packed.jsonl.zst" >"$work/got"
  check "a .zst recording gives the events of the plain one" cmp "$work/want" "$work/got"
fi

mkdir "$work/tree"
cp "$work/packed.jsonl.gz" "$work/tree/"
try "$perilune" replay --json --no-observers "$work/tree"
check "a tree of compressed recordings is replayed" grep -q '"record":"observation"' "$work/out"

lines=$(wc -l <"$work/plain.jsonl")
size=$(wc -c <"$work/packed.jsonl.gz")
head -c $((size * 3 / 4)) "$work/packed.jsonl.gz" >"$work/cut.jsonl.gz"
try "$perilune" run --json --no-observers "$work/cut.jsonl.gz"
check "of a .gz that is cut off the part before the cut is read" grep -q '"record":"observation"' "$work/out"
check "and the cut is said" grep -q "cut.jsonl.gz: the compressed file is damaged or cut off" "$work/err"
head -n 3 "$transcript" >"$work/short.jsonl"
head -c 2097152 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >>"$work/short.jsonl" # hardly to be packed
gzip -c "$work/short.jsonl" | head -c 200000 >"$work/short.jsonl.gz"
try "$perilune" replay --json --no-observers "$work/short.jsonl.gz"
check "also where the cut comes before many records are read" \
  sh -c "[ '$status' -eq 0 ] && grep -q '\"record\":\"observation\"' '$work/out'"
check "and is said there too" grep -q "short.jsonl.gz: the compressed file is damaged or cut off" "$work/err"
head -c 12 "$work/packed.jsonl.gz" >"$work/stub.jsonl.gz"
try "$perilune" replay "$work/stub.jsonl.gz"
check "a .gz with nothing before the cut is refused in one line" refuses "stub.jsonl.gz: the compressed file"

printf '\357\273\277' >"$work/bom.jsonl"
cat "$transcript" >>"$work/bom.jsonl"
events "$work/bom.jsonl" >"$work/got"
check "a BOM at the start is no part of the first record" cmp "$work/want" "$work/got"

head -c 4096 /dev/zero >"$work/padded.jsonl"
cat "$transcript" >>"$work/padded.jsonl"
events "$work/padded.jsonl" >"$work/got"
check "NULs before a record, as a crash leaves them, are skipped" cmp "$work/want" "$work/got"

sed '3s/.*/{"type":"assistant","uui&/' "$transcript" >"$work/torn.jsonl"
try "$perilune" run --json --no-observers "$work/torn.jsonl"
check "a torn record costs itself, not the one glued to it" \
  [ "$(grep -c '"record":"observation"' "$work/out")" -eq "$(wc -l <"$work/want")" ]
check "and is named with file, line and byte" grep -q "torn.jsonl:3: byte [0-9]*: a record was cut off" "$work/err"
check "and counted" grep -q '"torn":1' "$work/out"
[ "$lines" -gt 3 ] || check "the transcript has enough lines for that" false
finish
