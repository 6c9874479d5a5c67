local testing = require("perilune.testing")
local policy = testing.load("quiet.lua")

local p = testing.proposal
local NIGHT = { local_time = { hour = 23, min = 0 } }

describe("quiet", function()
    it("puts the nits of a batch into one note", function()
        local first, other = p({ id = "a", severity = "nit" }), p({ id = "c" })
        local second = p({ id = "b", severity = "nit" })
        local kept, dropped = policy.reconcile({ first, other, second }, testing.policy_ctx())
        assert.same({ first, other }, kept)
        assert.same({ { proposal = second, reason = "in one note with a", into = first } },
            dropped)
    end)

    it("never puts a veto into a note", function()
        local kept = policy.reconcile({ p({ severity = "nit" }),
            p({ severity = "nit", kind = "veto" }) }, testing.policy_ctx())
        assert.equal(2, #kept)
    end)

    it("lets a nit wait for the morning", function()
        local verdict = testing.deliver(policy, p({ severity = "nit" }),
            testing.policy_ctx(NIGHT))
        assert.equal("defer", verdict.verdict)
        assert.equal("quiet hours", verdict.reason)
    end)

    it("lets a concern through at night, one a window", function()
        local ctx = testing.policy_ctx(NIGHT)
        assert.equal("deliver", testing.deliver(policy, p({}), ctx).verdict)
        assert.equal(1, policy.budget({ advisories = 2, vetoes = 1 }, ctx).advisories)
    end)

    it("changes nothing by day", function()
        local ctx = testing.policy_ctx()
        assert.equal("deliver", testing.deliver(policy, p({ severity = "nit" }), ctx).verdict)
        assert.equal(2, policy.budget({ advisories = 2, vetoes = 1 }, ctx).advisories)
    end)

    it("knows the hours at their edges", function()
        for hour, quiet in pairs({ [21] = false, [22] = true, [0] = true, [6] = true,
            [7] = false }) do
            local ctx = testing.policy_ctx({ local_time = { hour = hour, min = 0 } })
            local verdict = testing.deliver(policy, p({ severity = "nit" }), ctx)
            assert.equal(quiet, verdict.verdict == "defer", hour)
        end
    end)
end)
