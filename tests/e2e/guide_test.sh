#!/bin/sh
# docs/guide/getting-started.md, walked by a newcomer: every command and every edit as they stand
# there, in the guide's order, over recordings in ~/.claude/projects; what it shows is what comes.
set -eu
. "$(dirname "$0")/lib.sh"
guide=$root/docs/guide/getting-started.md
PATH=$(dirname "$perilune"):$PATH
export PATH

# block LANGUAGE NUMBER: the NUMBERth code block of that language; "" is one without.
block() {
  awk -v lang="$1" -v wanted="$2" '
    /^```/ { fenced = !fenced; shown = fenced && $0 == "```" lang && ++count == wanted; next }
    shown' "$guide"
}
# type_block NUMBER [SED]: runs the commands of that sh block; SED fills in what is the reader's.
type_block() {
  block sh "$1" | sed "${2:-}" >"$work/typed"
  try sh -e "$work/typed"
}
typed() { grep -qF -- "$1" "$work/typed"; }
says() { grep -qF -- "$1" "$work/out"; }
# True if every line of that block without a language was said, but for times and hashes.
as_shown() {
  block "" "$1" | sed "/^ *\.\.\.$/d; s|/home/dev|$HOME|; s/ : .* seconds//; /^ *sha256/d" >"$work/shown"
  sed 's/ : .* seconds//; s/ *[0-9a-f]\{10\}$//' "$work/out" >"$work/plain"
  sed -i 's/ *[0-9a-f]\{10\}$//' "$work/shown"
  [ -s "$work/shown" ] && ! grep -vxFf "$work/plain" "$work/shown" >>"$work/err"
}
# edit NUMBER FILE: the edit of that diff block.
edit() { block diff "$1" | luajit "$root/tests/e2e/apply_diff.lua" "$2"; }

project=$HOME/parser
mkdir -p "$HOME/.claude/projects/tidytime" "$project"
cp "$demo"/*.jsonl "$HOME/.claude/projects/tidytime/"
cp -r "$captures" "$HOME/.claude/projects/more"
cd "$project"
mine=$XDG_CONFIG_HOME/perilune/observers/push-watch

type_block 1
check "1. the first command replays what is there" typed 'perilune replay ~/.claude/projects'
check "and the shipped observers speak" says 'danger-cmd'
id=$(sed -n 's/^step .* \([0-9a-f]\{10\}\)$/\1/p' "$work/out" | sed 1q)
type_block 2 "s/ID/$id/"
check "the id behind a line is explained" says "Proposal $id"

type_block 3
check "2. new observer says what the guide shows" as_shown 1
type_block 4
check "what it wrote is valid before anything is edited" says 'push-watch.lua: Ok (observer)'
type_block 5
check "and passes its spec" says '2 successes / 0 failures / 0 errors'

check "3. the edit of the observer fits" edit 1 "$mine.lua"
type_block 5
check "the old scene of a plain push fails now" says '1 success / 1 failure'
check "the edit of the spec fits" edit 2 "${mine}_spec.lua"
type_block 4
check "4. check says what the guide shows" as_shown 2
cp "$mine.lua" "$work/good.lua"
sed -i 's/turn_end/trun_end/' "$mine.lua"
(cd "$(dirname "$mine.lua")" && try "$perilune" check push-watch.lua)
check "the guide's mistake is told as it shows" as_shown 3
cp "$work/good.lua" "$mine.lua"
type_block 5
check "5. test says what the guide shows" as_shown 4
check "with exit 0" exits 0
type_block 6
check "6. replay says what the guide shows" as_shown 5
spoke() { [ "$(grep -c '^step .*push-watch' "$work/out")" -eq 1 ]; }
check "it spoke once in all recordings" spoke

# What an agent writes, in the simplest format.
printf '%s\n' '{"session":"s","kind":"user_message","text":"Publish it."}' \
  '{"session":"s","kind":"tool_call","name":"Bash","call_id":"c","input":{"command":"git push --force"}}' \
  '{"session":"s","kind":"tool_result","call_id":"c","text":"ok"}' \
  '{"session":"s","kind":"turn_ended","reason":"end_turn"}' >events.jsonl
type_block 7 's/tail -f/cat/' # an end, for the test
check "7. live, it speaks as well" says 'It forced a push'

block sh 8 >"$work/typed"
check "8. a project's observer is begun and asked about" typed 'perilune trust'
status=0
echo y | timeout "$limit_s" script -qec "sh -e $work/typed" /dev/null >"$work/terminal" 2>"$work/err" || status=$?
# The terminal shows the answer when it is typed, which may be before it is asked for.
tr -d '\r' <"$work/terminal" | sed 's|\[y/N\] |&y\n|' >"$work/out"
check "trust shows what the guide shows" as_shown 6
type_block 9
check "a goal and a note are written" [ -s .perilune/goal.md ]
try "$perilune" observers --json
check "the project's observer is used from now on" \
  grep -q '"layer":"project","name":"no-force-push","state":"active"' "$work/out"
finish
