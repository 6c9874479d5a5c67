local testing = require("perilune.testing")
local policy = testing.load("NAME.lua")

local function at(hour, severity)
    local p = testing.proposal({ severity = severity })
    local ctx = testing.policy_ctx({ local_time = { hour = hour, min = 0 } })
    return testing.deliver(policy, p, ctx)
end

describe("NAME", function()
    it("keeps small things for the morning", function()
        assert.same("defer", at(23, "nit").verdict)
        assert.same("quiet hours", at(23, "nit").reason)
    end)

    it("lets everything else through", function()
        assert.equal("deliver", at(23, "concern").verdict)
        assert.equal("deliver", at(12, "nit").verdict)
    end)
end)
