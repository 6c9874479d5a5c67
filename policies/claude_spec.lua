local testing = require("perilune.testing")
local policy = testing.load("claude.lua")

local p = testing.proposal

describe("claude", function()
    it("CC-9 queues every report for the next model call, in order of arrival", function()
        local decisions, order = testing.decide(policy, { p({ kind = "report", id = "a" }),
            p({ kind = "report", id = "b", severity = "blocker" }) }, testing.policy_ctx())
        assert.same({ "a", "b" }, order)
        assert.same({ verdict = "deliver", lane = "steer", reason = "queued" }, decisions.a)
        assert.equal("steer", decisions.b.lane)
    end)

    it("CC-9 queues it for the next prompt where the agent is idle", function()
        local ctx = testing.policy_ctx({ run_state = "settled" })
        assert.equal("prompt", testing.deliver(policy, p({ kind = "report" }), ctx).lane)
    end)

    it("keeps what a window has no room for", function()
        local ctx = testing.policy_ctx({ left = { advisories = 0, vetoes = 1 } })
        assert.equal("defer", testing.deliver(policy, p({ kind = "report" }), ctx).verdict)
    end)

    it("leaves vetoes to the core", function()
        assert.equal("hold", testing.deliver(policy, p({ kind = "veto" }),
            testing.policy_ctx()).lane)
    end)
end)
