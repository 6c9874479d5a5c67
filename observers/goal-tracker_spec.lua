package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("goal-tracker.md")

local PLAN = act.todos("open: rename", "open: move the files", "open: update imports")
local GOAL = { text = "Ship it", items = { { text = "changelog entry" },
    { text = "new manual" } } }

describe("goal-tracker without a model", function()
    it("tells of each forgotten item once", function()
        local said = testing.replay(spec, { goal = GOAL, PLAN, PLAN, PLAN })
        assert.equal(2, #said)
        assert.matches("changelog entry", said[1].text)
        assert.matches("new manual", said[2].text)
    end)

    it("has the rights of pi-observers' goal-tracker", function()
        assert.same({ "advise", "veto" }, spec.can)
        assert.equal("turn_end", spec.on)
    end)
end)
