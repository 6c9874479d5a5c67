#!/bin/sh
# A file named on the command line that cannot be read as any dialect: one clear line that names
# it, exit 2, whatever the verb. In a tree, and where files are followed: counted and told, no more.
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

cp "$work/own"/*.lua "$work/ring/$(printf 'c\033[31m.lua')"
try "$perilune" check --against "$demo" "$work/ring"
check "a file's name that check finds is printed" grep -q 'ring/c \[31m.lua: ' "$work/out"
check "without its control characters" clean
printf '%s\n' '{"session":"s\u001b[31m\nt","kind":"user_message","text":"x\u001b[2Jy\nz"}' \
  '{"session":"s\u001b[31m\nt","kind":"turn_ended","reason":"end"}' >"$work/loud.jsonl"
try script -qec "'$perilune' digest '$work/loud.jsonl'" /dev/null
tr -d '\r' <"$work/out" >"$work/shown" # the terminal's own
mv "$work/shown" "$work/out"
check "digest shows the names in its heading as one line" grep -q 'session s \[31m t, agent' "$work/out"
check "and a terminal the text line by line" grep -qx 'x \[2Jy' "$work/out"
check "and no control character" clean
try "$perilune" digest "$work/loud.jsonl"
check "a file gets the text as it is" grep -q "$(printf '^x\033\[2Jy$')" "$work/out"

try sh -c "ulimit -n 7; exec '$perilune' replay '$work/loud.jsonl'"
check "where no file can be opened it says that it cannot start" grep -q 'files may be open' "$work/err"
check "with exit 3" exits 3

# A tree of everything a disk may hold: read as far as it can be, the rest counted and told.
tree=$work/tree
good='{"session":"s","agent":"main","kind":"user_message","text":"good"}'
mkdir -p "$tree/folder.jsonl"
odd=$(printf 'new\nline') # in a name, as are the others
for name in plain "$odd" "$(printf 'invalid\377\376')" -dash "\$(id)" "$(printf '\033[31mred')"; do
  printf '%s\n' "$good" >"$tree/$name.jsonl"
done
mkfifo "$tree/pipe.jsonl"
ln -s . "$tree/loop"
ln -s nowhere "$tree/dangling.jsonl"
ln -s two "$tree/one"
ln -s one "$tree/two"
try "$perilune" replay --json --no-observers "$tree"
check "a tree of odd names, pipes, loops and dangling links is replayed" exits 0
check "each of its files is read once" grep -q 'activity  *6 files, 6 records' "$work/out"
check "each record of it is JSON" luajit "$root/tests/e2e/records.lua" "$work/out"
for path in pipe.jsonl one dangling.jsonl; do
  try "$perilune" replay "$tree/$path"
  check "replay refuses $path in one line" refuses "$tree/$path"
done
check "and says what reads a pipe" sh -c "'$perilune' replay '$tree/pipe.jsonl' 2>&1 | grep -q 'perilune run'"
printf '%s\n' "$good" >"$tree/pipe.jsonl" &
try "$perilune" run --json --no-observers "$tree/pipe.jsonl"
check "run reads a pipe with a name" grep -q '"text":"good"' "$work/out"
wait

# A followed file that may not be read is told of once, whatever goes on around it.
mkdir -p "$work/live"
mv "$work/unreadable.jsonl" "$work/live/unreadable.jsonl"
echo "$good" >"$work/live/open.jsonl"
chmod 755 "$work/live"
chmod 644 "$work/live/open.jsonl"
# shellcheck disable=SC2086 # a command with its arguments
env --default-signal=INT $unprivileged run --json --no-observers --follow \
  "$work/live/unreadable.jsonl" "$work/live/open.jsonl" >"$work/out" 2>"$work/err" &
pid=$!
await "$work/err" permission
for turn in 1 2 3 4; do
  mkdir "$work/live/$turn"
  echo "$good" | sed "s/good/seen-$turn/" >>"$work/live/open.jsonl"
  await "$work/out" "seen-$turn"
done
kill -INT "$pid"
wait "$pid"
check "an unreadable file that is followed is named once" \
  [ "$(grep -c 'unreadable.jsonl: permission' "$work/err")" -eq 1 ]
check "and counted once" grep -q '1 file or folder that could not be read' "$work/out"

for name in "$work/prose.txt" "$work/nosuch"; do
  try "$perilune" observers --observers "$name"
  check "a file or nothing named as the folder of observers: told that no folder has this name" \
    grep -q "$name: error: .*no folder has this name" "$work/err"
  try "$perilune" replay --observers "$name" "$tree"
  check "and nothing is replayed without them" [ "$status" -eq 2 ]
done
finish
