#!/bin/sh
# The author's kit: its chain of policies decides as the core does, the guide's example of it runs,
# and a short spec tells a broken observer from a good one.
set -eu
. "$(dirname "$0")/lib.sh"

for policies in default pi claude quiet strict default,escalate,shadow; do
  try luajit "$root/tests/e2e/kit_parity.lua" "$perilune" "$policies" 11 400
  check "testing.policies decides as the core does: $policies" exits 0
done

block() { # NUMBER: that ```lua block of the guide
  awk -v wanted="$1" '/^```lua$/ { n++; inside = 1; next } /^```$/ { inside = 0 }
    inside && n == wanted' "$root/docs/guide/policies.md"
}
block 1 >"$work/quiet-evenings.lua"
block 3 >"$work/chain_spec.lua"
try "$perilune" test "$work/chain_spec.lua"
check "the guide's spec of a chain passes, with the shipped policies of the program" exits 0
try "$perilune" test --lua "$root" "$work/chain_spec.lua"
check "it passes with those of a folder" exits 0
sed 's/hour >= 22 then/hour >= 24 then/' "$work/quiet-evenings.lua" >"$work/broken"
mv "$work/broken" "$work/quiet-evenings.lua"
try "$perilune" test "$work/chain_spec.lua"
check "it fails once the policy is broken" exits 1

cat >"$work/push-watch.lua" <<'END'
-- perilune-api: 1
---@type perilune.ObserverSpec
return {
    name = "push-watch", description = "Asks about a forced push.", on = "turn_end",
    observe = function(turn)
        for _, call in ipairs(turn.calls()) do
            if call.name == "Bash" and call.input.command:find("push --force", 1, true) then
                return { advise = "It forced a push: was that asked for?", fingerprint = "push" }
            end
        end
    end,
}
END
cat >"$work/push-watch_spec.lua" <<'END'
local testing = require("perilune.testing")
local spec = testing.load("push-watch.lua")

local function said_of(command)
    return testing.replay(spec, { user = "ship it",
        { call = "Bash", input = { command = command }, result = "" } })
end

it("asks about a forced push, once it reaches the agent", function()
    local said = said_of("git push --force")
    local desk = testing.policies({ "default" })
    local decisions = desk:batch({ { text = said[1].text, fingerprint = "push" } })
    assert.equal("deliver", decisions[1].verdict)
end)
it("is silent about any other push", function()
    assert.same({}, said_of("git push"))
end)
END
check "a spec of an observer takes less than 20 lines" [ "$(wc -l <"$work/push-watch_spec.lua")" -lt 20 ]
try "$perilune" test "$work/push-watch_spec.lua"
check "it passes while the observer is good" exits 0
sed 's/push --force/push/' "$work/push-watch.lua" >"$work/broken"
mv "$work/broken" "$work/push-watch.lua"
try "$perilune" test "$work/push-watch_spec.lua"
check "it fails once the observer speaks of too much" exits 1
sed 's/return { advise.*/return nil/' "$work/push-watch.lua" >"$work/broken"
mv "$work/broken" "$work/push-watch.lua"
try "$perilune" test "$work/push-watch_spec.lua"
check "it fails once the observer says nothing" exits 1
finish
