#!/bin/sh
# The command line as a whole: every verb explains itself, refuses what it does not know in one line, and
# docs/reference/cli.md knows every verb and option, and no other.
set -eu
. "$(dirname "$0")/lib.sh"
reference=$root/docs/reference
mkdir "$work/empty"
cd "$work/empty"

try "$perilune"
check "no verb: the list, on stderr, exit 2" sh -c "[ $status -eq 2 ] && [ ! -s '$work/out' ]"
try "$perilune" help
check "help lists the verbs" exits 0
verbs=$(sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p' "$work/out")
check "there are more than twenty" [ "$(echo "$verbs" | wc -l)" -gt 20 ]
check "each in one line" [ "$(wc -L <"$work/out")" -le 80 ]
try "$perilune" rplay
check "a misspelt verb is told with the nearest" refuses "'rplay'; did you mean 'replay'?"

try "$perilune" help goal
cp "$work/out" "$work/one"
try "$perilune" goal --help
check "help VERB is VERB --help" cmp "$work/out" "$work/one"
try "$perilune" help gaol
check "help of a misspelt verb tells the nearest" refuses "'gaol'; did you mean 'goal'?"

explains() { # VERB: usage first, exit codes last, nothing too wide
  exits 0 && [ ! -s "$work/err" ] && sed 1q "$work/out" | grep -q "^usage: perilune $1 " &&
    grep -q '^Exit status: 0 ' "$work/out" && [ "$(wc -L <"$work/out")" -le 80 ]
}
options_of() { grep -oE -- '(^|[ |[])--[a-z][a-z-]*' "$1" | grep -oE -- '--[a-z-]+' | sort -u; }
documented() { # VERB: in the table of verbs, and each of its options somewhere in the reference
  grep -qE "^\| .*\`$1\`" "$reference/cli.md" || return 1
  for option in $(options_of "$work/help"); do
    grep -qF -- "$option" "$reference"/*.md || { echo "$option" >"$work/err" && return 1; }
  done
}
# What the source takes is what the help names: run and replay share the list in session.c.
told() { # VERB
  sources="$root/cli/cmd_$1.c"
  [ "$1" = disable ] && sources="$root/cli/cmd_enable.c"
  [ "$1" = policy ] && sources="$root/cli/policy_eval.c $root/cli/policy_table.c"
  case $1 in run | replay) sources="$sources $root/cli/session.c" ;; esac
  # shellcheck disable=SC2086 # a list of files
  for option in $(grep -ohE '\{"--[a-z-]+"' $sources | grep -oE -- '--[a-z-]+' | sort -u); do
    grep -qF -- "$option" "$work/help" || { echo "$option" >"$work/err" && return 1; }
  done
}
for verb in $verbs; do
  try "$perilune" "$verb" --help
  cp "$work/out" "$work/help"
  cat "$work/help" >>"$work/all"
  check "$verb --help explains the verb" explains "$verb"
  check "$verb: all it takes is in its help" told "$verb"
  check "$verb: verb and options are in the reference" documented "$verb"
  try "$perilune" "$verb" --jsn
  check "$verb refuses an option it does not know" refuses "perilune $verb: unknown option '--jsn'"
done

stale() { # options that the reference gives to perilune and no verb knows
  grep -hoE 'perilune [a-z]+ [^`]*' "$reference/cli.md" >"$work/examples"
  for option in $(options_of "$work/examples"); do
    case $option in --version | --help) continue ;; esac
    grep -qF -- "$option" "$work/all" || echo "$option"
  done
}
check "the reference names no option that is gone" [ -z "$(stale)" ]
finish
