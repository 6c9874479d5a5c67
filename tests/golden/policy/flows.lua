-- Runs every flow of pi_flow.jsonl through `policy eval --policy pi` and compares, line by
-- line, the set of (line, index, lane) that reaches the agent with what pi-observers handed
-- over.
-- Usage: luajit flows.lua PERILUNE. Prints each flow that differs, then `N passed, M failed`.
local here = arg[0]:match("^(.*)/[^/]*$")
package.path = here .. "/../../support/?.lua;" .. package.path
local json = require("json")

local function quoted(text)
    return '"' .. text:gsub('[%c"\\\127]', function(c)
        return ("\\u%04x"):format(c:byte())
    end) .. '"'
end

local function encode(value)
    if type(value) == "string" then return quoted(value) end
    if type(value) ~= "table" then return tostring(value) end
    local parts = {}
    for _, item in ipairs(value) do parts[#parts + 1] = encode(item) end
    if #parts > 0 or next(value) == nil then return "[" .. table.concat(parts, ",") .. "]" end
    for key, item in pairs(value) do parts[#parts + 1] = quoted(key) .. ":" .. encode(item) end
    return "{" .. table.concat(parts, ",") .. "}"
end

-- What the host shows to no agent (drops, deferrals, lane user) is no message.
local function handed(answer, at)
    local set = {}
    local function add(line, one)
        set[#set + 1] = ("%d:%d:%s"):format(line, one.index, one.lane)
    end
    for _, one in ipairs(answer.released) do add(one.line, one) end
    for _, one in ipairs(answer.decisions) do
        if one.verdict == "deliver" then add(at, one) end
    end
    table.sort(set)
    return table.concat(set, " ")
end

local function expected(messages)
    local set = {}
    for _, message in ipairs(messages) do
        for _, item in ipairs(message.items) do
            set[#set + 1] = ("%d:%d:%s"):format(item[1], item[2], message.lane)
        end
    end
    table.sort(set)
    return table.concat(set, " ")
end

local function answers(perilune, flow)
    local name = os.tmpname()
    local file = assert(io.open(name, "wb"))
    for _, line in ipairs(flow.lines) do file:write(encode(line), "\n") end
    file:close()
    local from = assert(io.popen(("%s policy eval --policy pi %s"):format(perilune, name)))
    local lines = {}
    for line in from:lines() do lines[#lines + 1] = json.decode(line) end
    from:close()
    os.remove(name)
    return lines
end

-- The first line, from 0, that differs, and how; or nil.
local function difference(perilune, flow)
    local got = answers(perilune, flow)
    for i, messages in ipairs(flow.expected) do
        local want, have = expected(messages), got[i] and handed(got[i], i - 1) or "no answer"
        if want ~= have then
            return ("%s, line %d: wanted [%s], got [%s]"):format(flow.id, i - 1, want, have)
        end
    end
    return nil
end

local passed, failed = 0, 0
for line in io.lines(here .. "/pi_flow.jsonl") do
    local problem = difference(arg[1], json.decode(line))
    if problem then
        failed = failed + 1
        print("not ok - " .. problem)
    else
        passed = passed + 1
    end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 0)
