#!/bin/sh
# Golden transcripts: recorded streams in, what comes of them out, byte for byte.
#   digests/NAME.txt     what an observer is shown of the recording that digests/list names (a path
#                        in captures/); nonces are replaced by N
#   records/NAME.jsonl   what a replay of the path that records/list names (with its options) says:
#                        every record but observations, digests and silent runs
# `run.sh --update` writes the files anew: review them as a diff. The last line is
# `N passed, N failed`.
set -eu
cd "$(dirname "$0")"
build=$(cd "${PERILUNE_BUILD:-../../build}" && pwd)
update=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work" XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state"
export TZ=UTC0 LC_ALL=C # policies are told the hour; sort goes by bytes
unset PERILUNE_OBSERVERS PERILUNE_RESTRICTED CLAUDE_CONFIG_DIR \
  CLAUDE_CODE_EXPERIMENTAL_OBSERVER_AGENTS
passed=0
failed=0

# compare FILE: against what stands in $work/out.
compare() {
  if [ "$update" = --update ]; then cp "$work/out" "$1"; fi
  if [ -s "$work/out" ] && diff -u "$1" "$work/out"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "not ok - $1 differs"
  fi
}

while read -r name path; do
  "$build/bin/perilune" digest "captures/$path" </dev/null |
    sed 's/nonce="[^"]*"/nonce="N"/g' >"$work/out"
  compare "digests/$name.txt"
done <digests/list

while read -r name options; do
  # shellcheck disable=SC2086 # a list of words
  "$build/bin/perilune" replay --json $options </dev/null |
    grep -v -e '^{"record":"observation"' -e '^{"record":"digest"' \
      -e '^{"record":"run".*"state":"silent"' >"$work/out"
  compare "records/$name.jsonl"
done <records/list

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
