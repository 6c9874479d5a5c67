-- Is the second file what one gets by reading the first as observations and emitting them
-- again? Every event is the same but for seq, and the first's seq is the second's sourceSeq.
-- Usage: luajit same_events.lua FILE FILE
package.path = arg[0]:match("^(.*)/e2e/[^/]*$") .. "/support/?.lua;" .. package.path
local json = require("json")

local function same(a, b, where)
    if type(a) ~= "table" or type(b) ~= "table" then
        assert(a == b, ("%s: %s, not %s"):format(where, tostring(b), tostring(a)))
        return
    end
    for key, value in pairs(a) do same(value, b[key], where .. "." .. tostring(key)) end
    for key in pairs(b) do assert(a[key] ~= nil, where .. "." .. tostring(key) .. " is new") end
end

local first, count = io.lines(arg[1]), 0
for line in io.lines(arg[2]) do
    count = count + 1
    local a, b = json.decode(assert(first(), "too many events")), json.decode(line)
    assert(b.sourceSeq == a.seq, "event " .. count .. ": sourceSeq " .. tostring(b.sourceSeq))
    a.seq, a.sourceSeq, b.seq, b.sourceSeq = nil, nil, nil, nil
    same(a, b, "event " .. count)
end
assert(not first(), "events are missing")
assert(count > 0, "there are no events")
