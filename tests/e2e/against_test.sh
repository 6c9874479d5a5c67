#!/bin/sh
# C36: `check --against RECORDING` names the observers that the recording never woke, with the reason.
set -eu
. "$(dirname "$0")/lib.sh"

observer() { # NAME FIELDS
  cat >"$work/own/$1.lua" <<END
-- perilune-api: 1
return { name = "$1", description = "A probe.", $2 }
END
}
says() { grep -qF -- "$1" "$work/out"; }
mkdir "$work/own"
observer good 'on = "turn_end", observe = function() return { advise = "hm", fingerprint = "f" } end'
observer denied 'on = "tool_denied", observe = function() end'
observer elsewhere 'on = "turn_end", agents = { "reviwer" }, observe = function() end'
observer sleepy 'on = "turn_end", wake = function() return false end, observe = function() end'
observer broken 'on = "turn_end", observe = function() error("x") end'
observer quiet 'on = "turn_end", observe = function() end'

try "$perilune" check --quiet --against "$demo" "$work/own"
check "C36 what never matched is a warning, not a failure" exits 0
check "C36 a trigger that never came is named" \
  says 'denied never matched: its trigger never came: tool_denied'
check "C36 so is an agents filter that fits nobody" \
  says 'elsewhere never matched: no agent is one of its agents: reviwer'
check "C36 and a wake() that always says no" says 'sleepy never matched: its wake() said no'
check "C36 and an observer that always fails" says 'broken never matched: failed each time it ran, 3'
check "C36 one that ran and was silent is no warning" grep -q 'quiet ran [1-9][0-9]* times, proposed 0' "$work/out"
check "C36 one that spoke says how often" grep -q 'good ran \([0-9]*\) times, proposed \1 times' "$work/out"
check "C36 four are warned of" [ "$(grep -cF '[never-matched]' "$work/out")" -eq 4 ]

cp "$work/out" "$work/first"
try "$perilune" check --quiet --against "$demo" "$work/own"
check "C36 twice gives the same bytes" cmp -s "$work/first" "$work/out"
try "$perilune" check --json --against "$demo" "$work/own/denied.lua" "$work/own/quiet.lua"
check "C36 --json tells one object an observer" \
  says '"matched":false,"armed":1,"ran":0,"skipped":0,"failed":0,"unrun":0,"proposed":0,"reason":"its trigger'
check "C36 and what matched" says '"matched":true'

policy() { # NAME CONDITION
  printf -- '-- perilune-api: 1\nreturn { name = "%s", deliver = function(verdict, p)\n%s\nend }\n' "$1" \
    "if $2 then return { verdict = \"drop\", reason = \"not now\" } end return verdict" >"$work/$1.lua"
}
policy strict-nits 'p.severity == "nti"'
policy no-good 'p.observer == "danger-cmd"'
try "$perilune" check --quiet --against "$demo" "$work/own" "$work/strict-nits.lua" "$work/no-good.lua"
check "C36 a policy whose condition is never met is a warning" \
  grep -q 'strict-nits.lua: warning: never matched: it changed none of [1-9]' "$work/out"
check "C36 of one that is met, how often" grep -q 'no-good.lua: changed [1-9][0-9]* of [1-9]' "$work/out"

printf 'name = "x"\n' >"$work/own/bad.lua"
try "$perilune" check --quiet --against "$demo" "$work/own"
check "an invalid file is still a failure" exits 1
check "and the valid ones are tried all the same" says 'quiet ran'
try "$perilune" check --against "$work/missing" "$work/own/quiet.lua"
check "a recording that is not there is exit 2" exits 2
# --- permission rules

cat >"$work/config.yaml" <<'YAML'
permissions:
  deny: ["Agent(quiet)", "Agent(nosuch)", "Bash(rm *)", "Agent(Quiet)", "agent(quiet)"]
  ask:
    - Agent(lo*)
  allow: Agent(good), Ag*
YAML
try "$perilune" check --quiet --against "$demo" "$work/config.yaml" "$work/own/quiet.lua"
check "C36 a permission rule that never matched is no failure" exits 0
check "C36 of a rule that matched is said how often" says 'config.yaml:2: deny rule Agent(quiet) matched 1 of '
check "C36 one that names no observer of the recording is a warning" \
  says 'config.yaml:2: warning: deny rule Agent(nosuch) never matched: none of the '
check "C36 one of another tool says why it never can" \
  says 'deny rule Bash(rm *) never matched: it does not speak of Agent'
check "C36 letter case counts in a type" \
  says 'deny rule Agent(Quiet) never matched: none of the '
check "C36 and in a tool" says 'deny rule agent(quiet) never matched: it does not speak of Agent'
check "C36 globs count in ask rules" says 'config.yaml:4: ask rule Agent(lo*) matched 1 of '
check "C36 not in allow rules" says 'config.yaml:5: warning: allow rule Ag* never matched: it does not speak of Agent'
try "$perilune" check --json --against "$demo" "$work/config.yaml"
check "C36 --json tells one object a rule" \
  says '{"rule":"Agent(nosuch)","effect":"deny","file":"'
check "C36 and which matched" says '"effect":"ask","file":"'"$work/config.yaml"'","line":4,"matched":true,"pairs":1'

finish
