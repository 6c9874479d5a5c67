# What every end-to-end test stands on; sourced, never run. A test calls `try` to run a command,
# `check` to state a promise about what it did, and `finish` as its last line. Everything
# happens in a folder of its own with a home of its own.
# shellcheck shell=sh disable=SC2034 # its variables are for the tests
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${PERILUNE_BUILD:-$root/build}" && pwd)
perilune=$build/bin/perilune
captures=$root/tests/golden/captures
demo=$root/tests/golden/demo
umask 022 # what everyone may write is not trusted
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
limit_s=600 # for what ends by itself, however busy the machine is
passed=0
failed=0
status=0

mkdir -p "$work/home" "$work/run"
export HOME="$work/home" XDG_CONFIG_HOME="$work/home/.config" \
  XDG_STATE_HOME="$work/home/.local/state" XDG_RUNTIME_DIR="$work/run"
export TZ=UTC0 # policies are told the hour
export LC_ALL=C # sort and sed go by bytes
unset PERILUNE_OBSERVERS PERILUNE_RESTRICTED CLAUDE_CONFIG_DIR NO_COLOR \
  CLAUDE_CODE_EXPERIMENTAL_OBSERVER_AGENTS

# Runs a command; leaves its exit code in $status, its output in $work/out and $work/err.
try() {
  status=0
  timeout "$limit_s" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# check PROMISE COMMAND...: the promise holds if the command succeeds.
check() {
  promise=$1
  shift
  if "$@" >/dev/null 2>&1; then
    passed=$((passed + 1))
    echo "ok - $promise"
  else
    failed=$((failed + 1))
    echo "not ok - $promise"
    echo "    wanted: $*"
    echo "    exit $status, output:"
    sed -n 's/^/    | /; 1,8p' "$work/out" | cut -c 1-200
    sed -n 's/^/    ! /; 1,8p' "$work/err" | cut -c 1-200
  fi
}

exits() { [ "$status" -eq "$1" ]; }

# One line of error, naming $1, and nothing else said.
refuses() {
  exits 2 && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" -eq 1 ] && grep -qF -- "$1" "$work/err"
}

# An observer that has something new to say after every step.
write_talker() {
  cat <<'LUA'
-- perilune-api: 1
return { name = "talker", description = "d", on = "turn_end", can = { "advise" },
  observe = function(turn, ctx)
    ctx.state.n = (ctx.state.n or 0) + 1
    return { advise = ("finding %d about %s"):format(ctx.state.n, turn.last_user or ""),
      fingerprint = "f" .. ctx.state.n }
  end }
LUA
}

# write_turns COUNT: so many turns of one session, in the dialect activity.
write_turns() {
  awk -v turns="$1" 'BEGIN {
    for (n = 1; n <= turns; n++) {
      printf "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"task %d\"}\n", n
      printf "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"step %d of it\"}\n", n
      printf "{\"session\":\"s\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n"
    }
  }'
}

# eventually COMMAND...: waits until the command succeeds. Its end is for what never would: no machine is as
# busy as that.
eventually() {
  end_s=$(($(date +%s) + 120))
  until "$@" >/dev/null 2>&1; do
    [ "$(date +%s)" -lt "$end_s" ] || return 1
    sleep 0.05
  done
}

# await FILE TEXT: waits until the file holds the text.
await() { eventually grep -qF -- "$2" "$1"; }

# await_lines COUNT TEXT: waits until so many lines of the output hold it.
await_lines() { eventually sh -c '[ "$(grep -cF -- "$2" "$3")" -ge "$1" ]' - "$1" "$2" "$work/out"; }

# A live host that a test speaks to: live_start COMMAND..., which reads its standard input and writes
# --json; `say LINE...`; `settled` returns when all that was said has had its effect; `live_end`.
live_start() {
  rm -f "$work/speak"
  mkfifo "$work/speak"
  marks=0
  "$@" <"$work/speak" >"$work/out" 2>"$work/err" &
  live=$!
  exec 3>"$work/speak"
}

say() { printf '%s\n' "$@" >&3; }

# A host reads on when nothing is due: the mark, of no known kind, is told behind all of it.
settled() {
  marks=$((marks + 1))
  say "{\"mark\":$marks}"
  eventually grep -q "\"mark\":$marks[,}]" "$work/out"
}

live_end() {
  exec 3>&-
  status=0
  wait "$live" || status=$?
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
