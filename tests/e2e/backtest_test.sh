#!/bin/sh
# The backtest: two policies, or two folders of observers, over one recording (PE-4).
set -eu
. "$(dirname "$0")/lib.sh"

says() { grep -qF -- "$1" "$work/out"; }
test_demo() { try "$perilune" replay --config "$demo/config.yaml" "$@" "$demo"; }

test_demo --policy default --against default --fail-on-change
check "PE-4 a policy does not differ from itself" exits 0
check "PE-4 and says so" says "0 new, 0 gone, 0 in another lane, 0 with another reason"

test_demo --policy default --against quiet
cp "$work/out" "$work/first"
check "PE-4 differences alone are no failure" exits 0
check "PE-4 quiet changes at least three decisions of the demo" \
  [ "$(grep -cE '^(new|gone|lane|reason) ' "$work/out")" -ge 3 ]
check "PE-4 each tells both verdicts with their reasons" says "after   drop: already delivered (default)"
test_demo --policy default --against quiet
check "PE-4 a backtest is the same byte for byte" cmp -s "$work/first" "$work/out"
test_demo --policy default --against quiet --fail-on-change
check "PE-4 --fail-on-change exits 1 where something differs" exits 1
test_demo --json --policy default,shadow --against default
check "PE-4 --json ends with the counts and what both cost" \
  grep -q '^{"record":"backtest","new":[0-9]' "$work/out"
check "PE-4 what a shadow would have said is another lane" says '"change":"lane"'

mkdir "$work/old" "$work/new"
cat >"$work/new/every-step.lua" <<'LUA'
-- perilune-api: 1
return {
    name = "every-step", description = "speaks", on = "turn_end", deliver = "user",
    observe = function(turn)
        return { advise = "A note on step number " .. turn.step, fingerprint = "s" .. turn.step }
    end,
}
LUA
test_demo --observers "$work/new" --against "$work/old" --fail-on-change
check "PE-4 a folder of observers is compared with another" exits 1
check "PE-4 what only one of them proposes is named" says "before  not proposed"
check "the backtest stores nothing" [ ! -e "$XDG_STATE_HOME/perilune/replay.db" ]

test_demo --against default
check "--against wants something to compare" refuses "--against goes with --policy or --observers"
finish
