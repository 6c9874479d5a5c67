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

# What an agent or an observer writes must not repaint the screen of who reads it.
mkdir "$work/own" "$work/ring"
cat >"$work/own/loud.lua" <<'LUA'
-- perilune-api: 1
return {
    name = "loud", description = "Repeats what it reads.", on = "turn_end",
    observe = function(turn)
        print("read", turn.last_user)
        return { advise = "Read " .. turn.last_user .. "\226\128\174 and \27[2J", fingerprint = "f" }
    end,
}
LUA
printf '%s\n' '{"session":"s\u001b[31m","kind":"user_message","text":"x\u001b[2J\u007fy"}' \
  '{"session":"s\u001b[31m","kind":"turn_ended","reason":"end"}' >"$work/ring/$(printf 'a\033[31m.jsonl')"
cp "$work/prose.txt" "$work/ring/$(printf 'b\033[31m.txt')"
clean() { ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]\|\342\200\256')" "$work/out" "$work/err"; }
try "$perilune" replay --observers "$work/own" "$work/ring"
check "an observer speaks of a hostile text" grep -q 'Read x \[2J y and \[2J' "$work/out"
check "its print() is shown" grep -q 'loud: read' "$work/err"
check "no control character of it reaches the terminal" clean
sed -n 's/.*   \([0-9a-f]\{10\}\)$/\1/p' "$work/out" >"$work/id"
for verb in "explain $(cat "$work/id")" "log --replay" observers status; do
  # shellcheck disable=SC2086 # a verb with its arguments
  try "$perilune" $verb
  check "nor through $(echo "$verb" | cut -d ' ' -f 1)" clean
done
finish
