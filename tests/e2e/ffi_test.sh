#!/bin/sh
# The same library over LuaJIT's FFI (PE-11): declared by the public header itself, and told by it what
# the program tells.
set -eu
. "$(dirname "$0")/lib.sh"

# FFI knows the standard types; their headers are left out.
mkdir -p "$work/none"
for name in stddef stdint stdbool; do : >"$work/none/$name.h"; done
try cc -E -P -nostdinc -I"$work/none" -I"$root/include" "$root/include/perilune/perilune.h"
check "PE-11 the public header stands alone" exits 0
cp "$work/out" "$work/declarations.h"
library=$(find "$build" -maxdepth 1 -name 'libperilune.so')
events=$(find "$demo" -name '*.jsonl' | LC_ALL=C sort | sed 1q)
over_ffi() { # MODE
  try luajit "$root/tests/e2e/ffi_host.lua" "$work/declarations.h" "$library" "$1" "$demo/config.yaml" "$events"
}

over_ffi records
check "PE-11 a replay over FFI goes to its end" exits 0
"$perilune" replay --json --config "$demo/config.yaml" "$events" >"$work/records"
check "PE-11 and tells every record as the program does, byte for byte" cmp "$work/records" "$work/out"
over_ffi sink
check "PE-11 a live stream over FFI goes to its end, beside a second host" exits 0
check "PE-11 and its deliveries are handed over" grep -q 'loop-guard	steer' "$work/out"
finish
