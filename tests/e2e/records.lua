-- Checks a file of records (`--json`): JSON throughout, seq gap-free from 1, a summary last.
-- Usage: luajit records.lua FILE
package.path = arg[0]:match("^(.*)/e2e/[^/]*$") .. "/support/?.lua;" .. package.path
local json = require("json")

local count, last = 0, nil
for line in io.lines(arg[1]) do
    count = count + 1
    local record = json.decode(line)
    assert(type(record.record) == "string", "line " .. count .. " has no record kind")
    assert(record.seq == count, ("line %d has seq %s"):format(count, tostring(record.seq)))
    last = record.record
end
assert(last == "summary", "the last record is " .. tostring(last))
