local testing = require("perilune.testing")
local policy = testing.load("escalate.lua")

local p = testing.proposal

local function lanes_of(fields, ctx, count)
    local lanes = {}
    for i = 1, count do
        ctx.left = { advisories = 2, vetoes = 1 }
        lanes[i] = testing.deliver(policy, p(fields), ctx).lane
    end
    return lanes
end

describe("escalate", function()
    it("climbs from nit to concern to hold", function()
        local ctx = testing.policy_ctx()
        assert.same({ "prompt", "steer", "hold", "hold" },
            lanes_of({ kind = "veto", fingerprint = "f" }, ctx, 4))
    end)

    it("counts each finding of each observer for itself", function()
        local ctx = testing.policy_ctx()
        lanes_of({ kind = "veto", fingerprint = "f" }, ctx, 2)
        assert.same({ "prompt" }, lanes_of({ kind = "veto", fingerprint = "g" }, ctx, 1))
        assert.same({ "prompt" },
            lanes_of({ kind = "veto", fingerprint = "f", observer = "other" }, ctx, 1))
        assert.same({ "hold" }, lanes_of({ kind = "veto", fingerprint = "f" }, ctx, 1))
    end)

    it("leaves advice alone", function()
        assert.same({ "steer", "steer", "steer" }, lanes_of({}, testing.policy_ctx(), 3))
    end)

    it("stays within ctx.state, whatever fingerprints come", function()
        local ctx = testing.policy_ctx()
        for i = 1, 200 do
            lanes_of({ kind = "veto", fingerprint = ("x"):rep(400) .. i }, ctx, 1)
            lanes_of({ kind = "veto", fingerprint = i .. ("x"):rep(400) }, ctx, 1)
        end
        local bytes = 0
        for key in pairs(ctx.state.seen) do bytes = bytes + #key + 8 end
        assert.truthy(bytes < 4096, bytes)
    end)
end)
