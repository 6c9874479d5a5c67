local testing = require("perilune.testing")
local policy = testing.load("shadow.lua")

local p = testing.proposal

describe("shadow", function()
    it("turns what would reach the agent into a line of the log", function()
        assert.same({ verdict = "deliver", lane = "log",
            reason = "shadow: would deliver, lane steer" },
            testing.deliver(policy, p({}), testing.policy_ctx()))
    end)

    it("holds nobody", function()
        local verdict = testing.deliver(policy, p({ kind = "veto" }), testing.policy_ctx())
        assert.equal("log", verdict.lane)
    end)

    it("leaves a drop alone", function()
        local verdict = { verdict = "drop", reason = "already delivered" }
        assert.equal(verdict, policy.deliver(verdict, p({}), testing.policy_ctx()))
    end)
end)
