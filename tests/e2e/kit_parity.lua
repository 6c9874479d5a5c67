-- Holds the test kit's chain of policies to the core's: makes random batches of a seed, puts
-- them to `policy eval` and to testing.policies, and compares every answer.
-- Usage: luajit kit_parity.lua PERILUNE POLICY[,POLICY] SEED LINES. Says the first line that
-- differs.
local here = arg[0]:match("^(.*)/[^/]*$")
package.path = here .. "/../support/?.lua;" .. here .. "/../../lua/?.lua;" .. package.path
local json = require("json")
local testing = require("perilune.testing")

local perilune, names, seed, count = arg[1], arg[2], tonumber(arg[3]), tonumber(arg[4])
local TEXTS = { "The lock is never released on the error path.", "Tests were run %d times.",
    "The file a%d.c was edited, but never read before.", "LGTM",
    "The goal is not done: step %d.",
    "Parser drops the last line." }
local KINDS = { "advisory", "advisory", "advisory", "report", "veto" }
local LANES = { "steer", "prompt", "follow_up", "user", "log" }
local SEVERITIES = { "nit", "concern", "blocker" }
local STATES = { "running", "running", "running", "settled", "idle", "plan", "stopped" }

local state = seed
local function below(limit)
    state = (state * 16807) % 2147483647
    return state % limit
end
local function pick(list) return list[below(#list) + 1] end

local function random_proposal()
    return { observer = pick({ "a", "b" }), kind = pick(KINDS), severity = pick(SEVERITIES),
        text = (pick(TEXTS):format(below(4))), fingerprint = "f" .. below(12),
        priority = below(100) + 1, deliver = pick(LANES) }
end

local function random_line()
    local line = { batch = {}, work = below(2), run_state = pick(STATES),
        window = below(3) == 0, at = ("2026-03-%02dT%02d:30"):format(below(28) + 1, below(24)) }
    for i = 1, below(5) do line.batch[i] = random_proposal() end
    return line
end

local function encoded(p)
    return ('{"observer":"%s","kind":"%s","severity":"%s","text":"%s","fingerprint":"%s",'
        .. '"priority":%d,"deliver":"%s"}'):format(p.observer, p.kind, p.severity, p.text,
        p.fingerprint, p.priority, p.deliver)
end

local function write_line(file, line)
    local list = {}
    for i, p in ipairs(line.batch) do list[i] = encoded(p) end
    file:write(('{"at":"%s:00Z","run_state":"%s","work":%d,%s"proposals":[%s]}\n'):format(
        line.at, line.run_state, line.work, line.window and '"window":"new",' or "",
        table.concat(list, ",")))
end

local function told(one)
    local lane = one.verdict ~= "drop" and one.lane or "-"
    return ("%s|%s|%s|%s"):format(one.verdict, lane, one.reason, one.policy)
end

-- What the core said, in the words of kit_says().
local function core_says(answer)
    local words = {}
    for _, one in ipairs(answer.decisions) do words[#words + 1] = told(one) end
    for _, one in ipairs(answer.released) do
        words[#words + 1] = ("released %d:%d %s|%s"):format(
            one.line, one.index, one.lane, one.reason)
    end
    for _, one in ipairs(answer.expired or {}) do
        words[#words + 1] = ("expired %d:%d %s"):format(one.line, one.index, one.reason)
    end
    return table.concat(words, "\n  ")
end

local function kit_says(desk, line, at)
    desk.clock:set(line.at)
    desk.run_state = line.run_state
    desk:work(line.work)
    local let_go = {}
    local function note(released)
        for _, one in ipairs(released) do let_go[#let_go + 1] = one end
    end
    if line.window then note(desk:window()) end
    for i, p in ipairs(line.batch) do p.id = ("%d:%d"):format(at, i - 1) end
    local decisions, released = desk:batch(line.batch)
    note(released)
    local words, expired = {}, {}
    for i, one in ipairs(decisions) do words[i] = told(one) end
    for _, one in ipairs(let_go) do
        if one.verdict == "deliver" then
            words[#words + 1] = ("released %s %s|%s"):format(
                one.proposal.id, one.lane, one.reason)
        else
            expired[#expired + 1] = ("expired %s %s"):format(one.proposal.id, one.reason)
        end
    end
    for _, one in ipairs(expired) do words[#words + 1] = one end
    return table.concat(words, "\n  ")
end

local lines, options = {}, {}
for name in names:gmatch("[^,]+") do options[#options + 1] = name end
local file_name = os.tmpname()
local file = assert(io.open(file_name, "wb"))
for i = 1, count do
    lines[i] = random_line()
    write_line(file, lines[i])
end
file:close()
local command = ("%s policy eval --policy %s %s"):format(perilune, names, file_name)
local from = assert(io.popen(command))
local desk, at = testing.policies(options), 0
for text in from:lines() do
    local core, kit = core_says(json.decode(text)), kit_says(desk, lines[at + 1], at)
    if core ~= kit then
        print(("line %d of seed %d\ncore\n  %s\nkit\n  %s"):format(at, seed, core, kit))
        os.exit(1)
    end
    at = at + 1
end
os.remove(file_name)
print(("%d of %d lines equal"):format(at, count))
os.exit(at == count and 0 or 1)
