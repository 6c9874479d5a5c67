#!/bin/sh
# When what perilune writes to gives way: a full disk, a file that may not grow, a state directory that is
# read only, a sink that takes nothing. Each is said once and plainly, the agent's events are read on,
# observers go on, and what is not stored or handed over is counted.
set -eu
. "$(dirname "$0")/lib.sh"
disk=
trap '[ -z "$disk" ] || umount "$disk"; rm -rf "$work"' EXIT

mkdir "$work/observers"
write_talker >"$work/observers/talker.lua"
turns=60
write_turns "$turns" >"$work/events.jsonl"
run() {
  try "$perilune" run --policy claude --dialect activity --observers "$work/observers" --project "$work" "$@" "$work/events.jsonl"
}
said() { [ "$(grep -c "$1" "$work/err")" -eq "$2" ]; }
delivered() { [ "$(grep -c '^{"id":.*}$' "$1")" -eq "$2" ] && [ "$(wc -l <"$1")" -eq "$2" ]; }

run --state "$work/good" --sink "$work/sink.good"
check "with room for all of it nothing is said" [ ! -s "$work/err" ]
whole=$(wc -l <"$work/sink.good")
check "and everything is delivered" [ "$whole" -gt 40 ]

# --- a sink that takes nothing

run --state "$work/full" --sink /dev/full
check "a full sink is said once" said 'dev/full: No space left on device; deliveries wait for room' 1
check "the run goes on to its end" exits 0
check "what could not be handed over is counted" grep -q "^out      [0-9]* waiting, 0 handed over (0 seen), [0-9]* expired" "$work/out"
try "$perilune" log --ledger "$work/full/ledger.db" --limit 100000 --json
count() { grep '"record":"delivery"' "$work/out" | grep -c "\"state\":\"$1\"" || true; }
check "every delivery that was queued has expired, with a reason" \
  [ "$(count queued)" -eq "$(grep '"record":"delivery"' "$work/out" | grep '"state":"expired"' | grep -c '"reason"')" ]
check "none is called lost in hand-over: the sink said that it did not take it" \
  sh -c "! grep -q 'lost in hand-over' '$work/out'"
mkdir "$work/folder"
run --state "$work/s" --sink "$work/folder"
check "a sink that is a folder is refused at once" refuses "$work/folder"

# --- files that may not grow: the ledger's and the sink's

limited() { (
  trap '' XFSZ
  ulimit -f "$1"
  shift
  run "$@"
  exit "$status"
); }
status=0
limited 8 --quiet --state "$work/good" --sink "$work/sink.limited" || status=$?
check "a sink that may not grow: the run ends well" exits 0
check "and it holds whole lines alone" [ -z "$(sed '/^{"id":.*}$/d' "$work/sink.limited" 2>/dev/null)" ]

# --- a state directory that cannot be used

echo file >"$work/file"
run --state "$work/file/state" --sink "$work/sink.none"
check "a state directory that cannot be made is said once" said 'nothing is remembered of this run' 1
check "with the path and what to do" grep -q "$work/file/state/ledger.db: " "$work/err"
check "everything is delivered all the same" delivered "$work/sink.none" "$whole"

mkdir "$work/junk"
echo garbage >"$work/junk/ledger.db"
try "$perilune" status --state "$work/junk"
check "status says once that a ledger cannot be read, and why" \
  grep -q "$work/junk/ledger.db cannot be read, so what it holds is not told: the file is damaged" "$work/err"
check "and nothing else goes to stderr" [ "$(wc -l <"$work/err")" -eq 1 ]

# --- a small disk, where one may be mounted

mkdir "$work/disk"
if mount -t tmpfs -o size=8192k tmpfs "$work/disk" 2>/dev/null; then
  disk=$work/disk
  mkdir "$disk/state"
  run --state "$disk/state" --sink "$work/sink.first" --no-observers
  head -c 8000000 /dev/zero >"$disk/filler" 2>/dev/null || true
  run --state "$disk/state" --sink "$work/sink.full"
  check "a full disk is said once" said 'ledger: ' 1
  check "the run ends well" exits 0
  check "everything is delivered all the same" delivered "$work/sink.full" "$whole"
  check "what is not stored is counted" grep -Eq '^ledger +[0-9,]+ changes? not stored \(busy 0, disk full [0-9]*[1-9]' "$work/out"
  rm "$disk/filler"
  try "$perilune" status --state "$disk/state"
  check "the ledger is whole" exits 0
  : >"$work/sink.again"
  rm -rf "$disk/state"
  run --state "$disk/state" --sink "$disk/sink"
  check "with room again nothing is said" [ ! -s "$work/err" ]
  rm "$disk/sink"
  head -c 9000000 /dev/zero >"$disk/filler" 2>/dev/null || true
  run --state "$work/other" --sink "$disk/sink"
  check "a full disk under the sink is said once" said 'deliveries wait for room' 1
  check "the file holds whole lines alone" [ -z "$(sed '/^{"id":.*}$/d' "$disk/sink")" ]
  rm "$disk/filler"
  mount -o remount,ro "$disk"
  run --state "$disk/state" --sink "$work/sink.readonly"
  check "a read-only state directory is said once" said 'nothing is remembered of this run' 1
  check "everything is delivered all the same" delivered "$work/sink.readonly" "$whole"
  try "$perilune" status --state "$disk/state"
  check "what the ledger there holds is told by status" [ ! -s "$work/err" ]
  try "$perilune" log --ledger "$disk/state/ledger.db"
  check "and by log" [ "$(wc -l <"$work/out")" -gt 10 ]
else
  echo "# skipped: a full and a read-only disk: no file system may be mounted here"
fi
# What nobody could read was not said: no verb ends well on a standard output that took nothing. One whose
# reader left (`| head`) does.
for verb in "replay $demo" "replay --json $demo" "replay --emit observations $demo" \
  "replay --policy default --against quiet $demo" "digest $work/events.jsonl" "run $work/events.jsonl" \
  observers status "policy table" --help; do
  status=0
  # shellcheck disable=SC2086 # a verb with its arguments
  timeout "$limit_s" "$perilune" $verb </dev/null >/dev/full 2>"$work/err" || status=$?
  check "a full standard output of ${verb%% /*} is told" said 'cannot write the output' 1
  check "with exit 3" exits 3
  # shellcheck disable=SC2086
  { timeout "$limit_s" "$perilune" $verb </dev/null 2>"$work/err" || true; } | head -n 1 >"$work/out"
  check "a reader that leaves is no failure" [ ! -s "$work/err" ]
done

# Closed standard streams: what is opened next does not become one.
for verb in "run -" "replay $demo" "run $work/events.jsonl"; do
  status=0
  # shellcheck disable=SC2086
  timeout "$limit_s" "$perilune" $verb <&- >&- 2>&- || status=$?
  check "without standard streams ${verb%% *} ends well" exits 0
done
finish
