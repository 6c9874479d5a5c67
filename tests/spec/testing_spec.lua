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

    it("keeps in one step, or parts, what a captured scene says it does", function()
        local turns = testing.steps({ { text = "a" }, { text = "b", new_step = true },
            { call = "Read" }, { text = "c", parallel = true },
            { note = "n", source = "hook" } })
        assert.same({ 2, 4 }, { #turns[1].items, #turns[2].items })
        assert.equal("hook", turns[2].items[4].name)
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
            ['unknown key "evidense"'] = { advise = "x", fingerprint = "f", evidense = {} },
            ["severity is none"] = { advise = "x", fingerprint = "f", severity = "high" },
            ["evidence is a number"] = { advise = "x", fingerprint = "f", evidence = 3 },
            ["evidence%[1%] is not"] = { advise = "x", fingerprint = "f", evidence = { "3" } },
            ["has holes"] = { advise = "x", fingerprint = "f", evidence = { [2] = 1 } },
            ["data.f: function"] = { advise = "x", fingerprint = "f", data = { f = print } },
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

describe("perilune.testing: chains of policies", function()
    it("lets what is over a window's budget wait for the next one", function()
        local desk = testing.policies({ "default", limits = { advisories_per_turn = 1 } })
        local decisions = desk:batch({ { text = "The lock is never released." } })
        assert.equal("deliver", decisions[1].verdict)
        desk:work()
        decisions = desk:batch({ { text = "The parser drops its last line." } })
        assert.equal("over the window's budget", decisions[1].reason)
        local released = desk:window()
        assert.equal("The parser drops its last line.", released[1].proposal.text)
        assert.equal("deliver", released[1].verdict)
    end)

    it("PE-3 clamps a policy that delivers everything", function()
        local greedy = { name = "greedy", deliver = function(verdict)
            return { verdict = "deliver", lane = verdict.lane, reason = "why not" }
        end }
        local desk, delivered = testing.policies({ greedy }), 0
        for _, one in ipairs(desk:batch({ {}, {}, {}, {}, {} })) do
            if one.verdict == "deliver" then delivered = delivered + 1 end
        end
        assert.equal(2, delivered)
    end)

    it("spends a veto's budget over the windows of a session", function()
        local desk, words = testing.policies({ limits = { veto_budget = 2 } }), {}
        for i = 1, 3 do
            desk:work()
            local veto = { kind = "veto", text = "Not done.", fingerprint = "goal" }
            words[i] = desk:batch({ veto })[1].reason
            desk:window()
        end
        assert.same({ "within the window's budget", "within the window's budget",
            "the veto budget is spent" }, words)
    end)

    it("moves time as a spec says", function()
        local desk = testing.policies({ "quiet", at = "2026-03-01T23:30" })
        assert.equal("quiet hours", desk:batch({ { severity = "nit" } })[1].reason)
        desk.clock:pass({ hours = 8 })
        assert.same({ year = 2026, month = 3, day = 2, hour = 7, min = 30, wday = 2 },
            desk.clock:local_time())
        assert.equal("deliver", desk:window()[1].verdict)
        assert.has_error(function() desk.clock:set("noon") end)
    end)

    it("fails the spec of a policy that fails, forgets a reason or writes to ctx", function()
        local function deciding(deliver)
            local desk = testing.policies({ { name = "broken", deliver = deliver } })
            return function() desk:batch({ {} }) end
        end
        assert.has_error(deciding(function() return nil .. "x" end))
        assert.has_error(deciding(function() return { verdict = "drop" } end))
        assert.has_error(deciding(function(verdict, _, ctx)
            ctx.left = nil
            return verdict
        end))
        assert.has_error(deciding(function(verdict, _, ctx)
            ctx.state.words = ("x"):rep(5000)
            return verdict
        end))
    end)
end)
