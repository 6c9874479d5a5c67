local testing = require("perilune.testing")
local spec = testing.load("NAME.lua")

local function run(command)
    return { call = "Bash", input = { command = command }, result = "", exit_code = 0 }
end

describe("NAME", function()
    it("speaks when the agent pushes", function()
        local said = testing.replay(spec, { user = "Fix it.", run("git push origin main") })
        assert.equal(1, #said)
        assert.matches("git push", said[1].text)
    end)

    it("is silent about other commands", function()
        assert.same({}, testing.replay(spec, { user = "Fix it.", run("git status") }))
    end)
end)
