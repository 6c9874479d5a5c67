#!/bin/sh
# Hostile scripts (tests/fault/scripts/torture/) as observers: in the process of a live host, and
# in workers of a replay, which waits for them. Line 2 of each says how every call of it ends;
# before and after it a benign observer is asked, which must hear of every step and answer.
set -eu
. "$(dirname "$0")/lib.sh"
scripts=$root/tests/fault/scripts/torture
own=$XDG_CONFIG_HOME/perilune/observers
batch_count=8 # with the shipped observers below the most wakes of one digest
mkdir -p "$own"

for seq in 1 2; do
  printf '%s\n' '{"session":"s","kind":"user_message","text":"x"}' \
    '{"session":"s","kind":"tool_call","name":"Bash","call_id":"c'$seq'","input":{"command":"ls"}}' \
    '{"session":"s","kind":"tool_result","call_id":"c'$seq'","text":"ok"}' \
    '{"session":"s","kind":"turn_ended","reason":"end_turn"}'
done >"$work/session.jsonl"

benign() {
  printf '%s\n' '-- perilune-api: 1' "return { name = '$1', description = 'Counts.', on = 'turn_end'," \
    '  observe = function(turn, ctx)' '    ctx.state.n = (ctx.state.n or 0) + #turn.items' \
    "    return { advise = ('n'):upper() .. ctx.state.n }" '  end }' >"$own/$1.lua"
}

# What a run record says, in the words of the scripts' second lines.
outcome_of() {
  case $1 in
    *'"state":"timeout"'*) echo timeout ;;
    *'"text":"out of memory'*) echo "out of memory" ;;
    *'"state":"failed"'*) echo error ;;
    *'"state":"silent"'*) echo silent ;;
    *) echo "something else" ;;
  esac
}

# True if both runs of the observer $1 ended as "$2" says (two ways stand with an "or").
ends_as() {
  grep '"record":"run".*"observer":"'"$1"'"' "$work/out" >"$work/runs" || return 1
  [ "$(wc -l <"$work/runs")" -eq 2 ] || return 1
  while read -r run; do
    case " or $2 or " in
      *" or $(outcome_of "$run") or "*) ;;
      *) return 1 ;;
    esac
  done <"$work/runs"
}

answers() {
  [ "$(grep -c '"record":"proposal".*"observer":"'"$1"'".*"text":"N[0-9]' "$work/out")" -eq 2 ]
}

in_workers() { [ "$("$perilune" observers --json | grep -c '"runtime":"worker"')" -eq "$1" ]; }

# torture HOW SCRIPT...: one batch between two benign observers; HOW: in process, in a worker.
torture() {
  how=$1
  verb=run
  shift
  rm -rf "$own"/*.lua "$XDG_STATE_HOME" # the same session, but heard of for the first time
  benign aa-first
  benign zz-last
  for script in "$@"; do
    cp "$script" "$own/"
    [ "$how" = "in process" ] && continue
    verb=replay
    sed -i "s/^  on = /  isolation = 'worker', on = /" "$own/${script##*/}"
  done
  try "$perilune" "$verb" --json "$work/session.jsonl"
  check "$how: the host ends well with ${1##*/} and those after it" exits 0
  check "$how: the benign observer before them answers each time" answers aa-first
  check "$how: the benign observer after them answers each time" answers zz-last
  [ "$how" = "in process" ] || check "$how: each is in one" in_workers $#
  for script in "$@"; do
    name=$(basename "$script" .lua)
    check "$how: $name ends: $(sed -n 's/^-- ends: //p' "$script")" \
      ends_as "$name" "$(sed -n 's/^-- ends: //p' "$script")"
  done
}

for how in "in process" "in a worker"; do
  set --
  for script in "$scripts"/*.lua; do
    set -- "$@" "$script"
    [ $# -lt "$batch_count" ] || {
      torture "$how" "$@"
      set --
    }
  done
  [ $# -eq 0 ] || torture "$how" "$@"
done
finish
