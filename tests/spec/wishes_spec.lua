local wishes = require("perilune.wishes")

describe("perilune.wishes", function()
    it("finds whole words only, whatever the case and the marks", function()
        assert.is_true(wishes.names("Please add Lodash.", { "lodash" }))
        assert.is_true(wishes.names("use `react-query` here", { "react query" }))
        assert.is_false(wishes.names("the hooked one", { "hook" }))
        assert.is_false(wishes.names("anything", { "" }))
    end)

    it("takes a ban for none, sentence by sentence", function()
        assert.is_false(wishes.names("Don't skip tests.", { "skip" }))
        assert.is_true(wishes.names("Don't hurry. Skip the flaky one.", { "skip" }))
        assert.is_true(wishes.names("No hurry, but skip the flaky one.", { "skip" }))
    end)

    it("remembers what was asked in earlier turns, within its bounds", function()
        local state = {}
        wishes.follow(state, { last_user = "Use zod." })
        wishes.follow(state, { last_user = "Use zod." })
        local words = wishes.follow(state, { last_user = "go on", goal = { text = "Ship IT" } })
        assert.is_true(wishes.names(words, { "zod" }))
        assert.is_true(wishes.names(words, { "ship it" }))
        for i = 1, 50 do
            wishes.follow(state, { last_user = ("word%d "):format(i):rep(100) })
        end
        assert.is_true(#state.wishes <= 1500)
    end)
end)
