local lanes = require("perilune.lanes")

-- Case C56: what is said while the agent ..., and what is done with it by severity.
local CELLS = {
    { "runs a tool", "running", nit = "steer", concern = "steer", blocker = "steer" },
    { "is between two calls", "running", nit = "steer", concern = "steer", blocker = "steer" },
    { "has settled", "settled", nit = "prompt", concern = "prompt", blocker = "follow_up" },
    { "is idle", "idle", nit = "prompt", concern = "prompt", blocker = "prompt" },
    { "plans", "plan", nit = "steer", concern = "steer", blocker = "user" },
    { "was stopped by the user", "stopped", nit = "drop", concern = "drop", blocker = "user" },
    { "has ended", "ended", nit = "drop", concern = "drop", blocker = "drop" },
}

describe("the table of lanes", function()
    for _, cell in ipairs(CELLS) do
        for _, severity in ipairs(lanes.SEVERITIES) do
            it(("C56 a %s while the agent %s: %s"):format(severity, cell[1], cell[severity]),
                function()
                    local action, reason = lanes.action(severity, cell[2], "steer")
                    assert.equal(cell[severity], action)
                    assert.truthy(reason:find("%S"))
                end)
        end
    end

    it("keeps the lane asked for where a row says own", function()
        for _, lane in ipairs({ "steer", "prompt", "follow_up" }) do
            assert.equal(lane, (lanes.action("nit", "running", lane)))
            assert.equal(lane, (lanes.action("blocker", "running", lane)))
        end
    end)

    it("lets a veto hold wherever there is work to hold, and nowhere else", function()
        for _, state in ipairs(lanes.STATES) do
            local action = lanes.action("blocker", state, "hold")
            local work = state == "running" or state == "settled" or state == "idle"
            assert.equal(work and "hold" or "drop", action, state)
        end
    end)

    it("tells the user and the log whatever the agent does", function()
        for _, lane in ipairs({ "user", "log" }) do
            for _, state in ipairs(lanes.STATES) do
                assert.equal(lane, (lanes.action("nit", state, lane)), state)
            end
        end
    end)

    it("has an action and a reason for every cell", function()
        for _, severity in ipairs(lanes.SEVERITIES) do
            for _, state in ipairs(lanes.STATES) do
                for _, lane in ipairs(lanes.LANES) do
                    local action, reason = lanes.action(severity, state, lane)
                    assert.is_string(action)
                    assert.truthy(reason:find("%S"))
                end
            end
        end
    end)
end)
