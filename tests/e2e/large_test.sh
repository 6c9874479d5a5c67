#!/bin/sh
# Input far larger than memory may grow: one huge line (case C07) and a transcript of half a gigabyte.
# Skipped, and said so, where the disk is short.
set -eu
. "$(dirname "$0")/lib.sh"

rss_limit_kb=65536
status=0
free_kb=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
if [ "$free_kb" -lt 1500000 ]; then
  check "skipped: less than 1.5 GB free in $work" true
  finish
  exit
fi

# big_line MEGABYTES: three records without a time, the second with so large an image.
big_line() {
  printf '%s\n' '{"type": "user", "uuid": "u-1", "sessionId": "s-7", "isSidechain": false, "message": {"role": "user", "content": "look at the screenshot"}}'
  printf '{"type":"user","uuid":"u-2","sessionId":"s-7","isSidechain":false,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"'
  head -c "$(($1 * 1048576))" /dev/zero | tr '\0' A
  printf '%s\n' '"}}]}]}}'
  printf '%s\n' '{"type": "assistant", "uuid": "u-3", "sessionId": "s-7", "isSidechain": false, "message": {"role": "assistant", "content": [{"type": "text", "text": "after the big line"}]}}'
}

# measure ARGUMENT...: as try, with the program's milliseconds of CPU in $cpu_ms and its peak in $rss_kb.
measure() {
  status=0
  luajit "$root/tests/e2e/measure.lua" "$work/usage" "$perilune" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
  read -r cpu_ms rss_kb <"$work/usage"
}

for megabytes in 40 200; do
  big_line "$megabytes" >"$work/big.jsonl"
  measure run --json --no-observers "$work/big.jsonl"
  check "C07 a line of $megabytes MB is read past" exits 0
  check "C07 what stands around it is delivered" \
    [ "$(grep -c '"text":"look at the screenshot"\|"text":"after the big line"' "$work/out")" -eq 2 ]
  check "C07 it becomes a placeholder that says its size" grep -q '"kind":"raw".*"bytes":[0-9]\{8,\}' "$work/out"
  check "C07 in bounded memory" [ "$rss_kb" -lt "$rss_limit_kb" ]
  eval "cpu_$megabytes=$cpu_ms"
done
# shellcheck disable=SC2154 # set by the eval above
check "C07 five times the line takes at most six times the time" [ "$cpu_200" -le $((6 * cpu_40 + 60)) ]
rm "$work/big.jsonl"

cc -std=c11 -O2 -o "$work/make_mix" "$root/tests/bench/make_mix.c"
"$work/make_mix" 500 >"$work/mix.jsonl"
measure replay --quiet --no-observers "$work/mix.jsonl"
check "half a gigabyte is replayed" exits 0
check "in less than 64 MiB" [ "$rss_kb" -lt "$rss_limit_kb" ]
finish
