-- Cases C54, C58 and C59 and the degenerate advisor, put to the shipped policies through
-- `policy eval`. Usage: luajit cases.lua PERILUNE. Ends with `N passed, M failed`.
local here = arg[0]:match("^(.*)/[^/]*$")
package.path = here .. "/../../support/?.lua;" .. package.path
local json = require("json")

local perilune = arg[1]
local passed, failed = 0, 0

local function check(promise, holds, got)
    if holds then
        passed = passed + 1
    else
        failed = failed + 1
        print(("not ok - %s (got %s)"):format(promise, tostring(got)))
    end
end

local function quoted(text)
    return '"' .. text:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end)
        .. '"'
end

local function proposal(fields)
    return ('{"observer":%s,"kind":"%s","text":%s,"fingerprint":%s,"severity":"%s"}'):format(
        quoted(fields.observer or "advisor"), fields.kind or "advisory", quoted(fields.text),
        quoted(fields.fingerprint), fields.severity or "concern")
end

local function eval(policy, lines)
    local name = os.tmpname()
    local file = assert(io.open(name, "wb"))
    file:write(table.concat(lines, "\n"), "\n")
    file:close()
    local from = assert(io.popen(("%s policy eval --policy %s %s"):format(perilune, policy,
        name)))
    local answers = {}
    for line in from:lines() do answers[#answers + 1] = json.decode(line) end
    from:close()
    os.remove(name)
    return answers
end

-- How often each lane got something, and whether everything has a reason.
local function tally(answers)
    local lanes, explained = { steer = 0, prompt = 0, follow_up = 0, hold = 0, user = 0 }, true
    local function count(one)
        explained = explained and one.reason:find("%S") ~= nil
        if one.lane then lanes[one.lane] = (lanes[one.lane] or 0) + 1 end
    end
    for _, answer in ipairs(answers) do
        for _, one in ipairs(answer.decisions) do
            explained = explained and one.reason:find("%S") ~= nil
            if one.verdict == "deliver" then count(one) end
        end
        for _, one in ipairs(answer.released) do count(one) end
    end
    return lanes, explained
end

-- C54: the recorded loop, as answers to three digests of one turn.
do
    local batches = { {}, {}, {} }
    local number = 0
    for line in io.lines(here .. "/../../fault/streams/C54.reports.jsonl") do
        local report = json.decode(line)
        number = number + 1
        table.insert(batches[number % 3 + 1], proposal({
            observer = report.observer, kind = "report", text = report.report,
            fingerprint = "f" .. number, severity = report.severity,
        }))
    end
    local lines = {}
    for i, batch in ipairs(batches) do
        lines[i] = '{"proposals":[' .. table.concat(batch, ",") .. "]}"
    end
    local lanes, explained = tally(eval("default", lines))
    check("C54 the recorded loop gets two notes at most into a turn", lanes.steer <= 2,
        lanes.steer)
    check("C54 every drop of the recorded loop is explained", explained)
end

-- The degenerate advisor: blockers only, a new fingerprint and a counter each time.
for policy, most in pairs({ default = 1, pi = 200, claude = 200, strict = 200 }) do
    local lines = {}
    for i = 1, 1000 do
        local window = i % 2 == 0 and '"window":"new",' or ""
        lines[i] = ('{%s"proposals":[%s]}'):format(window, proposal({
            kind = "report", severity = "blocker", fingerprint = "finding " .. i,
            text = ("STOP! Violation number %d: you must stop what you do."):format(i),
        }))
    end
    local lanes, explained = tally(eval(policy, lines))
    local told = lanes.steer + lanes.prompt + lanes.follow_up
    check("C54 a degenerate advisor ends at the ceiling under " .. policy,
        told >= 1 and told <= most, told)
    check("C54 each of its drops is explained under " .. policy, explained)
end

-- As vetoes: the agent is held a few times at most, the user told once.
for work = 0, 1 do
    local lines = {}
    for i = 1, 1000 do
        lines[i] = ('{"window":"new","work":%d,"proposals":[%s]}'):format(work, proposal({
            kind = "veto", severity = "blocker", fingerprint = "finding " .. i,
            text = ("STOP! Violation number %d: you must stop what you do."):format(i),
        }))
    end
    local lanes, explained = tally(eval("default", lines))
    check("C54 a degenerate veto ends at its ceiling", lanes.hold >= 1 and lanes.hold <= 6,
        lanes.hold)
    check("C54 and the user is told once", lanes.user == 1, lanes.user)
    check("C54 each of its drops is explained", explained)
end

-- C58: the same words every time, new words every time.
local function vetoes(count, fields)
    local lines = {}
    for i = 1, count do
        lines[i] = ('{"window":"new","work":%d,"proposals":[%s]}'):format(fields.work,
            proposal({ kind = "veto", text = fields.text(i), fingerprint = fields.print(i) }))
    end
    return lines
end

local WORDS = { "tests", "changelog", "licence", "parser", "readme", "schema", "docs", "lock",
    "cache", "build", "linter", "types", "branch", "release", "secret", "review" }

for _, policy in ipairs({ "default", "pi", "claude", "strict" }) do
    local same = function() return "The tests were never run after the change." end
    local lanes = tally(eval(policy, vetoes(20, { work = 0, text = same, print = same })))
    check("C58 one veto with nothing done since holds once under " .. policy,
        lanes.hold == 1, lanes.hold)
    check("C58 then the user is told, once, under " .. policy, lanes.user == 1, lanes.user)
    lanes = tally(eval(policy, vetoes(20, { work = 1, text = same, print = same })))
    check("C58 one veto holds three times under " .. policy, lanes.hold == 3, lanes.hold)
    local new = function(i) return "Nothing was done about the " .. WORDS[i] .. " so far." end
    lanes = tally(eval(policy, vetoes(16, { work = 1, text = new, print = new })))
    check("C58 new words each time hold six times under " .. policy, lanes.hold == 6,
        lanes.hold)
end

-- C59: fingerprints that an observer invents, one veto each, twice over.
do
    local lines = {}
    for _ = 1, 2 do
        for line in io.lines(here .. "/../../fault/streams/C59.fingerprints.jsonl") do
            local veto = json.decode(line)
            local print = type(veto.fingerprint) == "string" and veto.fingerprint or ""
            lines[#lines + 1] = ('{%s"window":"new","work":1,"proposals":[%s]}'):format(
                #lines == 0 and '"limits":{"veto_budget":1},' or "", proposal({
                    observer = veto.observer, kind = "veto", text = veto.veto,
                    fingerprint = print,
                }))
        end
    end
    local lanes, explained = tally(eval("pi", lines))
    check("C59 invented fingerprints end at the ceiling", lanes.hold == 2, lanes.hold)
    check("C59 each refusal is explained", explained)
    local keys = eval("pi", {
        '{"limits":{"veto_budget":1},"restore":{"vetoes":[{"observer":"a","fingerprint":"|b",'
            .. '"count":9}]},"proposals":['
            .. proposal({ observer = "a", kind = "veto", text = "not done",
                fingerprint = "|b" }) .. ","
            .. proposal({ observer = "a|", kind = "veto", text = "not done",
                fingerprint = "b" }) .. "]}",
    })
    check("C59 a restart refunds nothing", keys[1].decisions[1].verdict == "drop")
    check("C59 a and |b are not a| and b", keys[1].decisions[2].lane == "hold")
end

print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
