#!/bin/sh
# Two live hosts on one state directory: a session is observed by the first that reads it; the second says
# which process has it, and takes over when that one has ended, killed or not (lifecycle.md).
set -eu
. "$(dirname "$0")/lib.sh"

mkdir "$work/observers"
cat >"$work/observers/counter.lua" <<'LUA'
-- perilune-api: 1
return { name = "counter", description = "d", on = "turn_end",
  observe = function(turn, ctx)
    ctx.state.n = (ctx.state.n or 0) + 1
    return { advise = ("note %d on %s"):format(ctx.state.n, turn.last_user), fingerprint = "f" .. ctx.state.n }
  end }
LUA

# host_start NAME: a host that reads $work/NAME.speak, which the caller holds open. It inherits the end that
# is written to of neither host: one that did would keep the other from ever seeing the end of its input.
host_start() {
  mkfifo "$work/$1.speak"
  "$perilune" run --json --dialect activity --policy claude --observers "$work/observers" \
    --state "$work/state" --sink "$work/sink" - <"$work/$1.speak" >"$work/$1.out" 2>"$work/$1.err" 3>&- 4>&- &
}

# turn SESSION TASK: one whole turn, as lines of `activity`.
turn() {
  printf '{"session":"%s","kind":"user_message","text":"%s"}\n' "$1" "$2"
  printf '{"session":"%s","kind":"assistant_text","text":"did %s"}\n' "$1" "$2"
  printf '{"session":"%s","kind":"turn_ended","reason":"completed"}\n' "$1"
}

# saw NAME TASK: the host called NAME has done with this turn; a line of no known kind stands behind it.
saw() { await "$work/$1.out" "\"mark\":\"$2\""; }
to_first() { { turn "$1" "$2"; printf '{"mark":"%s"}\n' "$2"; } >&3; saw first "$2"; }
to_second() { { turn "$1" "$2"; printf '{"mark":"%s"}\n' "$2"; } >&4; saw second "$2"; }
runs() { grep '"record":"run"' "$work/$1.out" | grep '"observer":"counter"' | grep -c "\"session\":\"$2\"" || true; }
in_ledger() { "$perilune" log --json --limit 1000 --ledger "$work/state/ledger.db" | grep -qF -- "$1"; }
elsewhere() { grep -c 'observed-elsewhere' "$work/second.out" || true; }

# part HOW SESSION: the first host ends by HOW; the session goes from it to the second.
part() {
  rm -rf "$work"/*.speak "$work/state" "$work/sink"
  : >"$work/sink"
  host_start first
  first=$!
  exec 3>"$work/first.speak"
  to_first "$2" one
  check "$1: the first host observes the session" [ "$(runs first "$2")" -eq 1 ]
  host_start second
  second=$!
  exec 4>"$work/second.speak"
  to_second "$2" two
  check "$1: the second does not" [ "$(runs second "$2")" -eq 0 ]
  check "$1: and says which process does" grep -q "session $2: observed by another perilune already (process $first)" "$work/second.err"
  check "$1: in a record as well" grep -q "observed-elsewhere.*process $first)" "$work/second.out"
  to_second other of-its-own
  check "$1: what nobody else observes, it observes" [ "$(runs second other)" -eq 1 ]
  to_first "$2" three
  check "$1: the first goes on undisturbed" [ "$(runs first "$2")" -eq 2 ]
  to_second "$2" four
  check "$1: the second is told once" [ "$(elsewhere)" -eq 1 ]
  status=0
  eventually in_ledger "note 2 on three" # one of two hosts may have to wait for the ledger
  case $1 in
    killed) kill -9 "$first" ;;
    *) exec 3>&- ;;
  esac
  wait "$first" || status=$?
  exec 3>&-
  [ "$1" = killed ] || check "$1: the first ends well" exits 0
  to_second "$2" five
  to_second "$2" six
  check "$1: the second takes over" [ "$(runs second "$2")" -ge 2 ]
  check "$1: it goes on with what the first kept" grep -q "note 3 on " "$work/sink"
  check "$1: no note is handed over twice" [ -z "$(sed 's/^{"id":"\([^"]*\)".*/\1/' "$work/sink" | sort | uniq -d)" ]
  status=0
  exec 4>&-
  wait "$second" || status=$?
  check "$1: and ends well" exits 0
}

part "at the end of its input" s
part killed s
finish
