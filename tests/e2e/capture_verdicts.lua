-- Compares what shipped observers say of a captured scene with what a replay of the session had
-- them say. Usage: luajit capture_verdicts.lua SCENE RECORDS, the latter of `replay --json`.
-- Names those that differ, then says how many agree and how many of them spoke.
local here = arg[0]:match("^(.*)/[^/]*$")
local root = here .. "/../../"
package.path = root .. "tests/support/?.lua;" .. root .. "lua/?.lua;" .. package.path
local json = require("json")
local testing = require("perilune.testing")

local scene = assert(loadfile(arg[1]))()
local replayed, names = {}, {}
for line in io.lines(arg[2]) do
    local record = json.decode(line)
    if record.record == "proposal" then
        local said = replayed[record.observer] or {}
        said[#said + 1] = record.text
        replayed[record.observer] = said
    end
end

local from = io.popen("ls '" .. root .. "observers'")
for file in from:lines() do
    if file:match("%.lua$") and not file:match("_spec%.lua$") then names[#names + 1] = file end
end
from:close()

local function says(file)
    local spec = assert(loadfile(root .. "observers/" .. file))()
    local said = {}
    if not spec.name then return nil end -- the other half of a Markdown observer
    for _, one in ipairs(testing.replay(spec, scene)) do said[#said + 1] = one.text end
    return table.concat(said, "\n"), spec.name, #said
end

local agreed, spoke, differing = 0, 0, 0
for _, file in ipairs(names) do
    local said, name, count = says(file)
    if said == table.concat(replayed[name] or {}, "\n") then
        agreed = agreed + 1
        spoke = spoke + math.min(count, 1)
    elseif said then
        differing = differing + 1
        print(name .. " says of the scene\n  " .. said .. "\nand said in the replay\n  "
            .. table.concat(replayed[name] or {}, "\n  "))
    end
end
print(("%d agree, %d of them spoke, %d differ"):format(agreed, spoke, differing))
os.exit(differing == 0 and 0 or 1)
