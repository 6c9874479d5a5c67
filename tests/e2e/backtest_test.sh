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
check "PE-4 and what both cost" sh -c "grep -q 'deliveries 9 -> 6,$' '$work/out' && grep -qx 'vetoes 2 -> 2, model calls 0 -> 0' '$work/out'"
check "PE-4 no line is wider than a page" [ "$(LC_ALL=C.UTF-8 wc -L <"$work/out")" -le 80 ]
test_demo --policy default --against quiet
check "PE-4 a backtest is the same byte for byte" cmp -s "$work/first" "$work/out"
ids=$(sed -n 's/^gone .*   \([0-9a-f]*\)$/\1/p' "$work/first")
for id in $ids; do
  try "$perilune" explain "$id"
  check "PE-5 explain tells why $id is gone" says "The policy default dropped it"
  try "$perilune" explain --against "$id"
  check "PE-5 and why it was delivered before" says "The core let it through"
done
test_demo --quiet --policy default --against quiet
check "PE-4 --quiet leaves out the differences, not their number" sh -c "! grep -q '^gone' '$work/out'"
check "PE-4 nor what both cost" sh -c "grep -q 'deliveries 9 -> 6,$' '$work/out' && grep -qx 'vetoes 2 -> 2, model calls 0 -> 0' '$work/out'"
test_demo
check "a plain replay forgets the other side" [ ! -e "$XDG_STATE_HOME/perilune/against.db" ]
{
  cat "$demo/config.yaml"
  echo 'observers: { claim-check: { mode: shadow } }'
} >"$work/shadow.yaml"
try "$perilune" replay --config "$work/shadow.yaml" --policy default --against quiet "$demo"
check "PE-8 an observer in shadow is shown as what it would have said" \
  says "before  in shadow, would deliver, steer: within the window's budget (core)"

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
over_captures() { try "$perilune" replay --observers "$work/new" --policy default --against quiet "$captures"; }
over_captures
cp "$work/out" "$work/once"
over_captures
check "PE-4 over many agents' recordings, hundreds of proposals are compared" grep -q 'proposals [1-9][0-9][0-9] ->' "$work/out"
check "PE-4 twice byte for byte the same" cmp -s "$work/once" "$work/out"
test_demo --observers "$work/new" --against "$work/old" --fail-on-change
check "PE-4 a folder of observers is compared with another" exits 1
check "PE-4 what only one of them proposes is named" says "before  not proposed"
id=$(sed -n 's/^new .*every-step   \([0-9a-f]*\)$/\1/p' "$work/out" | sed 1q)
try "$perilune" explain "$id"
check "PE-5 explain tells of one that only the new folder proposes" says "A note on step number"
test_demo --observers "$work/old" --against "$work/new"
try "$perilune" explain "$id"
check "PE-5 and of one that only the old one did" says "A note on step number"

test_demo --against default
check "--against wants something to compare" refuses "--against goes with --policy or --observers"
finish
