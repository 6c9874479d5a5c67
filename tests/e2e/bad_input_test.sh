#!/bin/sh
# A file named on the command line that cannot be read as any dialect: one clear line that names
# it, exit 2, whatever the verb.
set -eu
. "$(dirname "$0")/lib.sh"

# Nothing is unreadable to root: the test then runs as nobody, with a copy nobody may run.
unprivileged="$perilune"
if [ "$(id -u)" -eq 0 ]; then
  cp "$perilune" "$work/perilune"
  chmod 711 "$work"
  chmod 777 "$work/home" "$work/run"
  unprivileged="setpriv --reuid=65534 --regid=65534 --clear-groups $work/perilune"
fi

: >"$work/empty.jsonl"
head -c 8192 "$perilune" >"$work/binary.jsonl"
printf 'Dear diary,\nnothing happened today.\n' >"$work/prose.txt"
printf '{"temperature":21}\n{"temperature":22}\n' >"$work/foreign.jsonl"
cp "$captures"/claude-code-2.1.332/basic332/transcript/*.jsonl "$work/unreadable.jsonl"
chmod 000 "$work/unreadable.jsonl"

for verb in replay run digest; do
  for file in missing.jsonl empty.jsonl binary.jsonl prose.txt foreign.jsonl; do
    try "$perilune" "$verb" "$work/$file"
    check "$verb names ${file%.*} input in one line and exits 2" refuses "$work/$file"
  done
  # shellcheck disable=SC2086 # a command with its arguments
  try $unprivileged "$verb" "$work/unreadable.jsonl"
  check "$verb names unreadable input in one line and exits 2" refuses "$work/unreadable.jsonl"
done
finish
