#!/bin/sh
# docs/guide/observers.md and README.md, executed: every code block as it stands there, in use, and what
# the README shows of the demo is what the demo prints.
set -eu
. "$(dirname "$0")/lib.sh"

# block FILE LANGUAGE NUMBER: the NUMBERth code block of that language; "" is one without.
block() {
  awk -v lang="$2" -v wanted="$3" '
    /^```/ { fenced = !fenced; shown = fenced && $0 == "```" lang && ++count == wanted; next }
    shown' "$1"
}
guide=$root/docs/guide/observers.md
own=$XDG_CONFIG_HOME/perilune/observers
mkdir -p "$own"
says() { grep -qF -- "$1" "$work/out"; }
line() { printf '{"session":"s","kind":"%s",%s}\n' "$1" "$2"; }

block "$guide" lua 1 >"$own/todo-left.lua"
try "$perilune" check "$own/todo-left.lua"
check "the guide's observer is valid, without a warning" says 'todo-left.lua: Ok (observer)'
check "it is as short as the guide says" [ "$(wc -l <"$own/todo-left.lua")" -le 16 ]
{
  line user_message '"text":"fix it"'
  line tool_call '"name":"Edit","call_id":"1","input":{"file_path":"a.c","new_string":"// TODO: free it"}'
  line tool_result '"call_id":"1","text":"ok"'
  line turn_ended '"reason":"end_turn"'
} >"$work/session.jsonl"
try "$perilune" replay "$work/session.jsonl"
check "it speaks of a TODO" says 'An edit left a TODO in a.c.'

block "$guide" lua 2 >"$own/todo-left_spec.lua"
try "$perilune" test
check "the guide's spec passes" says '2 successes / 0 failures / 0 errors'
sed 's/find("TODO")/find("FIXME")/' "$own/todo-left.lua" >"$work/broken"
cp "$work/broken" "$own/todo-left.lua"
try "$perilune" test
check "and fails once the observer is broken" exits 1
rm "$own/todo-left.lua" "$own/todo-left_spec.lua"

block "$guide" markdown 1 >"$own/api-review.md"
block "$guide" lua 3 >"$own/api-review.lua"
try "$perilune" check "$own"
check "the guide's Markdown observer is valid, with the Lua beside it" says 'api-review.md: Ok (observer)'
run_of() { # FILE: how its run ended where the agent has edited that file
  {
    line user_message '"text":"go"'
    line tool_call "\"name\":\"Edit\",\"call_id\":\"1\",\"input\":{\"file_path\":\"$1\",\"new_string\":\"x\"}"
    line tool_result '"call_id":"1","text":"ok"'
    line turn_ended '"reason":"end_turn"'
  } >"$work/session.jsonl"
  "$perilune" replay --json "$work/session.jsonl" |
    sed -n 's/^{"record":"run".*"observer":"api-review".*"state":"\([^"]*\)".*/\1/p'
}
check "its wake spares the model where nothing was touched" [ "$(run_of src/a.c)" = skipped ]
check "and asks for it where the header was" [ "$(run_of include/api.h)" = no-runtime ]
rm "$own"/api-review.*

mkdir "$work/notes" "$work/skills"
block "$guide" yaml 1 | sed "s|/home/me/notes|$work/notes|; s|/home/me/.claude/skills|$work/skills|" >"$work/config.yaml"
try "$perilune" check "$work/config.yaml"
check "the guide's config is valid" says 'config.yaml: Ok (config)'

block "$root/README.md" lua 1 >"$own/no-force-push.lua"
try "$perilune" check "$own"
check "the README's observer is valid, without a warning" says 'no-force-push.lua: Ok (observer)'
{
  line user_message '"text":"ship it"'
  line tool_call '"name":"Bash","call_id":"1","input":{"command":"git push --force"}'
  line tool_result '"call_id":"1","text":"ok"'
  line turn_ended '"reason":"end_turn"'
} >"$work/session.jsonl"
try "$perilune" replay "$work/session.jsonl"
check "it speaks in a replay" says 'A force push: was it asked for?'
status=0
"$perilune" run - <"$work/session.jsonl" >"$work/out" 2>"$work/err" || status=$?
check "and in a run" says 'A force push: was it asked for?'
rm "$own/no-force-push.lua"

# The demo's own words: every line of the README's block, but for "…", is one of its output.
try "$perilune" replay --config "$demo/config.yaml" "$demo"
as_shown() {
  block "$root/README.md" "" 1 | grep -vx '…' >"$work/shown"
  [ "$(wc -l <"$work/shown")" -gt 20 ] && ! grep -vxFf "$work/out" "$work/shown" >>"$work/err"
}
check "the README shows the demo as it is" as_shown
id=$(sed -n 's/^step .* \([0-9a-f]\{10\}\)$/\1/p' "$work/shown" | sed 1q)
try "$perilune" explain "$id"
check "and its ids can be explained" says "Proposal $id"
finish
