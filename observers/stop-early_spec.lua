package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("stop-early.lua")

describe("stop-early", function()
    it("cites the last word", function()
        local said = testing.replay(spec, { act.todos("open: test it"), act.edit("a.c"),
            act.text("Fixed it.") })
        assert.same({ 6 }, said[1].proposal.evidence)
        assert.equal(said[1].step, 3)
    end)

    it("leaves the plan to goal-hold where a goal is declared", function()
        assert.same({}, testing.replay(spec, { goal = "Fix it", act.todos("open: test it"),
            act.edit("a.c"), act.text("Fixed it.") }))
    end)

    it("keeps to 300 characters with long entries", function()
        local long = "open: " .. ("really "):rep(60)
        assert.equal(1, #testing.replay(spec, { act.todos(long, long, long), act.edit("a.c"),
            act.text("Fixed it.") }))
    end)
end)
