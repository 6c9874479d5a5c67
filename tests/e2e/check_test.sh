#!/bin/sh
# Cases C36, C62, C63 and C64: what `perilune check` says of definitions with mistakes. What a
# hostile one costs: tests/unit/host_check_test.c.
set -eu
. "$(dirname "$0")/lib.sh"
from=$root/tests/fault/definitions
says() { grep -qF -- "$1" "$work/out"; }

try "$perilune" check "$from/C36.observer.md"
check "C36 is invalid" exits 1
for pair in 4:turn_end 5:last_user_message 6:advise 8:next_prompt 11:model; do
  check "C36 line ${pair%%:*} is told, with ${pair#*:}" \
    grep -A 1 "C36.observer.md:${pair%%:*}:" "$work/out"
  check "C36 the nearest name is ${pair#*:}" says "did you mean ${pair#*:}?"
done
check "C36 a unit is told" says '10:13: error: timeout_ms must be a whole number'
mkdir -p "$XDG_CONFIG_HOME/perilune/observers"
cp "$from/C36.observer.md" "$XDG_CONFIG_HOME/perilune/observers/"
try "$perilune" observers
check "C36 it is not loaded half-configured" grep -q '^lint-watch  *user  *invalid' "$work/out"
try "$perilune" check "$from/C36.config.yaml"
check "C36 an unknown key of a config is told" says 'C36.config.yaml:1:1: error: unknown key "gate"'

try "$perilune" disable loop-guard
echo 'observers: { verificaton: { enabled: true } }' >"$XDG_CONFIG_HOME/perilune/config.yaml"
sed 's/loop-guard/loop-gaurd/' "$XDG_CONFIG_HOME/perilune/switches.yaml" >"$work/switches.yaml"
cp "$work/switches.yaml" "$XDG_CONFIG_HOME/perilune/switches.yaml"
try "$perilune" check
check "PI-12 a misspelt name in config.yaml is told with its place" \
  says 'config.yaml:1:14: warning: observers: there is no observer '"'verificaton'"
check "PI-12 and one in switches.yaml" \
  says 'switches.yaml:3:3: warning: observers: there is no observer '"'loop-gaurd'"
check "PI-12 each with the nearest" says 'did you mean loop-guard?'
rm -r "$XDG_CONFIG_HOME/perilune"

pi=$work/pi/.pi/observers # where a description may be missing
mkdir -p "$pi"
cp "$from"/C62.*.md "$pi"
try "$perilune" check "$pi/C62.b.md"
check 'C62 "false" in quotes is false' grep -q '^ *enabled  *false' "$work/out"
try "$perilune" check "$pi/C62.c.md"
check "C62 the name yes is a text" grep -q '^ *name  *yes' "$work/out"
check "C62 and True is true" grep -q '^ *enabled  *true' "$work/out"
try "$perilune" check "$pi/C62.observer.md"
check "C62 no as a boolean is refused with its line" says 'C62.observer.md:5:10: error: enabled'
check "C62 so is 0x10" says 'C62.observer.md:8:11: error: priority'
sed -e 's/enabled: no/enabled: false/' -e 's/0x10/16/' "$from/C62.observer.md" >"$pi/C62.observer.md"
try "$perilune" check "$pi/C62.observer.md"
check "C62 BOM and CRLF are fine, on is a trigger" grep -q '^ *on  *turn_end' "$work/out"
check "C62 1_000 is a thousand" grep -q '^ *timeout_ms  *1000' "$work/out"
check "C62 a model is a text" grep -q '^ *model  *1.10' "$work/out"
check "C62 a list of no and on is two texts" grep -q '^ *fallback  *no, on' "$work/out"

mkdir -p "$work/c63/observers"
cp "$from"/C63.*.md "$work/c63/observers"
try "$perilune" check "$work/c63"
check "C63 the folder is invalid" exits 1
check "C63 one of six is good" says '6 files: 1 ok, 0 with warnings, 5 invalid'
check "C63 a value with a colon: quote it" says 'put the value in quotes'
check "C63 a key that stands twice" says 'C63.dup.md:4:1: error: "on" stands twice'
check "C63 no header" says 'C63.nofm.md:1:1: error: the file has no header'
check "C63 a tab" says 'indent with spaces'
check "C63 a header without an end" says 'C63.unclosed.md:1:1: error: the header that begins here has no end'

mkdir -p "$work/anywhere/sub"
cp "$from/C63.good.md" "$from/C63.dup.md" "$work/anywhere/sub"
printf '%s\n' '---' 'title: notes' '---' 'Turn it' 'on' >"$work/anywhere/notes.md"
echo '# read me' >"$work/anywhere/README.md"
try "$perilune" check "$work/anywhere"
check "in any folder a Markdown file whose header has on is an observer, no other is" \
  says '2 files: 1 ok, 0 with warnings, 1 invalid'

for name in bomb deep self merge; do
  try "$perilune" check "$from/C64.$name.md"
  check "C64 $name is refused" exits 1
done
check "C64 a merge key cannot add a veto" says 'anchors and aliases are not allowed'
try "$perilune" check "$from/C64.deep.md"
check "C64 the limit is named" says 'limit of 16 levels'
# --- permissions of a config

wrong() { # LINES: a config's permissions
  printf 'permissions:\n%s\n' "$1" >"$work/rules.yaml"
  try "$perilune" check "$work/rules.yaml"
}
wrong '  denny: ["Agent(x)"]'
check "CC-4 an unknown key of permissions is told, with the nearest" says 'did you mean deny?'
check "CC-4 and makes the config invalid" exits 1
wrong '  deny:
    - Agent(x)
    - "Agent(x"'
check "CC-4 a malformed rule is told with its place and what to write" \
  grep -A 1 "rules.yaml:4:7: error: permissions.deny: 'Agent(x' is no rule" "$work/out"
check "CC-4 with what to write" says 'hint: write Tool, Tool(*) or Agent(type)'
wrong '  ask: { Agent: x }'
check "CC-4 a list that is none is told" says 'rules.yaml:2:8: error: permissions.ask must be a list of texts'
wrong '  allow: [[Agent]]'
check "CC-4 so is an entry that is no text" says 'rules.yaml:2:11: error: permissions.allow holds something else than texts'
wrong '  mode: dontask'
check "CC-4 a mode that is none is told with the nearest" says 'did you mean dontAsk?'
wrong '  allowed_agent_types: ["Agent(reviewer)"]'
check "CC-4 a type that is a rule is told" says 'write the type alone'
wrong '  hooks: { PreToolUse: x }'
check "CC-4 hooks of the wrong shape are told" says 'rules.yaml:2:10: error: permissions.hooks.PreToolUse must be a list'
wrong '  hooks: { PreToolUse: [{ hooks: [{ type: command, command: "true" }] }] }'
check "CC-4 hooks outside the managed file are a warning" says 'warning: permissions.hooks count in the managed file'
wrong '  deny: Agent(a, b), Bash
  mode: plan
  allowed_agent_types: [reviewer]'
check "CC-4 a good one is fine" exits 0

printf '{\n  "permissions": { "deny": ["Agent(x)",\n    "Bash(rm"] }\n}\n' >"$work/settings.json"
try "$perilune" check "$work/settings.json"
check "CC-4 a malformed rule of the agent's own settings is told with its place" \
  says "settings.json:3:6: error: permissions.deny: 'Bash(rm' is no rule"
check "CC-4 and makes them invalid" exits 1
printf '{"permissions": {\n\t"deny": ["Agent(loop-guard)",\n\t\t"Agent(nobody)"]}, "other": 1}\n' >"$work/settings.json"
try "$perilune" check --quiet --against "$demo" "$work/settings.json"
check "CC-4 their rules are tried on a recording" says 'settings.json:2: deny rule Agent(loop-guard) matched 1 of'
check "CC-4 one that never matches is told" says 'settings.json:3: warning: deny rule Agent(nobody) never matched'

finish
