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
finish
