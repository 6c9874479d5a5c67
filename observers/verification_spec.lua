package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("verification.md")

describe("verification", function()
    it("is off, has the trigger and the right of pi-observers' verification", function()
        assert.equal("false", spec.enabled)
        assert.equal("agent_settled", spec.on)
        assert.same({ "advise" }, spec.can)
    end)

    it("has no form without a model, but spares one where nothing was changed", function()
        assert.is_nil(spec.observe)
        assert.is_false(spec.wake(testing.turn({ act.read("a.c"), act.text("It adds.") })))
        assert.is_true(spec.wake(testing.turn({ act.edit("a.c"), act.text("Done.") })))
    end)
end)
