package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("spend-meter.lua")

local function at(input)
    return act.with(act.bash("make", "ok"), { usage = { input = input } })
end

describe("spend-meter", function()
    it("tells each mark once", function()
        local said = testing.replay(spec, { at(310000), at(320000), at(1100000), at(1200000) })
        assert.equal(2, #said)
        assert.equal("spend:turn:1:1", said[1].proposal.fingerprint)
        assert.equal("spend:session:1", said[2].proposal.fingerprint)
    end)

    it("speaks to the human alone", function()
        assert.equal("user", spec.deliver)
    end)

    it("does not charge a turn for what went before observing began", function()
        local turn = testing.turn({ at(900000) })
        turn.turn = 4
        assert.is_nil(testing.run(spec, turn))
    end)
end)
