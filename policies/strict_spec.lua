local testing = require("perilune.testing")
local policy = testing.load("strict.lua")

local p = testing.proposal

describe("strict", function()
    it("drops nits", function()
        local decisions = testing.decide(policy, { p({ severity = "nit" }) },
            testing.policy_ctx())
        assert.same({ verdict = "drop", reason = "a nit" }, decisions.p1)
    end)

    it("lets a concern through", function()
        assert.equal("deliver", testing.deliver(policy, p({}), testing.policy_ctx()).verdict)
    end)

    it("leaves a window one note and its veto", function()
        assert.same({ advisories = 1, vetoes = 1 },
            policy.budget({ advisories = 5, vetoes = 1 }, testing.policy_ctx()))
        assert.same({ advisories = 0, vetoes = 0 },
            policy.budget({ advisories = 0, vetoes = 0 }, testing.policy_ctx()))
    end)
end)
