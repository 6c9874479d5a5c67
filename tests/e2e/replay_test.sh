#!/bin/sh
# Replays of a tree of real sessions (PE-4): the same bytes every time, records without gaps,
# and files that are no sessions counted, not fatal.
set -eu
. "$(dirname "$0")/lib.sh"

try "$perilune" replay --json "$captures"
check "PE-4 replays a tree of captures" exits 0
cp "$work/out" "$work/first"
try "$perilune" replay --json "$captures"
check "PE-4 gives byte-identical output on repeat" cmp "$work/first" "$work/out"
check "every line is a record, seq has no gap, the last is the summary" \
  luajit "$root/tests/e2e/records.lua" "$work/out"

# widest COLUMNS COMMAND: in a terminal of that many columns, the widest line of text it prints.
widest() {
  try script -qec "stty cols $1 && '$perilune' $2" /dev/null
  sed 's/\r//g; s/\x1b\[[0-9;]*[mK]//g' "$work/out" | grep '^        ' | wc -L
}
check "texts stay within a terminal of 60 columns" [ "$(widest 60 "replay $demo")" -le 60 ]
check "and take 96 of a wider one" [ "$(widest 200 "replay $demo")" -gt 80 ]
id=$("$perilune" log --replay --json | sed -n 's/^{"record":"proposal".*"id":"\([^"]*\)".*/\1/p' | sed 1q)
check "so does a story" [ "$(widest 60 "explain $id")" -le 60 ]

mkdir "$work/tree"
cp -r "$captures/claude-code-2.1.332/basic332/transcript" "$work/tree/"
echo "remember the milk" >"$work/tree/notes.txt"
try "$perilune" replay "$work/tree"
check "a tree with a file of no known format exits 0" exits 0
check "a file of no known format is listed" grep -q notes.txt "$work/out" "$work/err"

try "$perilune" replay "$work/tree/transcript"
check "replay leaves a ledger of its own" [ -s "$XDG_STATE_HOME/perilune/replay.db" ]
check "replay leaves the live ledger alone" [ ! -e "$XDG_STATE_HOME/perilune/ledger.db" ]
finish
