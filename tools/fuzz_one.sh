#!/bin/sh
# Runs one fuzz target from its seeds: fuzz_one.sh NAME_fuzz SECONDS. What it finds stays under
# build/fuzz/: corpus/NAME/ grows from run to run, artifacts/NAME-* reproduce a failure.
set -eu
cd "$(dirname "$0")/.."
target=$1
seconds=$2
name=${target%_fuzz}
seeds=tests/fuzz/seeds/$name
corpus=build/fuzz/corpus/$name
mkdir -p "$corpus" build/fuzz/artifacts
[ -d "$seeds" ] || seeds=
"build/fuzz/tests/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 -artifact_prefix="build/fuzz/artifacts/$name-" "$corpus" ${seeds:+"$seeds"}
