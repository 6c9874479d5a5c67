local recall = require("perilune.recall")

local ENTRIES = {
    { name = "a", description = "The staging postgres listens on port 5544" },
    { name = "b", description = "Releases carry the maintainer yubikey signature" },
    { name = "c", description = "Generated bindings live under gen and are never edited" },
}

local function best(words, options)
    options = options or {}
    options.min_words, options.min_share = options.min_words or 2, options.min_share or 0.3
    local entry, shared = recall.best(ENTRIES, words, options)
    return entry and entry.name, shared
end

describe("perilune.recall", function()
    it("finds the entry a text is about, and by which words", function()
        local name, shared = best("connect to the Postgres on staging")
        assert.equal("a", name)
        assert.same({ "postgres", "staging" }, shared)
    end)

    it("takes a plural and its singular for one word", function()
        assert.equal("b", (best("a release with signatures, maintainers")))
    end)

    it("finds nothing by too few words, too small a share or common words", function()
        assert.is_nil((best("postgres")))
        assert.is_nil((best("postgres staging", { min_share = 0.9 })))
        assert.is_nil((best("please run the tests and make the changes")))
    end)

    it("leaves out what is to be skipped, and none where two fit", function()
        assert.is_nil((best("postgres staging", { skip = function() return true end })))
        assert.is_nil((best("postgres staging and generated bindings", { alone = true })))
    end)

    it("lives with an empty list", function()
        assert.is_nil(recall.best({}, "x", { min_words = 1, min_share = 0 }))
    end)
end)
