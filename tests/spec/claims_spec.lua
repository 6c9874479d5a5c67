local claims = require("perilune.claims")

local function kinds(text)
    local out = {}
    for i, claim in ipairs(claims.find(text)) do out[i] = claim.kind end
    return table.concat(out, " ")
end

describe("perilune.claims", function()
    for text, expected in pairs({
        ["All tests pass."] = "test",
        ["All 14 tests pass now, and the build is green."] = "test build",
        ["I ran `make test` and everything passes."] = "test",
        ["`npm test` passes and `npm run build` succeeds."] = "test",
        ["14 tests passed, 0 failed."] = "test",
        ["- [x] **All tests pass**"] = "test",
        ["Great — all tests passing!"] = "test",
        ["Confirmed: 16/16 tests pass."] = "test",
        ["After the change, all existing tests still pass with no failures."] = "test",
        ["The project builds cleanly."] = "build",
        ["I've fixed the bug; the suite is green."] = "fixed test",
        ["The issue is now resolved."] = "fixed",
    }) do
        it("finds one in: " .. text, function() assert.equal(expected, kinds(text)) end)
    end

    for _, text in ipairs({
        "3 tests passed, 1 failed.", "The parser tests pass.", "No tests pass.",
        "If the build succeeds we ship.", "I want to fix this so tests pass.",
        "All tests pass except test_leap.", "Tests pass in CI.", "This is not fixed yet.",
        "It returns a fixed width string.", "You said all tests pass.",
        "The log says “all tests pass”.", "We used to have it where all tests pass.",
    }) do
        it("finds none in: " .. text, function() assert.equal("", kinds(text)) end)
    end

    it("gives the clause as it was written", function()
        assert.equal("All tests pass",
            claims.find("**All tests pass**, but it is slow.")[1].text)
    end)

    it("reads the end of a long text, in bounded time", function()
        assert.equal("test", kinds(("word "):rep(50000) .. "\nAll tests pass."))
        assert.equal("", kinds(("`"):rep(20000) .. ('"'):rep(20000)))
    end)
end)
