#!/bin/sh
# Case C65: a project's files do nothing before somebody agreed to exactly that content.
set -eu
. "$(dirname "$0")/lib.sh"

markers() { ls "$work"/pwned*; }
project=$work/project
observers=$project/.perilune/observers
mkdir -p "$observers"
cat >"$work/pushes.jsonl" <<'TEXT'
{"session":"s","kind":"user_message","text":"fix it"}
{"session":"s","kind":"tool_call","name":"Bash","call_id":"c1","input":{"command":"make"}}
{"session":"s","kind":"tool_result","call_id":"c1","text":"ok"}
{"session":"s","kind":"assistant_text","text":"done"}
{"session":"s","kind":"turn_ended","reason":"end_turn"}
TEXT
run() { try "$perilune" run --project "$project" "$work/pushes.jsonl"; }
state() { "$perilune" observers --project "$project" --json 2>/dev/null | grep "\"layer\":\"$1\",\"name\":\"$2\""; }
is() { state "$1" "$2" | grep -q "\"state\":\"$3\""; }

run
check "C65 an empty project is silent" [ -z "$(grep project "$work/err")" ]

# hostile NAME FILE: a hostile definition; what it would leave is this run's alone.
hostile() { sed "s|/tmp/perilune-pwned|$work/pwned|" "$root/tests/fault/definitions/C65.$1" >"$observers/$2"; }
hostile project_observer.md goal-tracker.md
hostile project_policy.lua p.lua
run
check "C65 an untrusted project runs" exits 0
check "C65 no marker appears while it is untrusted" [ -z "$(markers 2>/dev/null)" ]
check "C65 one notice names the folder" [ "$(grep -c '\[untrusted\]' "$work/err")" -eq 1 ]
check "C65 the notice names the files" grep -q 'content: .perilune/observers/p.lua, .perilune/observers/goal-tracker.md' "$work/err"
check "C65 the bundled goal-tracker stays" is builtin goal-tracker active
check "C65 the project's are listed as untrusted" is project goal-tracker untrusted
try "$perilune" replay "$work/pushes.jsonl"
check "C65 a replay does not look at the project" [ -z "$(grep project "$work/err")" ]

try "$perilune" trust --project "$project"
check "C65 without a terminal and --yes nothing is trusted" exits 1
check "C65 it is shown what would run" grep -q "touch $work/pwned" "$work/out"
check "C65 it is shown where a model would be asked" grep -q 'attacker.local.test' "$work/out"
check "C65 it is shown what would be replaced" grep -q 'the builtin observer of that name' "$work/out"
check "C65 showing runs nothing" [ -z "$(markers 2>/dev/null)" ]

try "$perilune" trust --project "$project" --yes
check "C65 --yes agrees without asking" exits 0
run
check "C65 the trusted Lua runs, in its sandbox, and makes no marker" [ -z "$(markers 2>/dev/null)" ]
check "C65 it runs in a worker" grep -q '"runtime":"worker"' <<TEXT
$(state project p)
TEXT
check "C65 a definition with a command of its own is refused" is project goal-tracker invalid
check "C65 so the bundled goal-tracker stays, and this is said" grep -q "'goal-tracker' of layer builtin stays" "$work/err"
check "C65 trust is kept by path and content" grep -q "\"path\":\"$observers/p.lua\",\"sha256\":\"[0-9a-f]\{64\}\"" "$XDG_STATE_HOME/perilune/trust.jsonl"

cp -r "$project" "$work/copy"
try "$perilune" observers --project "$work/copy" --json
check "C65 the same content elsewhere is untrusted" grep -q '"name":"p","state":"untrusted"' "$work/out"

printf ' ' >>"$observers/p.lua"
run
check "C65 one changed byte and it is untrusted again" grep -q 'content: .perilune/observers/p.lua \[untrusted\]' "$work/err"
check "C65 and listed so" is project p untrusted
try "$perilune" trust --project "$project" --yes "$observers/p.lua"
check "trust takes single files" is project p active
try "$perilune" trust --list
check "trust --list names them" grep -q "$observers/p.lua" "$work/out"
try "$perilune" trust --revoke --project "$project"
check "trust --revoke takes it back" is project p untrusted
try "$perilune" trust --revoke --project "$project"
check "where nothing is trusted, nothing is taken back, and that is said" grep -q '^nothing was taken back' "$work/out"

mv "$project/.perilune" "$work/real"
ln -s "$work/real" "$project/.perilune"
run
check "C65 a linked folder is refused" grep -q 'left out: it is a symbolic link' "$work/err"
rm "$project/.perilune"
mv "$work/real" "$project/.perilune"
chmod 777 "$observers"
run
check "C65 a folder that everyone may write is refused" grep -q 'left out: it may be written by everyone' "$work/err"
chmod 755 "$observers"

cat >"$observers/p.lua" <<'TEXT'
-- perilune-api: 1
return { name = "p", description = "speaks", on = "turn_end",
  observe = function() return { advise = "I ran.", fingerprint = "ran" } end }
TEXT
try "$perilune" trust --project "$project" --yes
run
check "a trusted observer speaks" grep -q 'I ran.' "$work/out"
try "$perilune" replay --project "$project" "$work/pushes.jsonl"
check "and in a replay with --project" grep -q 'I ran.' "$work/out"
try "$perilune" digest --observer p --project "$project" "$work/pushes.jsonl"
check "digest --project shows what it sees" grep -q 'fix it' "$work/out"
try "$perilune" digest --observer p "$work/pushes.jsonl"
check "without it, digest does not look at the project" refuses "no observer 'p'"
finish
