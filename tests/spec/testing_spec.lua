local testing = require("perilune.testing")

local function observer(proposal, fields)
    local spec = { name = "probe", on = "turn_end", observe = function() return proposal end }
    for key, value in pairs(fields or {}) do spec[key] = value end
    return spec
end

describe("perilune.testing", function()
    it("makes a step of an answer and its calls, and a turn of a user's message", function()
        local turns = testing.steps({
            user = "one", { text = "a" }, { call = "Read", result = "x" },
            { call = "Read", result = "y", parallel = true }, { text = "b" },
            { user = "two" }, { call = "Bash", input = { command = "ls" }, denied = "no" },
        })
        assert.equal(3, #turns)
        local kinds = {}
        for i, item in ipairs(turns[1].items) do kinds[i] = item.kind end
        assert.same({ "user_message", "assistant_text", "tool_call", "tool_result", "tool_call",
            "tool_result" }, kinds)
        assert.same({ false, true, false },
            { turns[1].ending, turns[2].ending, turns[3].ending })
        assert.same({ 1, 1, 2 }, { turns[1].turn, turns[2].turn, turns[3].turn })
        assert.equal(2, #turns[2].calls())
        local call = turns[3].calls()[1]
        assert.is_true(call.denied)
        assert.equal("two", turns[3].last_user)
    end)

    it("counts repeats and names files as the host does", function()
        local turn = testing.turn({ { call = "Read", input = { file_path = "a" },
            result = "1" },
            { call = "Read", input = { file_path = "a" }, result = "2" },
            { call = "Edit", input = { file_path = "a" }, result = "ok" } })
        local times, same = turn.repeats(turn.calls()[2])
        assert.same({ 2, 1 }, { times, same })
        assert.same({ { path = "a", read = true, edited = true, added = 0, removed = 0,
            seq = turn.calls()[3].seq } }, turn.files)
    end)

    it("PI-5 refuses what the host would refuse", function()
        local turn = testing.turn({ { text = "hello" } })
        for why, bad in pairs({
            ["one of"] = { fingerprint = "f" },
            ["fingerprint is blank"] = { advise = "Look here." },
            ["is blank"] = { advise = " \n", fingerprint = "f" },
            ["may not veto"] = { veto = "Stop here.", fingerprint = "f" },
            ["longer than 300"] = { advise = ("x"):rep(301), fingerprint = "f" },
            ["nil or a table"] = "text",
        }) do
            local ok, message = pcall(testing.run, observer(bad), turn)
            assert.is_false(ok)
            assert.matches(why, message)
        end
    end)

    it("does not run an observer that stays asleep", function()
        local spec = observer({ advise = "Look here.", fingerprint = "f" },
            { wake = function() return false end })
        assert.is_nil(testing.run(spec, testing.turn({ { text = "hello" } })))
    end)

    it("refuses a state over 4 KiB", function()
        local spec = observer(nil, { observe = function(_,
            ctx) ctx.state.x = ("x"):rep(5000) end })
        assert.has_error(function() testing.run(spec, testing.turn({ { text = "a" } })) end)
    end)

    it("keeps ctx.state from step to step in a replay", function()
        local spec = observer(nil, { observe = function(_, ctx)
            ctx.state.n = (ctx.state.n or 0) + 1
            if ctx.state.n == 2 then return { advise = "The second step.",
                fingerprint = "f" } end
        end })
        local said = testing.replay(spec, { { call = "Bash" }, { call = "Bash" },
            { text = "a" } })
        assert.equal(2, said[1].step)
        assert.equal(1, #said)
    end)
end)
