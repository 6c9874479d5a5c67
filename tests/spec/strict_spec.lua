local strict = require("perilune.strict")
local testing = require("perilune.testing")

local function lines_of(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text:gmatch("[^\n]+")
end

-- The names in the reviewed list of what a script can reach.
local function reviewed()
    local names = {}
    for line in lines_of("tests/fault/reachable.txt") do
        local name = line:match("^observe%(env%)%.([%a_][%w_.]*) ")
        if name then names[name] = true end
    end
    return names
end

local function annotated(class)
    local names, inside = {}, false
    for line in lines_of("lua/meta/turn.lua") do
        local name = line:match("^%-%-%-@class ([%w_.]+)")
        if name then inside = name == class end
        local field = inside and line:match("^%-%-%-@field ([%w_]+)")
        if field then names[field] = true end
    end
    return names
end

-- A file of `source`, loaded by the kit; the file is gone again.
local function load_source(source)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(source)
    file:close()
    local ok, result = pcall(testing.load, path)
    os.remove(path)
    assert(ok, result)
    return result
end

local function fails(body, why)
    local spec = load_source("return { name = 'probe', on = 'turn_end',"
        .. " observe = function(turn, ctx) " .. body .. " end }")
    local scene = { user = "x", { call = "Bash", result = "" } }
    local ok, message = pcall(testing.replay, spec, scene)
    assert.is_false(ok)
    assert.matches(why, message)
end

describe("perilune.strict", function()
    it("C50 gives a script the names of the sandbox, one by one", function()
        local names, env = {}, strict.globals()
        for name, value in pairs(env) do
            names[name] = true
            for inner in pairs(type(value) == "table" and name ~= "_G" and value or {}) do
                names[name .. "." .. inner] = true
            end
        end
        assert.same(reviewed(), names)
        assert.equal(env, env._G)
        env.string.rep = nil
        assert.is_function(strict.globals().string.rep)
    end)

    it("knows the fields of the host's views", function()
        for class, noun in pairs({ Turn = "turn", Item = "item", Call = "call" }) do
            local known = {}
            for word in strict.fields[noun]:gmatch("%S+") do known[word] = true end
            assert.same(annotated("perilune." .. class), known)
        end
    end)

    it("PE-1 fails a script that asks for a clock, a file or a module of its own", function()
        fails("return os.time()", "global 'os'")
        fails("return io.open('x')", "global 'io'")
        fails("return string.dump(print)", "field 'dump'")
        fails("return require('helper')", "module 'helper' not found")
    end)

    it("fails a script that misspells a field or changes what it is shown", function()
        fails("return turn.last_usr", 'turn has no field "last_usr"')
        fails("return turn.items[1].exitcode", 'item has no field "exitcode"')
        fails("return turn.calls()[1].is_eror", 'call has no field "is_eror"')
        fails("turn.step = 2", "read%-only: turn cannot be changed")
        fails("turn.items[1].text = 'x'", "read%-only: item cannot be changed")
        fails("turn.calls()[1].result = 'x'", "read%-only: call cannot be changed")
    end)

    it("C18 fails a script that keeps what the host cannot", function()
        fails("ctx.state = 1", "ctx.state is a number, not a table")
        fails("ctx.state.f = print", "ctx.state.f: function")
        fails("ctx.state.me = ctx.state", "a cycle")
        fails("ctx.state[3] = 1", "neither all texts nor 1, 2, 3")
        fails("ctx.state[1] = 1 ctx.state.a = 1", "neither all texts nor 1, 2, 3")
        fails("ctx.state.x = ('x'):rep(5000)", "ctx.state is %d+ bytes as JSON, at most 4096")
    end)

    it("counts the bytes of JSON", function()
        local edge = { a = ("x"):rep(4096 - #'{"a":""}') }
        strict.check_plain(edge, "ctx.state")
        edge.a = edge.a .. "x"
        assert.has_error(function() strict.check_plain(edge, "ctx.state") end)
        edge.a = ('"'):rep(2045)
        assert.has_error(function() strict.check_plain(edge, "ctx.state") end)
        strict.check_plain({ 1, { true, {} }, "\\\1\127" }, "ctx.state")
    end)
end)
