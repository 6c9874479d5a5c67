package.path = "tests/support/?.lua;" .. package.path
local demo_host = require("demo_host")
local make_demo = require("make_demo")
local testing = require("perilune.testing")

local FOLDER = "tests/golden/demo/"

local function content(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

-- The goal of config.yaml; its few lines need no YAML reader.
local function declared_goal()
    local yaml = content(FOLDER .. "config.yaml")
    local goal = { text = yaml:match("\n  text: ([^\n]+)"), items = {},
        check = yaml:match("\n  check: ([^\n]+)") }
    for item in yaml:gmatch("\n    %- ([^\n]+)") do
        goal.items[#goal.items + 1] = { text = item, done = false }
    end
    return goal
end

local function outcomes()
    local observers = {}
    for i, name in ipairs({ "claim-check", "danger-cmd", "goal-hold", "loop-guard" }) do
        observers[i] = testing.load("../../observers/" .. name .. ".lua")
    end
    local transcript = content(FOLDER .. make_demo.session .. ".jsonl")
    local scene = demo_host.scene(transcript, { goal = declared_goal() })
    return demo_host.run(scene, observers, testing.load("../../policies/default.lua"))
end

local function line(o)
    return ("%d %s: %s%s, %s"):format(o.turn, o.observer, o.verdict,
        o.came_back and " at last" or "",
        o.lane and o.verdict == "deliver" and o.lane or o.reason)
end

describe("the demo recording", function()
    it("is what make_demo.lua tells, byte for byte", function()
        assert.is_true(make_demo.text() == content(FOLDER .. make_demo.session .. ".jsonl"))
    end)

    it("shows observers speak, and every kind of decision", function()
        local lines = {}
        for i, outcome in ipairs(outcomes()) do lines[i] = line(outcome) end
        assert.same({
            "1 loop-guard: deliver, steer",
            "2 danger-cmd: deliver, steer",
            "2 claim-check: deliver, steer",
            "2 loop-guard: defer, over the window's budget",
            "2 loop-guard: defer at last, over the window's budget",
            "2 claim-check: drop, already delivered",
            "2 loop-guard: defer at last, over the window's budget",
            "2 claim-check: drop, already delivered",
            "2 goal-hold: deliver, hold",
            "2 loop-guard: deliver at last, prompt",
            "3 danger-cmd: deliver, steer",
            "3 goal-hold: deliver, hold",
        }, lines)
    end)
end)
