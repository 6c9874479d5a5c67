#!/bin/sh
# The bundled observers within the host's limits: none fails or runs out of time on a session
# made to cost scripts dear, or on the recorded ones; and all they say on the recorded sessions
# stands in tests/golden/utterances.txt with the reason why it is right. After a change that is
# meant: PERILUNE_UPDATE=1 prints the new lines, to be given their reasons by hand.
set -eu
. "$(dirname "$0")/lib.sh"

golden=$root/tests/golden/utterances.txt
failed_runs() { grep '"record":"run"' "$work/out" | grep -c '"state":"\(failed\|timeout\)"' || true; }

luajit "$root/tests/support/hostile_session.lua" >"$work/hostile.jsonl"
printf '%s\n' 'goal: { text: Ship it, check: make test, items: [add a regression test] }' \
  "recall: { memory: [$work/memory], skills: [] }" >"$work/config.yaml"
mkdir "$work/memory"
echo 'The staging postgres listens on port 5544.' >"$work/memory/port.md"
try "$perilune" replay --json --config "$work/config.yaml" "$work/hostile.jsonl"
check "a hostile session is replayed to its end" exits 0
check "no bundled observer fails or times out on it" [ "$(failed_runs)" = 0 ]
check "and every one was run" [ "$(grep '"record":"run"' "$work/out" |
  sed 's/.*"observer":"\([^"]*\)".*/\1/' | sort -u | wc -l)" -ge 15 ]

# One line an utterance: session, step, observer, fingerprint.
utterances() {
  grep '"record":"proposal"' "$1" | sed -n \
    's/.*"session":"\([^"]*\)".*"step":\([0-9]*\).*"observer":"\([^"]*\)".*"fingerprint":"\([^"]*\)".*/\1 \2 \3 \4/p'
}
try "$perilune" replay --json "$captures"
check "the captures are replayed" exits 0
check "no bundled observer fails on them" [ "$(failed_runs)" = 0 ]
cp "$work/out" "$work/all"
try "$perilune" replay --json --config "$demo/config.yaml" "$demo"
check "no bundled observer fails on the demo" [ "$(failed_runs)" = 0 ]
cat "$work/out" >>"$work/all"

utterances "$work/all" | sort >"$work/said"
grep -v '^#' "$golden" | sed 's/ *|.*//' | sort >"$work/wanted"
[ -z "${PERILUNE_UPDATE:-}" ] || cat "$work/said" >&2
check "every utterance on the recorded sessions is a line of utterances.txt" \
  diff "$work/wanted" "$work/said"
reasoned() { ! grep -v '^#' "$golden" | grep -qv ' | \(right\|false\): .'; }
check "each with a reason" reasoned
doubled() { grep '| false:' "$golden" | awk '{ print $3 }' | sort | uniq -d | grep -q .; }
at_most_one() { ! doubled; }
check "and at most one an observer is marked false" at_most_one
finish
