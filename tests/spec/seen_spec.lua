local seen = require("perilune.seen")

describe("perilune.seen", function()
    it("knows what was added and nothing else", function()
        local set
        for i = 1, 150 do set = seen.add(set, "file" .. i .. ".c") end
        for i = 1, 150 do assert.is_true(seen.has(set, "file" .. i .. ".c")) end
        for i = 151, 2000 do assert.is_false(seen.has(set, "file" .. i .. ".c")) end
        assert.is_false(seen.has(nil, "x"))
    end)

    it("keeps an entry once and six bytes each", function()
        local set = seen.add(seen.add(seen.add(nil, "a"), "b"), "a")
        assert.equal(2, seen.count(set))
        assert.equal(12, #set)
        assert.equal("kl2PgV", seen.add(nil, "file7.c")) -- as in people's saved states
    end)

    it("forgets the oldest first", function()
        local set
        for i = 1, 12 do set = seen.add(set, "n" .. i, 10) end
        assert.equal(10, seen.count(set))
        assert.is_false(seen.has(set, "n1"))
        assert.is_true(seen.has(set, "n12"))
    end)

    it("tells long texts of different lengths apart", function()
        local set = seen.add(nil, ("a"):rep(5000))
        assert.is_false(seen.has(set, ("a"):rep(5001)))
        assert.is_true(seen.has(set, ("a"):rep(5000)))
    end)
end)
