#!/bin/sh
# Observers that are programs: the guide's examples as they stand there, a worker that says what
# the same Lua says in process, and a live run that leaves nothing behind.
set -eu
. "$(dirname "$0")/lib.sh"
guide=$root/docs/guide/commands.md

# block LANGUAGE NUMBER: the NUMBERth code block of that language in the guide.
block() {
  awk -v open="\`\`\`$1" -v wanted="$2" '
    $0 == "```" { inside = 0 }
    inside { print }
    $0 == open { inside = ++count == wanted }' "$guide"
}

# patient NUMBER: that Lua block, with all the time that a busy machine may need.
patient() { block lua "$1" | sed 's/timeout_ms = 5000/timeout_ms = 120000/'; }

said() { grep '"record":"proposal"' "$work/out" | grep -qF "$1"; }

none_failed() { ! grep -q '"state":"\(failed\|timeout\|no-runtime\)"' "$work/out"; }

event() { printf '{"session":"s","at":"2026-11-30T10:00:%02dZ",%s}\n' "$second" "$1"; second=$((second + 1)); }

second=10
{
  event '"kind":"user_message","text":"build it"'
  for n in 1 2 3; do
    event '"kind":"assistant_text","text":"trying '$n' of many"'
    event '"kind":"tool_call","name":"Bash","call_id":"c'$n'","input":{"command":"make"}'
    event '"kind":"tool_result","name":"Bash","call_id":"c'$n'","is_error":true,"text":"error '$n'"'
  done
  event '"kind":"assistant_text","text":"I leave a TODO here."'
  event '"kind":"turn_ended","reason":"completed"'
} >"$work/events.jsonl"

# --- the guide

mkdir "$work/sh" "$work/python" "$work/once"
patient 1 >"$work/sh/todo.lua"
block sh 1 >"$work/sh/todo.sh"
chmod +x "$work/sh/todo.sh"
try "$perilune" replay --json --observers "$work/sh" "$work/events.jsonl"
check "the guide's sh example speaks" said "A TODO was left"
check "the guide's sh example never fails" none_failed
cp "$work/out" "$work/first"
try "$perilune" replay --json --observers "$work/sh" "$work/events.jsonl"
check "PE-4 a replay with commands gives the same bytes again" cmp "$work/first" "$work/out"

if command -v python3 >/dev/null; then
  patient 2 >"$work/python/failing.lua"
  block python 1 >"$work/python/failing.py"
  try "$perilune" replay --json --observers "$work/python" "$work/events.jsonl"
  check "the guide's Python example speaks" said "has failed three times"
  check "the guide's Python example never fails" none_failed
else
  echo "python3 is absent: the guide's Python example is skipped"
fi

patient 3 >"$work/once/long.lua"
try "$perilune" replay --json --observers "$work/once" "$work/events.jsonl"
check "the guide's example for the end of file never fails" none_failed
check "the guide's definitions are valid" "$perilune" check "$work/sh" "$work/python" "$work/once"

# --- workers

mkdir "$work/lua" "$work/worker"
for file in "$root"/observers/*.lua; do
  case $file in *_spec.lua) continue ;; esac
  [ ! -e "${file%.lua}.md" ] || continue # the Lua beside a Markdown observer is no definition
  cp "$file" "$work/lua/"
  sed 's/^return {$/return { isolation = "worker",/' "$file" >"$work/worker/$(basename "$file")"
done
isolated=$(grep -l 'isolation = "worker"' "$work"/worker/*.lua | wc -l)
check "every shipped Lua observer is put into a worker" [ "$isolated" -eq "$(ls "$work/lua" | wc -l)" ]
try "$perilune" replay --json --config "$demo/config.yaml" --observers "$work/lua" "$demo"
sed '/"record":"\(pairing\|warning\)"/d' "$work/out" >"$work/in-process"
try "$perilune" replay --json --config "$demo/config.yaml" --observers "$work/worker" "$demo"
sed '/"record":"\(pairing\|warning\)"/d' "$work/out" >"$work/in-worker"
check "the shipped observers speak over the demo" grep -q '"record":"proposal"' "$work/in-process"
check "a worker says byte for byte what the same Lua says in process" \
  cmp "$work/in-process" "$work/in-worker"

worker() { "$perilune" worker "$@" <"$work/request" >"$work/out" 2>"$work/err"; }
printf 'nonsense\n{"run":4,"observer":"nosuch","turn":{}}\n' >"$work/request"
check "a worker answers what is no request" worker "$work/lua"
check "a worker says what it cannot read" grep -q '"failed":"the text is not well-formed"' "$work/out"
check "a worker says that it has no such observer" grep -q '"run":4,"failed":.*no observer of this name' "$work/out"

# Between the host's reading and the worker's, a file may have been put in its place.
printf '%s\n' 'print("it was run")' 'return { name = "late", description = "d", on = "turn_end",' \
  '  observe = function() end }' >"$work/late.lua"
: >"$work/request"
content=$(sha256sum "$work/late.lua" | cut -d' ' -f1)
check "C65 a worker loads the content it was asked for" worker "$work/late.lua" --content "$content"
check "and its print is on stderr" grep -q 'it was run' "$work/err"
echo '-- changed' >>"$work/late.lua"
try "$perilune" worker "$work/late.lua" --content "$content"
check "C65 and none of another" exits 2
check "C65 which it names" grep -q 'late.lua.*is not the one that was asked for' "$work/err"
check "C65 and does not even evaluate" [ "$(grep -c 'it was run' "$work/err")" -eq 0 ]
try "$perilune" worker "$work/nosuch"
check "a worker without a pack exits 2" refuses nosuch

# --- live

mkdir "$work/live"
mark=PERILUNE_E2E_MARK
export PERILUNE_E2E_MARK="e2e-$$"
last="I leave a TODO here" # what the stream ends with
# slow COMMAND: an observer that does this before it answers, and leaves others behind.
slow() {
  cat >"$work/live/slow.lua" <<LUA
-- perilune-api: 1
return { name = "slow", description = "d", on = "turn_end", env = { "$mark" }, timeout_ms = 120000,
    command = { "sh", "-c", [[
        sleep 300 & setsid sleep 300 &
        while read -r line; do $1; echo '{"advise":"slow but sure: look at make again"}'; done
    ]] } }
LUA
}
no_descendant() {
  for pid in $(grep -lsa "$mark=e2e-$$" /proc/[0-9]*/environ | cut -d / -f 3); do
    case $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null) in
      sleep* | *slow\ but\ sure*) return 1 ;;
    esac
  done
}
at_work() { ! no_descendant; }
slow "until grep -q '$last' '$work/out'; do sleep 0.05; done"
try "$perilune" run --json --observers "$work/live" --sink "$work/sink" "$work/events.jsonl"
check "a slow command's advice is delivered before the run ends" grep -q "slow but sure" "$work/sink"
check "one run at a time: the other wakes of the four steps are missed" \
  [ "$(grep -c '"record":"run".*"observer":"slow"' "$work/out")" -lt 4 ]
check "C38 behind the session nothing of it is alive" eventually no_descendant

mkfifo "$work/open"
slow "sleep 200"
"$perilune" run --json --observers "$work/live" --state "$work/anew" --dialect activity <"$work/open" >"$work/out" 2>&1 &
host=$!
exec 3>"$work/open"
cat "$work/events.jsonl" >&3
check "a command at work does not hold up the reading" await "$work/out" "$last"
check "it is at work" eventually at_work
kill -TERM "$host"
wait "$host" || true
check "C38 nothing of it is alive when the host was asked to end" eventually no_descendant
exec 3>&-

# --- definitions

mkdir "$work/bad"
cat >"$work/bad/both.lua" <<'LUA'
-- perilune-api: 1
return { name = "both", description = "d", on = "turn_end", command = { "true" },
    observe = function() end }
LUA
cat >"$work/bad/alone.lua" <<'LUA'
-- perilune-api: 1
return { name = "alone", description = "d", on = "turn_end", once = true,
    isolation = "thread", observe = function() end }
LUA
try "$perilune" check "$work/bad"
check "observe and command together are refused" grep -q "both.lua:2.*not both" "$work/out"
check "once without a command is refused" grep -q "alone.lua:2.*belong to a command" "$work/out"
check "an unknown isolation is refused with the line" grep -q "alone.lua:3.*isolation" "$work/out"
finish
