#!/bin/sh
# `policy eval` and `policy table`: the shipped policies against pi-observers and the cases (PI-7,
# C54, C56, C58, C59), and what the verb makes of bad input.
set -eu
. "$(dirname "$0")/lib.sh"
golden=$root/tests/golden/policy

# eval POLICY LINE...
eval_lines() {
  policy=$1
  shift
  printf '%s\n' "$@" >"$work/lines"
  try "$perilune" policy eval --policy "$policy" "$work/lines"
}
says() { grep -qF -- "$1" "$work/out"; }
prints_lines() { [ "$(wc -l <"$work/out")" -eq "$1" ]; }

try luajit "$golden/flows.lua" "$perilune"
check "PI-7 pi decides 60 of 60 flows as pi-observers did" grep -qx "60 passed, 0 failed" "$work/out"
try luajit "$golden/cases.lua" "$perilune"
check "C54 C58 C59 end at their ceilings under every shipped policy" exits 0

one='{"observer":"a","kind":"advisory","text":"The lock is never released.","fingerprint":"f"}'
eval_lines default "{\"proposals\":[$one]}" "" "{\"proposals\":[]}"
check "eval answers each object with one line, blank lines none" prints_lines 2
check "eval says whose word it was" says '"policy":"core"'
eval_lines claude "{\"limits\":{\"advisories_per_turn\":0},\"proposals\":[$one]}" "" \
  '{"window":"new"}'
check "eval lets wait what the limits of its first line forbid" says '"verdict":"defer"'
eval_lines quiet "{\"at\":\"2026-03-01T23:00:00Z\",\"proposals\":[$(
  printf '%s' "$one" | sed 's/}$/,"severity":"nit"}/'
)]}" '{"at":"2026-03-02T09:00:00Z","window":"new"}'
check "eval judges at the time a line names" says '"reason":"quiet hours"'
check "eval names a released proposal by its line and index" says '"released":[{"line":0,"index":0,'
eval_lines default '{"proposals":[{"observer":"a","kind":"veto","text":"x","fingerprint":null}]}'
check "C59 eval refuses a proposal without a fingerprint, and says so" says 'fingerprint is missing'

eval_lines default 'not json'
check "eval exits 2 for a line that is no JSON" exits 2
check "eval names the line" grep -q 'lines:1: ' "$work/err"
eval_lines default '{"observer":"a","kind":"advisory","text":"x","fingerprint":"f"}'
check "eval exits 2 for a proposal that stands in no batch" refuses 'lines:1: `proposals` is missing'
eval_lines default '{"proposals":[]}' '{"limits":{"veto_budget":9}}'
check "eval takes limits on the first line only" exits 2
eval_lines nosuch '{}'
check "eval exits 2 for a policy that is not there" exits 2
check "eval names that policy" grep -q "nosuch" "$work/err"
try "$perilune" policy eval "$work/missing"
check "eval exits 2 for a file that is not there" exits 2
try "$perilune" policy
check "policy without a verb is refused" refuses "eval, table or lanes"

try "$perilune" policy table
check "C56 the table has 18 rows and two of headings" prints_lines 20
try "$perilune" policy table --json
check "C56 the table as JSON has a cell for each severity, state and lane" prints_lines 108
check "C56 a blocker reopens a settled run" \
  says '"severity":"blocker","state":"settled","lane":"steer","action":"follow_up"'
check "C56 a nit never wakes an idle agent" \
  says '"severity":"nit","state":"idle","lane":"steer","action":"prompt"'
try "$perilune" policy table --policy shadow
check "the table is that of the policies it is asked about" grep -q 'running   log' "$work/out"

try "$perilune" policy lanes
check "the table of ways begins with what its words mean" says 'ok: the model reads it; since V:'
check "PE-6 every dialect of a live agent states its lanes" says 'codex-hooks, tried with 0.171.0'
check "PE-7 a lane without a way says what stands in for it" says 'steer      none: prompt instead'
printf 'channels: { claude-hooks: { "PostToolUse:Agent": { additionalContext: dropped } } }\n' \
  >"$work/channels.yaml"
try "$perilune" policy lanes --json --config "$work/channels.yaml"
check "C57 the config knows better" \
  says '"event":"PostToolUse","tool":"Agent","answer":"additionalContext","reach":"dropped"'
check "C57 what it does not speak of stays" \
  says '"event":"PreToolUse","answer":"additionalContext","reach":"ok","since":"2.1.215"'
printf 'channels: { claude-hooks: { Stopp: { decision: ok } } }\n' >"$work/channels.yaml"
try "$perilune" policy lanes --config "$work/channels.yaml"
check "C57 a channel that no lane goes by is told" \
  grep -q 'channels.yaml:1:48: warning: channels: no lane of claude-hooks goes by Stopp.decision' "$work/err"

mkdir "$work/observers"
write_talker >"$work/observers/talker.lua"
try "$perilune" run --quiet --observers "$work/observers" --sink "$work/sink" \
  "$captures/claude-code-2.1.332/ctx_332/hooks.jsonl"
check "C57 the sink is told by which answer to which event a note goes" \
  grep -q '"event":"PostToolBatch","answer":"additionalContext"}$' "$work/sink"
check "C57 and hands over nothing at an event that leads nowhere" \
  sh -c "! grep -q '\"event\":\"PreToolUse\"' '$work/sink'"
finish
