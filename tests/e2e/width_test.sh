#!/bin/sh
# Every verb's lines for people fit a terminal of 80 columns, and are laid out for a narrower one. What
# cannot be broken (a path, a digest that is shown to the byte) is left as it is, and so are diagnostics,
# which are one line each for the programs that read them.
set -eu
. "$(dirname "$0")/lib.sh"
LC_ALL=C.UTF-8
export LC_ALL
recording=$(basename "$(ls "$demo"/*.jsonl)")
mkdir "$work/in" "$work/in/observers"
cp "$demo/$recording" "$demo/config.yaml" "$work/in"
cp "$root"/observers/loop-guard.lua "$root"/observers/verification.md "$work/in/observers"
cd "$work/in"

widest() { sed '/: \(error\|warning\): .*\[[a-z-]*\]$/d' "$work/out" | wc -L; }
fits() { [ -s "$work/out" ] && [ "$(widest)" -le 80 ]; }
# shows VERB...: it prints something, and no line is too wide.
shows() {
  try "$perilune" "$@"
  check "every line of $1 fits: $*" fits
}

shows run --config config.yaml "$recording"
shows replay --policy pi --against default --config config.yaml "$recording"
shows replay --config config.yaml "$recording"
for id in $(sed -n 's/^step .*   \([0-9a-f]\{10\}\)$/\1/p' "$work/out" | sort -u); do
  shows explain "$id"
done
for name in claim-check danger-cmd; do
  printf 'observers: { %s: { mode: shadow } }\n' "$name" >shadow.yaml
  shows run --config shadow.yaml --state "$work/$name" "$recording"
  check "what $name would say in shadow is among them" grep -q "in shadow, would" "$work/out"
done
cat >wordy.lua <<'LUA'
-- perilune-api: 1
return { name = "wordy", deliver = function()
  return { verdict = "drop", reason = "nobody is at this desk after noon, and what was found can wait until tomorrow" }
end }
LUA
shows replay --policy default,wordy.lua "$recording"
shows policy lanes
shows run --quiet --state "$work/sunk" --sink "$work/notes" "$recording"
check "notes that the agent's stream never shows are asked about" \
  grep -q 'no longer looked for: does the agent get them?' "$work/out"
shows log --replay
shows log
shows precision
shows status
shows observers
"$perilune" disable loop-guard >"$work/sink"
shows observers
shows policy table
shows gate --agent main --observer loop-guard
printf 'permissions: { deny: ["Agent(loop-guard)"] }\n' >deny.yaml
shows gate --agent main --observer loop-guard --settings deny.yaml
shows check observers
shows check --quiet --against "$recording" observers
shows promote loop-guard
mkdir -p p/.perilune/observers
cp observers/loop-guard.lua observers/verification.md p/.perilune/observers
printf 'limits: { advisories_per_turn: 1 }\n' >p/.perilune/config.yaml
printf -- '- [ ] the first of the items\n' >p/.perilune/goal.md
shows trust --project p
shows goal --project p --show
shows trust --list
shows stop
shows help

if command -v script >/dev/null; then # a terminal of 60 columns
  id=$("$perilune" replay --json --config config.yaml "$recording" | sed -n '/"record":"decision"/s/.*"id":"\([^"]*\)".*/\1/p' | sed 1q)
  script -qec "stty cols 60; exec '$perilune' explain $id" /dev/null </dev/null >"$work/tty" 2>&1 || true
  tr -d '\r' <"$work/tty" >"$work/out"
  check "a terminal of 60 columns gets no wider line" [ "$(widest)" -le 60 ]
  check "though it gets them all" grep -q '^Decided' "$work/out"
fi
finish
