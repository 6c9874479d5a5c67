package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("idle-spin.lua")

local function misses(from, to)
    local scene = { user = "Find it." }
    for i = from, to do scene[#scene + 1] = act.bash("grep -rn word" .. i .. " src", "", 1) end
    return scene
end

describe("idle-spin", function()
    it("speaks at the 6th and the 12th step, under two fingerprints", function()
        local said = testing.replay(spec, misses(1, 13))
        assert.equal(2, #said)
        assert.matches("^6 steps in a row", said[1].text)
        assert.matches("^12 steps in a row", said[2].text)
        assert.not_equal(said[1].proposal.fingerprint, said[2].proposal.fingerprint)
    end)

    it("cites where the stretch began and where it is now", function()
        local said = testing.replay(spec, misses(1, 6))
        assert.same({ 2, 12 }, said[1].proposal.evidence)
    end)

    it("starts anew after something new", function()
        local scene = misses(1, 5)
        scene[6] = act.read("src/a.c", "int a;")
        for _, entry in ipairs(misses(6, 10)) do scene[#scene + 1] = entry end
        assert.same({}, testing.replay(spec, scene))
    end)

    it("stays within its state over a long turn", function()
        local scene = { user = "Read all." }
        for i = 1, 400 do scene[i] = act.read("f" .. i, "text " .. i .. "x") end
        assert.same({}, testing.replay(spec, scene))
    end)
end)
