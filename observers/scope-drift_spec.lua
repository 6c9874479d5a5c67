package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local testing = require("perilune.testing")
local spec = testing.load("scope-drift.lua")

describe("scope-drift", function()
    it("names a file once, however often it is changed", function()
        local said = testing.replay(spec, { user = "Only change files in src/.",
            act.edit("docs/a.md"), act.edit("docs/a.md", "c", "d") })
        assert.equal(2, #said)
        assert.equal(said[1].proposal.fingerprint, said[2].proposal.fingerprint)
        assert.same({ 2 }, said[1].proposal.evidence)
    end)

    it("holds a ban against an only", function()
        local said = testing.replay(spec, {
            user = "Only change files in src, but do not touch src/gen.",
                act.edit("src/gen/a.c") })
        assert.matches("leave `src/gen` alone", said[1].text)
    end)

    it("reads a request with no path in it as no line at all", function()
        assert.same({}, testing.replay(spec, { user = "Only change what you must.",
            act.edit("src/a.c"), act.edit("docs/b.md") }))
    end)

    it("stays silent outside where the workspace is not known", function()
        local turn = testing.turn({ user = "Fix it.", act.edit("/etc/hosts") })
        turn.cwd = nil
        assert.is_nil(testing.run(spec, turn))
    end)

    it("keeps to 300 characters with long names", function()
        local long = ("deep/"):rep(60) .. "a.c"
        local said = testing.replay(spec,
            { user = "Only change files in src/" .. ("x"):rep(200),
            act.edit(long) })
        assert.equal(1, #said)
    end)
end)
