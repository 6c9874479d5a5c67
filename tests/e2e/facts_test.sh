#!/bin/sh
# What perilune says of each recording is what the recording holds, counted without perilune: calls by
# name, results, a person's prompts and tokens of each agent (OB-5, OB-7).
set -eu
. "$(dirname "$0")/lib.sh"

# agrees FILE: 0 if so; a format that is not counted is left out.
agrees() {
  "$perilune" replay --json --no-observers "$1" >"$work/records" 2>"$work/err" || return 1
  luajit "$root/tests/e2e/facts.lua" "$1" "$work/records" >"$work/out" 2>&1 && status=0 || status=$?
  [ "$status" -ne 2 ]
}

find "$captures" -name '*.jsonl' ! -path '*openai*' | sort >"$work/files"
counted=0
while read -r file; do
  agrees "$file" || continue
  counted=$((counted + 1))
  check "OB-5 OB-7 counted alike: ${file#"$captures"/}" [ "$status" -eq 0 ]
done <"$work/files"
check "enough recordings were counted" [ "$counted" -ge 25 ]
finish
