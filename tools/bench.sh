#!/bin/sh
# Measures a release build: bench.sh BUILD_FOLDER. Ingest of a generated mix against Node's
# JSON.parse, interleaved on the same machine in the same minute; what a long replay and a thousand
# idle files take; then every program of tests/bench/. Of several runs the shortest counts: a busy
# machine only ever makes one longer. Numbers of different machines do not compare; the ratios do.
set -eu
cd "$(dirname "$0")/.."
build=$1
work=build/bench
runs=7
megabytes=200
replay_megabytes=500
idle_files=1000
idle_ms=5000
small_line_bytes=4500
mkdir -p "$work/home"
export HOME="$PWD/$work/home" XDG_CONFIG_HOME="$PWD/$work/home" XDG_STATE_HOME="$PWD/$work/home"

# make_mix FILE MEGABYTES [MAX_LINE_BYTES]: cached until the generator changes.
make_mix() {
  file=$1
  shift
  if [ -f "$file" ] && [ -z "$(find tests/bench/make_mix.c -newer "$file")" ]; then return; fi
  cc -std=c11 -O2 -o "$work/make_mix" tests/bench/make_mix.c
  "$work/make_mix" "$@" >"$file.part"
  mv "$file.part" "$file"
}

is_new_enough() {
  "$1" -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' >/dev/null 2>&1
}

# Prints the path of a Node >= 20: the system's, or one that npm puts under build/.
find_node() {
  for node in node "$work/node_modules/.bin/node"; do
    if is_new_enough "$node"; then echo "$node" && return; fi
  done
  command -v npm >/dev/null || return 1
  npm install --silent --no-audit --no-fund --prefix "$work" node@22 >"$work/npm.log" 2>&1 &&
    is_new_enough "$node" && echo "$node"
}

now_ms() { echo $(($(date +%s%N) / 1000000)); }

perilune_ms() {
  begin=$(now_ms)
  "$build/bin/perilune" run --no-observers --quiet "$1" >"$work/run.log"
  echo $(($(now_ms) - begin))
}

best() { sort -n "$1" | sed -n 1p; }

# compare FILE WHAT FLOOR GOAL: neither side's start-up is counted.
compare() {
  : >"$work/ours.ms"
  : >"$work/node.ms"
  : >"$work/run.ms"
  for _ in $(seq "$runs"); do
    "$build/bench/ingest_bench" "$1" >"$work/ingest.log"
    cut -d ' ' -f 1 "$work/ingest.log" >>"$work/ours.ms"
    perilune_ms "$1" >>"$work/run.ms"
    if [ -n "$node" ]; then "$node" tests/bench/node_parse.mjs "$1" >>"$work/node.ms"; fi
  done
  size=$(wc -c <"$1")
  lines=$(wc -l <"$1")
  read -r _ events allocations <"$work/ingest.log"
  awk -v what="$2" -v size="$size" -v lines="$lines" -v ours="$(best "$work/ours.ms")" \
    -v whole="$(best "$work/run.ms")" -v node="$(best "$work/node.ms")" -v floor="$3" -v goal="$4" \
    -v events="$events" -v allocations="$allocations" 'BEGIN {
      printf "%s: %d MB in %d lines\n", what, size / 1e6, lines
      printf "  perilune, bytes to observations %6d ms  %6.0f MB/s\n", ours, size / 1e3 / ours
      if (node != "") {
        printf "  node, JSON.parse of each line   %6d ms  %6.0f MB/s\n", node, size / 1e3 / node
        printf "  ratio                           %6.1f (floor %s, goal %s)\n", node / ours, floor, goal
      }
      printf "  perilune run --no-observers     %6d ms with start-up\n", whole
      printf "  allocations an event            %6.2f (at most 2)\n", allocations / events
    }'
}

# replay FLOOR: the recordings of the tests, with every observer that ships, against JSON.parse of the
# same files, in processor time: a ledger waits for the disk. Neither side's start-up is counted.
replay() {
  : >"$work/ours.ms"
  : >"$work/stored.ms"
  : >"$work/node.ms"
  for _ in $(seq "$runs"); do
    "$build/bench/replay_bench" tests/golden/captures "$work/replay.db" >"$work/replay.log"
    cut -d ' ' -f 1 "$work/replay.log" >>"$work/stored.ms"
    "$build/bench/replay_bench" tests/golden/captures >"$work/replay.log"
    cut -d ' ' -f 1 "$work/replay.log" >>"$work/ours.ms"
    node_tree="tests/bench/node_parse_tree.mjs tests/golden/captures"
    # shellcheck disable=SC2086 # two words
    if [ -n "$node" ]; then "$node" $node_tree | cut -d ' ' -f 1 >>"$work/node.ms"; fi
  done
  read -r _ observed <"$work/replay.log"
  awk -v ours="$(best "$work/ours.ms")" -v node="$(best "$work/node.ms")" -v floor="$1" \
    -v stored="$(best "$work/stored.ms")" -v observed="$observed" 'BEGIN {
      printf "replay of recordings with all observers, %d runs of them, processor time\n", observed
      printf "  perilune, with its records      %6.0f ms\n", ours
      printf "  perilune, and its ledger        %6.0f ms\n", stored
      if (node != "") {
        printf "  node, JSON.parse of the same    %6.0f ms\n", node
        printf "  times Node                      %6.1f (at most %s), %.1f with the ledger\n",
          ours / node, floor, stored / node
      }
    }'
}

# resources WHAT COMMAND...: see tests/bench/resources.c.
resources() {
  cc -std=gnu11 -O2 -o "$work/resources" tests/bench/resources.c
  "$work/resources" "$@"
}

long_replay() {
  make_mix "$work/mix_long.jsonl" "$replay_megabytes"
  resources whole "$build/bin/perilune" replay "$work/mix_long.jsonl" >"$work/long.log"
  awk -v megabytes="$replay_megabytes" '{
    printf "replay of %d MB with all shipped observers\n", megabytes
    printf "  peak resident                   %6.1f MiB (floor 64: %s)\n", $1 / 1024,
      $1 <= 65536 ? "met" : "NOT met"
    printf "  CPU time                        %6.1f s\n", $2 / 1000
  }' "$work/long.log"
}

# A thousand sessions that nobody writes to.
idle_follow() {
  rm -rf "$work/idle"
  mkdir -p "$work/idle"
  for i in $(seq "$idle_files"); do
    sed -e 3q -e "s/\"sessionId\":\"mix\"/\"sessionId\":\"s$i\"/" "$work/mix_small.jsonl" \
      >"$work/idle/$i.jsonl"
  done
  resources while 5000 "$idle_ms" "$build/bin/perilune" run --follow --no-observers --quiet \
    "$work/idle" >"$work/idle.log"
  awk -v files="$idle_files" -v ms="$idle_ms" '{
    printf "run --follow of %d idle files\n", files
    printf "  CPU time in %4.1f s of idling      %4d ms\n", ms / 1000, $1
    printf "  and before, to read them once     %4d ms\n", $2
  }' "$work/idle.log"
}

node=$(find_node) || {
  node=
  echo "node >= 20 is absent: the comparison is skipped"
}
make_mix "$work/mix.jsonl" "$megabytes"
make_mix "$work/mix_small.jsonl" "$megabytes" "$small_line_bytes"
compare "$work/mix.jsonl" "whole mix, best of $runs" 6 10
compare "$work/mix_small.jsonl" "its lines under 4.5 KB, best of $runs" 2 3
replay 5
long_replay
idle_follow
missed=
for program in "$build"/bench/*_bench; do
  name=$(basename "$program")
  case $name in ingest_bench | replay_bench) continue ;; esac
  [ -x "$program" ] || continue
  echo "$name:"
  "$program" || missed="$missed $name"
done
[ -z "$missed" ] || {
  echo "below their floor:$missed"
  exit 1
}
