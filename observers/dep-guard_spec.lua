package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("dep-guard.lua")

describe("dep-guard", function()
    it("names the package without its version, under one fingerprint", function()
        local said = testing.replay(spec, { user = "Fix it.", act.bash("npm i Lodash@4", "ok"),
            act.edit("package.json", "x", '"lodash": "^4.17.21",') })
        assert.equal("dep:lodash", said[1].proposal.fingerprint)
        assert.equal("dep:lodash", said[2].proposal.fingerprint)
        assert.same({ 2 }, said[1].proposal.evidence)
    end)

    it("takes the value of an option for no package, before the verb or behind it", function()
        for _, line in ipairs({ "pnpm --filter web add axios", "pnpm add --filter web axios",
            "npm install --prefix app axios", "uv add --project app axios" }) do
            local said = testing.replay(spec, { user = "Fix it.", act.bash(line, "ok") })
            assert.equal("dep:axios", said[1].proposal.fingerprint)
        end
    end)

    it("looks past what was asked for at the rest of the session", function()
        local said = testing.replay(spec, { user = "Use zod.", act.bash("npm i zod", "ok"),
            act.bash("npm i left-pad", "ok") })
        assert.equal(1, #said)
        assert.matches("left%-pad", said[1].text)
    end)
end)
