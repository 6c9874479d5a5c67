#!/bin/sh
# A newcomer's path: new, check, test, replay, without editing a line.
set -eu
. "$(dirname "$0")/lib.sh"
config=$XDG_CONFIG_HOME/perilune

try "$perilune" new observer push-watch
check "new observer writes it and its spec" [ -s "$config/observers/push-watch_spec.lua" ]
try "$perilune" check
check "it passes check at once" exits 0
check "without a warning" grep -q 'push-watch.lua: Ok (observer)' "$work/out"
check "check shows what it resolved to" grep -q 'on  *turn_end' "$work/out"
try "$perilune" new policy quiet
try "$perilune" check "$config/policies/quiet.lua"
check "a new policy passes check at once" grep -q 'quiet.lua: Ok (policy)' "$work/out"
try "$perilune" test
check "both pass test at once" grep -q '4 successes / 0 failures / 0 errors' "$work/out"
check "and test says so" exits 0
try "$perilune" observers
check "it is listed" grep -q '^push-watch  *user  *active' "$work/out"


# The reference shows a replay with that observer among the shipped ones.
(cd "$root" && "$perilune" replay tests/golden/demo >"$work/out")
sed -n '/^\$ perilune replay tests\/golden\/demo/,/^```/p' "$root/docs/reference/cli.md" |
  sed '/^\$/d; /^\.\.\./d; /^```/d' >"$work/shown"
check "the reference shows the summary that comes" \
  sh -c "[ -s '$work/shown' ] && ! grep -vxFf '$work/out' '$work/shown'"

printf '%s\n' '{"session":"s","kind":"user_message","text":"x"}' \
  '{"session":"s","kind":"tool_call","name":"Bash","call_id":"c","input":{"command":"git push"}}' \
  '{"session":"s","kind":"tool_result","call_id":"c","text":"ok"}' \
  '{"session":"s","kind":"turn_ended","reason":"end_turn"}' >"$work/push.jsonl"
try "$perilune" replay "$work/push.jsonl"
check "it speaks in a replay" grep -q 'was that asked for' "$work/out"

try "$perilune" new observer push-watch
check "nothing is overwritten" exits 1
try "$perilune" new observer Bad/Name
check "a wrong name is refused" refuses "Bad/Name"
try "$perilune" new observer mine --project "$work"
check "a project's goes into the project" [ -s "$work/.perilune/observers/mine.lua" ]
try "$perilune" test "$work/.perilune"
check "test takes a path" grep -q '2 successes' "$work/out"

sed 's/git status/git push/' "$config/observers/push-watch_spec.lua" >"$work/fails_spec.lua"
cp "$config/observers/push-watch.lua" "$work/"
try "$perilune" test "$work/fails_spec.lua"
check "a failing spec is exit 1" exits 1
echo 'os.execute("touch '"$work"'/busted-ran")' >"$work/.busted"
(cd "$work" && try "$perilune" test "$config")
check "a .busted file that happens to be there is not run" [ ! -e "$work/busted-ran" ]
try "$perilune" test "$work/nowhere"
check "a missing path is exit 2" refuses nowhere
mkdir "$work/bare"
try "$perilune" test "$work/bare"
check "a folder without specs is exit 2" refuses bare
LUA_PATH=/nowhere/?.lua try "$perilune" test "$config"
check "where busted is missing, the package is named" refuses lua-busted
finish
