-- Every bundled observer on its labelled scenes (tests/corpus/NAME): it must speak on each
-- scene of speaks.lua, saying what the label asks for, and on none of silent.lua.
package.path = "tests/support/?.lua;" .. package.path
local lfs = require("lfs")
local testing = require("perilune.testing")

local MIN_SCENES = 6

local function names()
    local found = {}
    for file in lfs.dir("observers") do
        local name = file:match("^(.+)%.lua$")
        if name and not name:find("_spec$") then found[#found + 1] = name end
    end
    table.sort(found)
    return found
end

local function observer(name)
    local stem = "observers/" .. name
    local is_markdown = lfs.attributes(stem .. ".md") ~= nil
    return testing.load("../../" .. stem .. (is_markdown and ".md" or ".lua"))
end

-- What it says on a scene. One that only wakes a model says "wakes".
local function said_by(spec, scene)
    if spec.observe then return testing.replay(spec, scene) end
    local wakes = spec.wake(testing.turn(scene))
    return wakes and { { text = "wakes" } } or {}
end

local readme = assert(io.open("README.md", "rb")):read("*a")

for _, name in ipairs(names()) do
    describe(name .. " on its corpus", function()
        local spec = observer(name)
        local speaks = dofile("tests/corpus/" .. name .. "/speaks.lua")
        local silent = dofile("tests/corpus/" .. name .. "/silent.lua")

        it("has a line in the README", function()
            assert.is_truthy(readme:find("| `" .. name .. "` |", 1, true))
        end)
        it("has scenes enough of both kinds", function()
            assert.is_true(#speaks >= MIN_SCENES and #silent >= MIN_SCENES)
        end)
        for _, scene in ipairs(speaks) do
            it("speaks: " .. scene.label, function()
                local said = said_by(spec, scene)
                assert.is_true(#said > 0, "it said nothing")
                assert.matches(scene.says, said[1].text)
            end)
        end
        for _, scene in ipairs(silent) do
            it("is silent: " .. scene.label, function()
                local said = said_by(spec, scene)
                assert.equal("", said[1] and said[1].text or "")
            end)
        end
    end)
end
