-- Decision for decision it is held to pi-observers by tests/golden/policy/flows.lua; here is
-- what each rule does alone.
local testing = require("perilune.testing")
local policy = testing.load("pi.lua")

local p = testing.proposal

local function decide(proposals, fields)
    for i, one in ipairs(proposals) do
        one.id = ("p%d"):format(i)
        one.fingerprint = one.fingerprint or one.id
        proposals[i] = p(one)
    end
    local ctx = testing.policy_ctx(fields)
    local decisions, order = testing.decide(policy, proposals, ctx)
    return decisions, order, ctx
end

describe("pi", function()
    it("PI-7 ranks by priority alone, the earlier first", function()
        local _, order = decide({ { priority = 10, severity = "blocker" }, { priority = 60 },
            { priority = 60 } }, { limits = { advisories_per_turn = 3, veto_budget = 3 } })
        assert.same({ "p2", "p3", "p1" }, order)
    end)

    it("PI-7 drops what is over the cap of a batch even if the window has room", function()
        local decisions = decide({ {}, {}, {} }, { left = { advisories = 5, vetoes = 1 } })
        assert.same({ verdict = "drop", reason = "over the batch cap" }, decisions.p3)
    end)

    it("PI-7 defers what the window has no room for", function()
        local decisions = decide({ {}, {} }, { left = { advisories = 1, vetoes = 1 } })
        assert.equal("deliver", decisions.p1.verdict)
        assert.equal("defer", decisions.p2.verdict)
    end)

    it("PI-7 defers advisories beside a granted veto, once", function()
        local decisions, order, ctx = decide({ {}, { kind = "veto" } })
        assert.same({ "p2", "p1" }, order)
        assert.equal("beside a veto", decisions.p1.reason)
        assert.equal("deliver", testing.deliver(policy, p({ id = "p1" }), ctx).verdict)
    end)

    it("PI-7 does not take a veto and an advisory of one fingerprint for the same", function()
        local decisions = decide({ { fingerprint = "f" },
            { fingerprint = "f", kind = "veto" } })
        assert.equal("deliver", decisions.p2.verdict)
        assert.equal("defer", decisions.p1.verdict)
    end)

    it("PI-7 lets the next veto stand in for one whose budget is spent", function()
        local decisions = decide({ { kind = "veto", observer = "a", priority = 90 },
            { kind = "veto", observer = "b" } }, { vetoes = function(observer)
                return { key = observer == "a" and 3 or 0, observer = 0, session = 0 }
            end })
        assert.same({ verdict = "drop", reason = "veto budget spent" }, decisions.p1)
        assert.equal("deliver", decisions.p2.verdict)
    end)

    it("PI-7 grants one veto a window", function()
        local decisions = decide({ { kind = "veto" } },
            { left = { advisories = 2, vetoes = 0 } })
        assert.equal("window has its veto", decisions.p1.reason)
    end)
end)
