#!/bin/sh
# docs/guide/policies.md, executed: its policy is checked, decides, passes its own spec and fails it
# once broken; written while `run` reads a live stream, it is taken over, and a broken edit is not.
set -eu
. "$(dirname "$0")/lib.sh"

block() { # NUMBER: that ```lua block of the guide
  awk -v wanted="$1" '/^```lua$/ { n++; inside = 1; next } /^```$/ { inside = 0 }
    inside && n == wanted' "$root/docs/guide/policies.md"
}
block 1 >"$work/quiet-evenings.lua"
block 2 >"$work/quiet-evenings_spec.lua"
spec() {
  cd "$work"
  try busted --lua=luajit --lpath="$root/lua/?.lua" -o plainTerminal "$work/quiet-evenings_spec.lua"
  cd "$root"
}
says() { grep -qF -- "$1" "$work/out"; }

try "$perilune" check "$work/quiet-evenings.lua"
check "the guide's policy is valid" exits 0
check "it has fifteen lines or a few more" [ "$(wc -l <"$work/quiet-evenings.lua")" -le 18 ]
spec
check "it passes the guide's spec" exits 0

printf '%s\n' '{"at":"2026-03-01T23:30:00Z","proposals":[{"observer":"a","kind":"advisory","text":"The lock is never released.","fingerprint":"f","severity":"nit"}]}' >"$work/lines"
try "$perilune" policy eval --policy "default,$work/quiet-evenings.lua" "$work/lines"
check "behind default it defers a nit at night" says '"verdict":"defer","lane":"steer","reason":"quiet hours"'
try "$perilune" replay --config "$demo/config.yaml" --policy "default,$work/quiet-evenings.lua" \
  --against default "$demo"
check "its backtest runs" exits 0

sed 's/"quiet hours"/"sleepy"/' "$work/quiet-evenings.lua" >"$work/broken"
mv "$work/broken" "$work/quiet-evenings.lua"
spec
check "the guide's spec fails once the policy is broken" exits 1

# Must show 4. Its hours are made all hours: the test runs at any.
config=$XDG_CONFIG_HOME/perilune
mkdir -p "$config/observers" "$config/policies"
echo 'policies: [default, quiet-evenings]' >"$config/config.yaml"
cat >"$config/observers/nits.lua" <<'LUA'
-- perilune-api: 1
return {
    name = "nits", description = "Says something at every step.", on = "turn_end", severity = "nit",
    observe = function(turn)
        local at = turn.items[1].text
        return { advise = "A misspelt name was found: " .. at, fingerprint = at }
    end,
}
LUA
mkfifo "$work/pipe"
"$perilune" run --json --dialect activity --sink "$work/sink" - \
  <"$work/pipe" >"$work/records" 2>"$work/log" &
child=$!
exec 3>"$work/pipe"
step() { # TEXT
  printf '%s\n' "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"$1\"}" \
    '{"session":"s","kind":"assistant_text","text":"done"}' \
    '{"session":"s","kind":"turn_ended","reason":"completed"}' >&3
}
: >"$work/out" && : >"$work/err"
check "the missing policy is named" await "$work/log" "there is no policy 'quiet-evenings'"
step alpha
check "without it a nit is delivered" await "$work/sink" "alpha"
block 1 | sed 's/ >= 22/ >= 0/' >"$work/draft"
mv "$work/draft" "$config/policies/quiet-evenings.lua"
check "the policy is taken over once it is written" await "$work/log" "quiet-evenings.lua: loaded anew"
step beta
check "from then on it decides" await "$work/records" '"reason":"quiet hours"'
block 1 | sed 's/ >= 22/ >= 0/; s/return verdict/retrun verdict/' >"$work/draft"
mv "$work/draft" "$config/policies/quiet-evenings.lua"
check "a broken edit is reported with file and line" await "$work/log" "quiet-evenings.lua:13: error"
check "and the one before goes on" await "$work/log" "the policies go on as they were"
: >"$work/sink"
step gamma
check "it still decides" await "$work/records" 'was found: gamma'
exec 3>&-
status=0
wait "$child" || status=$?
check "run ends well" exits 0
check "nothing was delivered past it" sh -c "! grep -q gamma '$work/sink'"
finish
