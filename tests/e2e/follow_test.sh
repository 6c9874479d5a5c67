#!/bin/sh
# `run --follow` over a killed and restarted program: every record once, in a step that its observers
# see once, whatever the moment.
set -eu
. "$(dirname "$0")/lib.sh"

tree=$work/tree
mkdir -p "$tree" "$work/observers"
cat >"$work/observers/each.lua" <<'LUA'
-- perilune-api: 1
return {
  name = "each", description = "repeats what each step says", on = "turn_end", deliver = "log",
  observe = function(turn)
    for _, item in ipairs(turn.items) do
      if item.kind == "assistant_text" then return { advise = "saw " .. item.text, fingerprint = item.text } end
    end
    return { advise = "saw half a step" }
  end,
}
LUA

# follow ARGUMENT...: in the background, its output added to $work/out.
follow() {
  env --default-signal=INT "$perilune" run --follow --json --dialect activity --observers "$work/observers" \
    "$@" >>"$work/out" 2>>"$work/err" &
  pid=$!
}

in_ledger() { "$perilune" log --json --limit 10000 | grep -qF -- "$1"; }

seen() { [ "$(grep -c "$2" "$work/out")" -eq "$1" ]; }

say() { printf '{"session":"s","kind":"assistant_text","text":"%s"}\n' "$1"; }

status=0
: >"$work/out"
: >"$work/err"
say one >"$tree/a.jsonl"
printf '{"session":"s","kind":"assistant_te' >>"$tree/a.jsonl"
follow "$tree"
check "a live file is read as it is" await_lines 1 '"kind":"text","text":"one"'
# In the ledger its position stands with all that was recorded behind it.
check "and where it stands is in the ledger" eventually in_ledger '"observer":"each"'
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
printf 'xt","text":"two"}\n' >>"$tree/a.jsonl"
follow "$tree"
check "C05 a killed run is followed by one that reads the rest" await_lines 1 '"kind":"text","text":"two"'
say three >"$tree/b.jsonl"
check "a new file is picked up" await_lines 1 '"kind":"text","text":"three"'
kill -INT "$pid"
wait "$pid" || status=$?
check "Ctrl-C ends it with exit 0" exits 0
check "C05 nothing was read twice" seen 3 '"record":"observation"'
check "the summary counts what was read of files that may grow" grep -q 'activity *2 files, 2 records' "$work/out"
check "C05 an unfinished record is nothing to complain of" [ ! -s "$work/err" ]

# A writer at work while the program is killed again and again.
: >"$work/out"
steps=60
for i in $(seq "$steps"); do
  printf '{"session":"t","kind":"assistant_text","text":"step-%s"}\n{"session":"t","kind":"tool_call","name":"x","call_id":"%s","input":{}}\n{"session":"t","ki' "$i" "$i"
  sleep 0.02
  printf 'nd":"tool_result","call_id":"%s","text":"ok"}\n' "$i"
done >>"$tree/c.jsonl" &
writer=$!
while kill -0 "$writer" 2>/dev/null; do
  follow "$tree"
  sleep 0.3
  kill -KILL "$pid"
  wait "$pid" 2>/dev/null || true
done
follow "$tree"
say the-end >>"$tree/c.jsonl"
check "all of it is read" await_lines 1 '"text":"the-end"'
kill -INT "$pid"
wait "$pid" || status=$?
try "$perilune" log --json --limit 10000
check "the ledger knows every step of a run that was killed over and over" \
  [ "$(grep '"record":"proposal"' "$work/out" | grep -o 'saw step-[0-9]*' | sort -u | wc -l)" -eq "$steps" ]
check "and none of them twice" \
  [ "$(grep '"record":"proposal"' "$work/out" | grep -c 'saw step-')" -eq "$steps" ]
check "and none by half" [ "$(grep -c 'saw half a step' "$work/out")" -eq 0 ]

# A folder that may not be read, beside one that may.
unprivileged="$perilune"
if [ "$(id -u)" -eq 0 ]; then
  cp "$perilune" "$work/perilune"
  chmod 711 "$work"
  chmod -R 777 "$work/home" "$work/run"
  unprivileged="setpriv --reuid=65534 --regid=65534 --clear-groups $work/perilune"
fi
mkdir -p "$work/mixed/closed"
chmod 755 "$work/mixed"
say open >"$work/mixed/a.jsonl"
say shut >"$work/mixed/closed/b.jsonl"
chmod 000 "$work/mixed/closed"
# shellcheck disable=SC2086 # a command with its arguments
try $unprivileged replay --json --dialect activity "$work/mixed"
check "an unreadable folder is named and passed over" grep -q "closed: permission denied" "$work/err"
check "and what stands beside it is read" grep -q '"text":"open"' "$work/out"
check "and counted" grep -q '"unreadFiles":1' "$work/out"
chmod 755 "$work/mixed/closed"

ln -s .. "$work/mixed/loop"
ln -s ../mixed "$work/mixed/closed/up"
try "$perilune" replay --json --dialect activity "$work/mixed"
check "links in a loop are not followed" [ "$(grep -c '"record":"observation"' "$work/out")" -eq 2 ]

try "$perilune" run --follow
check "following nothing is a usage error" refuses "name what to follow"
try "$perilune" run --follow "$work/nowhere"
check "following what is not there is one, too" refuses "nowhere"
finish
