#!/bin/sh
# Golden digests: what an observer is shown of each recording in digests/list (NAME, and a PATH in
# captures/), against digests/NAME.txt; nonces are replaced by N. `run.sh --update` writes the
# files anew: review them as a diff. The last line is `N passed, N failed`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${PERILUNE_BUILD:-$here/../../build}" && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT
passed=0
failed=0
while read -r name path; do
  "$build/bin/perilune" digest "$here/captures/$path" </dev/null |
    sed 's/nonce="[^"]*"/nonce="N"/g' >"$out"
  if [ "${1:-}" = --update ]; then cp "$out" "$here/digests/$name.txt"; fi
  if [ -s "$out" ] && diff -u "$here/digests/$name.txt" "$out"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "not ok - $name: captures/$path gives other digests than digests/$name.txt"
  fi
done <"$here/digests/list"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
