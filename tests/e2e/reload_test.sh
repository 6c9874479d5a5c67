#!/bin/sh
# A policy, an observer and a config that change while `run` reads a live stream (PE-2), and a
# delivery that is seen in it (PE-7).
set -eu
. "$(dirname "$0")/lib.sh"

mkdir "$work/observers"
# save FILE: as an editor does, whole from one moment to the next.
save() {
  cat >"$work/draft"
  mv "$work/draft" "$1"
}
observer() { # WORDS
  save "$work/observers/echo.lua" <<LUA
-- perilune-api: 1
return {
    name = "echo", description = "says something at every step", on = "turn_end",
    observe = function(turn)
        return { advise = "$1 at step " .. turn.step, fingerprint = "s" .. turn.step }
    end,
}
LUA
}
policy() { # REASON
  save "$work/mine.lua" <<LUA
-- perilune-api: 1
return {
    name = "mine",
    deliver = function(verdict, p, ctx)
        ctx.state.count = (ctx.state.count or 0) + 1
        return { verdict = "deliver", lane = "steer", reason = "$1 " .. ctx.state.count }
    end,
}
LUA
}
step() { # TEXT
  printf '%s\n' '{"session":"s","kind":"user_message","text":"go"}' \
    "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"$1\"}" \
    '{"session":"s","kind":"turn_ended","reason":"completed"}' >&3
}
says() { grep -qF -- "$1" "$work/log"; }

observer first
policy one
printf 'limits: { advisories_per_turn: 2 }\n' >"$work/config.yaml"
mkfifo "$work/pipe"
"$perilune" run --json --dialect activity --config "$work/config.yaml" --policy "$work/mine.lua" \
  --observers "$work/observers" --sink "$work/sink" - <"$work/pipe" >"$work/records" 2>"$work/log" &
child=$!
exec 3>"$work/pipe"
: >"$work/out" && : >"$work/err" && status=0

step "one"
check "the first policy decides" await "$work/records" '"reason":"one 1"'
check "PE-7 a delivery is handed over" await "$work/records" '"state":"handed"'
nonce=$(sed -n 's/.*"nonce":"\([^"]*\)".*/\1/p' "$work/sink" | sed 1q)
printf '{"session":"s","kind":"user_message","origin":"observer:echo","text":"%s"}\n' \
  "<observer-note nonce=\\\"$nonce\\\" from=\\\"observer:echo\\\">" >&3
check "PE-7 and seen once the agent's stream shows its frame" await "$work/records" '"state":"seen"'

policy two
check "PE-2 a changed policy is loaded" await "$work/log" "mine.lua: loaded anew"
step "two"
check "PE-2 a changed policy decides, with the state of the one before" await "$work/records" '"reason":"two 2"'

printf 'return {\n    name = "mine",\n    deliver = function(verdict) retrun verdict end,\n}\n' \
  | save "$work/mine.lua"
check "PE-2 a broken one is not" await "$work/log" "mine.lua: not loaded"
step "three"
check "PE-2 a broken edit changes nothing" await "$work/records" '"reason":"two 3"'
check "PE-2 and its file and line are named" says "mine.lua:3"
check "PE-2 also as a record" await "$work/records" '"record":"warning"'

observer second
await "$work/log" "echo.lua: loaded anew"
step "four"
check "PE-2 a changed observer speaks" await "$work/records" "second at step"

printf 'limits: { advisories_per_turn: 0 }\n' | save "$work/config.yaml"
await "$work/log" "config.yaml: loaded anew"
step "five"
check "PE-2 a lower limit holds at once" await "$work/records" "the window's budget is spent"

exec 3>&-
wait "$child" || status=$?
check "run ends well" exits 0
finish
