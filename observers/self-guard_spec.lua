package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("self-guard.lua")

describe("self-guard", function()
    it("is a blocker that names the file and cites the call", function()
        local said = testing.replay(spec, { user = "Fix the parser.", act.read("a.c"),
            act.edit("/home/dev/project/.claude/settings.json") })
        assert.matches("`.claude/settings.json`", said[1].text)
        assert.equal("blocker", spec.severity)
        assert.same({ 4 }, said[1].proposal.evidence)
    end)

    it("keeps one fingerprint for one file", function()
        local edit = act.edit(".perilune/config.yaml")
        local said = testing.replay(spec, { user = "Fix the parser.", edit, edit })
        assert.equal(said[1].proposal.fingerprint, said[2].proposal.fingerprint)
    end)

    it("sees a guard moved away, and not one that is copied", function()
        local function count(command)
            return #testing.replay(spec, { user = "Fix it.", act.bash(command) })
        end
        assert.equal(1, count("mv .git/hooks/pre-commit /tmp/"))
        assert.equal(0, count("cp .git/hooks/pre-commit /tmp/"))
        assert.equal(1, count("cp /tmp/x .git/hooks/pre-commit"))
    end)
end)
