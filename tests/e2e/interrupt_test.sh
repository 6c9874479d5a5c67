#!/bin/sh
# Ctrl-C ends `run -` as the end of its input does: exit 0, with the summary.
set -eu
. "$(dirname "$0")/lib.sh"

event='{"session":"s","kind":"user_message","text":"hi"}'

# wait_for WORD: until it stands in the output, at most 10 seconds.
wait_for() {
  tries=0
  until grep -q "$1" "$work/out"; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || return 1
    sleep 0.1
  done
}

# A shell starts background jobs with SIGINT ignored; a terminal does not: env undoes it.
mkfifo "$work/input"
: >"$work/out"
env --default-signal=INT "$perilune" run --json --dialect activity - \
  <"$work/input" >"$work/out" 2>"$work/err" &
pid=$!
exec 3>"$work/input"
echo "$event" >&3
status=0
check "run shows an event before its input ends" wait_for '"record":"observation"'
kill -INT "$pid"
wait "$pid" || status=$?
exec 3>&-
check "Ctrl-C ends a run with exit 0" exits 0
check "Ctrl-C still gives the summary" grep -q '"record":"summary"' "$work/out"
check "what was read before Ctrl-C is whole" luajit "$root/tests/e2e/records.lua" "$work/out"
finish
