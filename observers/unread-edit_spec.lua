package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("unread-edit.lua")

describe("unread-edit", function()
    it("tells of a file once: after the edit it is known", function()
        local said = testing.replay(spec, { act.edit("src/a.c"), act.edit("src/a.c", "b",
            "c") })
        assert.equal(1, #said)
        assert.same({ 2 }, said[1].proposal.evidence)
    end)

    it("is silent where observing began late", function()
        local turn = testing.turn({ act.edit("src/a.c") })
        turn.turn = 3
        assert.is_nil(testing.run(spec, turn))
    end)

    it("is silent where items were lost", function()
        local turn = testing.turn({ act.edit("src/a.c") })
        turn.dropped = 2
        assert.is_nil(testing.run(spec, turn))
    end)

    it("keeps within its state over a thousand files", function()
        local scene = { user = "Read all." }
        for i = 1, 1000 do scene[i] = act.read("src/file" .. i .. ".c", "int x" .. i .. ";") end
        assert.same({}, testing.replay(spec, scene))
    end)
end)
