#!/bin/sh
# Runs the end-to-end tests beside it against build/bin/perilune (PERILUNE_BUILD: another build
# folder). The last line is `N passed, N failed`; a test that crashed or checked nothing failed.
set -eu
cd "$(dirname "$0")"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
for test in *_test.sh; do
  status=0
  sh "./$test" >"$log" 2>&1 || status=$?
  cat "$log"
  part=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" | tail -n 1)
  part_passed=${part% *}
  part_failed=${part#* }
  if [ -z "$part" ] || [ "$part" = "0 0" ]; then
    echo "not ok - $test ran to its end (exit $status)"
    part_passed=0
    part_failed=1
  fi
  passed=$((passed + part_passed))
  failed=$((failed + part_failed))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
