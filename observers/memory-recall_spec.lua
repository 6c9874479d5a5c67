package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("memory-recall.md")

local NOTES = {
    { name = "port", description = "The staging postgres listens on port 5544", text = "" },
    { name = "sign", description = "Releases carry the maintainer yubikey signature",
        text = "" },
}

describe("memory-recall without a model", function()
    it("reminds of a note once", function()
        local said = testing.replay(spec,
            { user = "Ask the staging postgres, which port is it?",
            memory = NOTES, act.bash("psql"), act.bash("psql -h staging") })
        assert.equal(1, #said)
        assert.equal("memory:port", said[1].proposal.fingerprint)
    end)

    it("has the trigger and the right of pi-observers' memory-recall", function()
        assert.same({ "advise" }, spec.can)
        assert.equal("turn_end", spec.on)
    end)
end)
