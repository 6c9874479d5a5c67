#!/bin/sh
# The gate: the whole table of verdicts, a rule that comes and goes during a session, the switches, what
# outlives a host, and the states that status tells apart.
set -eu
. "$(dirname "$0")/lib.sh"

# --- the table

table=$(luajit "$root/tests/gate/table.lua" "$perilune" "$root/tests/gate/table.jsonl" "$work/table") || true
echo "$table"
rows=$(wc -l <"$root/tests/gate/table.jsonl")
check "CC-4 every row of the table is judged as it says" [ "$(echo "$table" | tail -n 1)" = "$rows passed, 0 failed" ]
try "$perilune" gate --agent main
check "the gate wants to know the observer" refuses --observer
try "$perilune" gate --agent main --observer loop-guard
check "a step that is skipped says for whom it is" grep -q "only for an observer that the agent's definition names" "$work/out"
check "and the request is told as one" grep -q 'would be made as "Observe main"' "$work/out"
try "$perilune" gate --agent main --observer loop-gard
check "a type that nothing here has is judged" exits 0
check "and the nearest name is told" grep -q "nothing here is called 'loop-gard'.*did you mean 'loop-guard'" "$work/err"
try "$perilune" gate --agent main --observer x --mode fast
check "an unknown mode is named" refuses fast
try "$perilune" gate --agent main --observer x --settings "$work/nosuch.json"
check "settings that are not there are named" refuses nosuch.json

# --- a deny that comes and goes (C33)

mkdir -p "$work/project/.claude" "$work/observers"
cat >"$work/observers/talker.lua" <<'LUA'
-- perilune-api: 1
return { name = "talker", description = "d", on = "turn_end", can = { "advise" },
  observe = function(turn, ctx)
    ctx.state.n = (ctx.state.n or 0) + 1
    return { advise = ("finding number %d about the last step"):format(ctx.state.n), fingerprint = "f" .. ctx.state.n }
  end }
LUA
settings=$work/project/.claude/settings.json
turn() {
  printf '{"session":"%s","cwd":"%s","kind":"user_message","text":"do %s"}\n' "$1" "$work/project" "$2"
  printf '{"session":"%s","kind":"assistant_text","text":"did %s"}\n' "$1" "$2"
  printf '{"session":"%s","kind":"turn_ended","reason":"completed"}\n' "$1"
}
host() {
  "$perilune" run --json --dialect activity --observers "$work/observers" --state "$work/state" --project "$work/project" -
}
live() { host >"$work/out" 2>"$work/err"; }
do_turn() { say "$(turn "$1" "$2")" && settled; }
runs() { grep -c '"record":"run".*"observer":"talker"' "$work/out" || true; }
told() { grep -q "\"observer\":\"talker\",\"state\":\"$1\"$2" "$work/out"; }

live_start host
do_turn s one
echo '{"permissions":{"deny":["Agent(talker)"]}}' >"$settings"
do_turn s two
check "C33 the batch behind the new rule is not shown" [ "$(runs)" -eq 1 ]
check "C33 the pairing is denied, with the rule" told denied ',"reason":"deny-rules: deny rule Agent(talker) of '
echo '{"permissions":{"deny":["Agent(talker)"' >"$settings"
do_turn s three
rm "$settings"
do_turn s four
check "C33 the rule removed again does not revive it" [ "$(runs)" -eq 1 ]
do_turn other one
check "C33 a pairing that was not denied is fed" [ "$(runs)" -eq 2 ]
live_end
check "C33 the broken file is named, with line and column" grep -q 'settings.json:2:1: error' "$work/err"

live_start host
do_turn s five
check "CC-5 denied survives the restart" [ "$(runs)" -eq 0 ]
check "CC-5 and is told, with what to do" told denied ',"reason":"denied before this host began; perilune enable'
check "CC-5 enable takes the denial back" "$perilune" enable talker --observers "$work/observers" --state "$work/state"
do_turn s six
check "CC-5 the user's enable arms it again in the host that runs" told armed ',"reason":"enabled by the user"'
check "CC-5 and it is shown what came since" [ "$(runs)" -eq 1 ]
check "CC-5 not what came while it was denied" sh -c "! grep '\"record\":\"digest\".*\"observer\":\"talker\"' '$work/out' | grep -q 'did five'"
echo '{"permissions":{"deny":["Agent(talker)"]}}' >"$settings"
do_turn s seven
check "CC-5 the gate may deny it anew" [ "$(runs)" -eq 1 ]
live_end
rm "$settings"

live_start host
do_turn s2 one
echo '{"permissions":{"deny":[' >"$settings"
do_turn s2 two
echo '{}' >"$settings"
do_turn s2 three
live_end
check "CC-10 a file that never was good is an error: this batch is dropped, the observer stays armed" [ "$(runs)" -eq 2 ]
check "CC-10 and is told so" told armed ',"reason":"gate error, batch dropped: '
rm "$settings"

# --- switches (CC-1)

printf 'observers_enabled: false\n' >"$work/managed.yaml"
try "$perilune" status --managed "$work/managed.yaml"
check "CC-1 status names the managed switch" grep -q 'observers are off: the managed file' "$work/out"
PERILUNE_RESTRICTED=yes try "$perilune" status
check "CC-1 status names the switch of the environment" grep -q 'PERILUNE_RESTRICTED' "$work/out"

# --- definitions (CC-2)

agents=$HOME/.claude/agents
mkdir -p "$agents"
agent() { printf -- '---\nname: %s\ndescription: d\n%s---\nprompt\n' "$1" "$2" >"$agents/$1.md"; }
agent worker 'observer: talker
observerMessage: mind the tests
'
agent lone 'observer: nobody
'
agent self 'observer: self
'
agent many 'observer: talker, reviewer, lone, self, worker
'
agent reviewer 'observer: talker
'
{
  printf '{"session":"s3","agent":"t1","agent_name":"worker","kind":"user_message","text":"do"}\n'
} | live
check "CC-2 an observer that does not exist is a warning that names both" grep -q "Agent 'lone' declares observer 'nobody'" "$work/err"
check "CC-2 no agent observes itself" grep -q "Agent 'self' declares observer 'self'" "$work/err"
check "CC-2 of more than four the first four are used" grep -q "Agent 'many' .*first four" "$work/err"
check "CC-2 an observer's own observer is ignored" grep -q "Agent 'reviewer' .*no chaining" "$work/err"

# Files that cannot be used are told, and keep none of the others from being used.
agent twice ''
sed 's/^description.*/observer: talker/' "$agents/twice.md" >"$agents/twin.md"
{
  printf -- '---\nname: long\nobserver: talker\ndescription: '
  head -c 70000 /dev/zero | tr '\0' d
  printf '\n---\nprompt\n'
} >"$agents/long.md"
printf -- '---\nname: open\nobserver: talker\n' >"$agents/open.md"
agent knot 'tools: &a [Read, *a]
'
mkfifo "$agents/pipe.md"
ln -s loop.md "$agents/loop.md"
try "$perilune" gate --agent worker --observer talker --observers "$work/observers" --state "$work/state"
told_of() { grep -q "agents/$1.md:.*$2" "$work/err"; }
check "CC-2 a name that two files give is told" told_of twin "agent 'twice' of .*twice.md is replaced by it"
check "CC-2 a header that is too long is told" told_of long 'longer than the limit of 64 KiB'
check "CC-2 a header without end is told" told_of open 'has no end'
check "CC-2 a header with references is told" told_of knot 'anchors and aliases are not allowed'
check "CC-2 the others are used" exits 0
rm "$agents/twin.md" "$agents/twice.md" "$agents/long.md" "$agents/open.md" "$agents/knot.md" "$agents/pipe.md" "$agents/loop.md"

mkdir "$work/crowd"
i=0
while [ $i -lt 520 ]; do
  printf -- '---\nname: a%d\ndescription: d\n---\np\n' $i >"$work/crowd/a$i.md"
  i=$((i + 1))
done
try "$perilune" gate --agent worker --observer talker --observers "$work/observers" --state "$work/state" --agents "$work/crowd"
check "CC-2 more definitions than may be are told, once" [ "$(grep -c '512 agent definitions are as many as may be' "$work/err")" -eq 1 ]
check "CC-2 those that were read are used" exits 0

# --- hostile settings (C33)

mkdir -p "$HOME/.claude"
{
  printf '{"permissions":{"deny":["x"'
  i=0
  while [ $i -lt 20000 ]; do
    printf ',"x"'
    i=$((i + 1))
  done
  printf ']}}'
} >"$HOME/.claude/settings.json"
try "$perilune" gate --agent worker --observer talker --observers "$work/observers" --state "$work/state"
check "CC-4 a file with too many rules judges nothing" exits 1
check "CC-4 and is told, with the reason" grep -q 'settings.json: error: cannot be used: a configured limit' "$work/err"
rm "$HOME/.claude/settings.json"

# --- the user's stop, and states (C67)

turn s4 one | live
try "$perilune" stop talker --state "$work/state"
check "stop says what it did" grep -q 'stopped: talker' "$work/out"
{
  turn s4 one
  turn s4 two
} | live
check "CC-6 a stop survives the restart" [ "$(runs)" -eq 0 ]
check "CC-6 and is told" grep -q '"state":"stopped","reason":"observerStopped"' "$work/out"
try "$perilune" status --state "$work/state" --observers "$work/observers"
check "C67 status: stopped by user, and since when" grep -q '^talker: stopped by user, since ' "$work/out"
turn s5 one | live
check "a session that begins later is watched" [ "$(runs)" -eq 1 ]
try "$perilune" status --state "$work/state" --observers "$work/observers"
check "C67 status: healthy" grep -q '^talker: healthy, since ' "$work/out"
printf 'return {' >"$work/observers/broken.lua"
try "$perilune" status --state "$work/state" --observers "$work/observers"
check "C67 status: failed to load" grep -q 'broken.lua.*: failed to load' "$work/out"
try "$perilune" status --json --state "$work/state" --observers "$work/observers"
check "C67 the same as JSON" grep -q '"name":"talker","layer":"given","state":"healthy"' "$work/out"

# --- what a restart finds (C29)

{
  turn s6 one
} | live
{
  turn s6 one
  turn s6 two
} | live
check "C29 what was observed before starts no run, what is new does" [ "$(runs)" -eq 1 ]
check "C29 CC-6 the state was kept" grep -q 'finding number 2' "$work/out"
shown() { grep '"record":"digest".*"observer":"talker"' "$work/out"; }
check "C29 it is shown the new prompt" sh -c 'echo "$1" | grep -q "do two"' - "$(shown)"
check "C29 and the old one as current no more" sh -c '! echo "$1" | grep -q "do one"' - "$(shown)"
check "C29 a session that had ended is armed again, under the same id" told armed ''

finish
