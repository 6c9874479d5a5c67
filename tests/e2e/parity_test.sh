#!/bin/sh
# Digests against those that real Claude Code observers were shown (CC-7).
set -eu
. "$(dirname "$0")/lib.sh"

try luajit "$root/tests/golden/parity.lua" "$perilune" "$captures"
grep -e '^ok' -e '^not ok' -e '^    ' "$work/out" || true
passed=$(grep -c '^ok' "$work/out") || true
failed=$(grep -c '^not ok' "$work/out") || true
check "CC-7 all eight observed sessions have equal digests" grep -qx '8 of 8 equal' "$work/out"
finish
