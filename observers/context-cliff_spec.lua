package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("context-cliff.lua")

local function at(context)
    return act.with(act.bash("make", "ok"), { usage = { context = context } })
end

describe("context-cliff", function()
    it("speaks at two marks of one filling and no more", function()
        local said = testing.replay(spec, { at(161000), at(170000), at(185000), at(195000) })
        assert.equal(2, #said)
        assert.not_equal(said[1].proposal.fingerprint, said[2].proposal.fingerprint)
    end)

    it("speaks anew after a compaction, under another fingerprint", function()
        local said = testing.replay(spec, { at(165000), at(40000), at(166000) })
        assert.equal(2, #said)
        assert.not_equal(said[1].proposal.fingerprint, said[2].proposal.fingerprint)
    end)

    it("takes a dip for no compaction", function()
        assert.equal(1, #testing.replay(spec, { at(165000), at(150000), at(165000) }))
    end)
end)
