-- perilune-api: 1
-- Tells when tests are made to pass by weakening them: one is skipped, emptied, deleted, or its
-- failure swallowed. What the user asked for is no tampering, and neither is a test that moves,
-- a file the agent made itself, or a cleaning up while everything is green.
local changes = require("perilune.changes")
local history = require("perilune.history")
local paths = require("perilune.paths")
local seen = require("perilune.seen")
local text = require("perilune.text")
local wishes = require("perilune.wishes")

-- Marks that keep a test from running. Each stands at the head of a trimmed line or behind a
-- blank, so that a helper called `myskip(` is none.
local SKIPS = {
    "^@pytest%.mark%.skip", "^@pytest%.mark%.xfail", "pytest%.skip%(", "^@unittest%.skip",
    "self%.skipTest%(", "^x?it%.skip%(", "^test%.skip%(", "^describe%.skip%(", "^xit%(",
    "^xtest%(", "^xdescribe%(", "^it%.todo%(", "^#%[ignore", "%f[%w]t%.Skip[f(N]", "^@Disabled",
    "^@Ignore%f[%W]", "^@Test%(enabled%s*=%s*false", "^pending%(", "^skip%s+[\"']",
        "GTEST_SKIP",
    "markTestSkipped",
}

-- Assertions that hold whatever the program does.
local HOLLOW = {
    "^assert True%f[%W]", "^assert 1%s*$", "assertTrue%(%s*[Tt]rue%s*%)", "^assert!%(true%)",
    "expect%(%s*true%s*%)%.toBe%(%s*true", "expect%(%s*1%s*%)%.toBe%(%s*1%s*%)",
    "^assert%(%s*true%s*%)", "assert%.True%(t,%s*true",
}

-- Lines that make a test or check something in it.
local SUBSTANCE = {
    "^def test", "^async def test", "^func Test", "^it%(", "^test%(", "^@Test", "^#%[test%]",
    "%f[%w_]assert%f[^%w_]", "%f[%w]assert%u%a+%(", "^assert[%s%(!_]", "expect%(", "%.should",
    "t%.Error", "t%.Fatal", "CHECK%(", "REQUIRE%(", "EXPECT_", "ASSERT_",
}

local PRODUCTS = { pyc = true, snap = true, log = true, tmp = true, out = true, xml = true }

local ASKED = { "skip", "disable", "remove", "delete", "drop", "ignore", "xfail", "obsolete" }

local function is_comment(line)
    return line:find("^#[^%[]") or line:find("^//") or line:find("^%-%-%s")
end

local function hits(lines, patterns)
    local count, first = 0, nil
    for _, line in ipairs(lines) do
        for _, pattern in ipairs(patterns) do
            if line:find(pattern) and not is_comment(line) then
                count, first = count + 1, first or line
                break
            end
        end
    end
    return count, first
end

-- A runner's own file that now swallows a failure.
local function swallows(change, added)
    local name = paths.base(change.path)
    local runs_tests = name == "package.json" or name == "Makefile" or name:find("%.ya?ml$")
        or name:find("%.sh$")
    for _, line in ipairs(runs_tests and added or {}) do
        -- `docker rm test-db || true` runs no test.
        local tests = line:find("test%f[^%w_-]") and not line:find("docker", 1, true)
        local lets_go = line:find("^continue%-on%-error:%s*true") and change.new:find("test")
        if tests and line:find("||%s*true") or line:find("passWithNoTests") or lets_go then
            return line
        end
    end
    return nil
end

local function judge_edit(change, state, red)
    local added, removed = changes.lines(change)
    local line = swallows(change, added)
    if line then return "now swallows a failing run", "swallow" end
    if not paths.is_test(change.path) or seen.has(state.made, change.path) then return nil end
    local skips, skip = hits(added, SKIPS)
    if change.kind ~= "add" and skips > hits(removed, SKIPS) and change.old ~= "" then
        return "now skips a test (`" .. text.line(skip, 50) .. "`)", "skip"
    end
    local hollow, empty = hits(added, HOLLOW)
    if hollow > 0 and hits(removed, SUBSTANCE) > 0 then
        return "now checks nothing (`" .. text.line(empty, 50) .. "`)", "hollow"
    end
    local lost = hits(removed, SUBSTANCE) - hits(added, SUBSTANCE)
    if red and lost > 0 and change.kind == "edit" and change.old ~= "" then
        return ("lost %d of its checks while the tests were failing"):format(lost), "lost"
    end
    return nil
end

local function judge(change, state, red)
    if change.kind ~= "delete" then return judge_edit(change, state, red) end
    if not paths.is_test(change.path) or seen.has(state.made, change.path) then return nil end
    -- A folder, a pattern or a product of the tests is no test file.
    local ending = paths.base(change.path):match("%.(%a+)$")
    if not ending or PRODUCTS[ending] or change.path:find("[*?$]") then return nil end
    return "was deleted", "deleted"
end

-- What is taken away here may stand elsewhere: `gained` counts what a call brings to all tests.
local function gained(call)
    local count = 0
    for _, change in ipairs(changes.of(call)) do
        if paths.is_test(change.path) then
            local added, removed = changes.lines(change)
            count = count + hits(added, SUBSTANCE) - hits(removed, SUBSTANCE)
        end
    end
    return count
end

local function is_moved(rule, before, fresh)
    if rule ~= "lost" and rule ~= "deleted" then return false end
    local balance = before
    for _, call in ipairs(fresh) do balance = balance + gained(call) end
    return rule == "lost" and balance >= 0 or balance > 0
end

local function remember(call, state)
    state.gained = (state.gained or 0) + gained(call)
    for _, change in ipairs(changes.of(call)) do
        local is_new = change.kind == "add"
            or (change.kind == "write" and not (call.result or ""):find("updated", 1, true))
        if is_new then state.made = seen.add(state.made, change.path) end
    end
end

local function first_tampering(call, state, red)
    for _, change in ipairs(changes.of(call)) do
        local what, rule = judge(change, state, red)
        if what then return change, what, rule end
    end
    return nil
end

---@type perilune.ObserverSpec
return {
    name = "test-tamper",
    description = "Notices tests that are skipped, emptied or deleted instead of satisfied.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 75,
    severity = "concern",
    observe = function(turn, ctx)
        local state = ctx.state
        local wish, past = wishes.follow(state, turn), history.open(state, turn)
        local fresh, before, found = {}, state.gained or 0, nil
        for _, call in ipairs(turn.calls()) do
            if call.seq > past.seen then fresh[#fresh + 1] = call end
        end
        for _, call in ipairs(fresh) do
            local red = past.test ~= nil and past.test.verdict == "failed"
            local change, what, rule = first_tampering(call, state, red)
            if change and not found and not wishes.names(wish, ASKED)
                and not is_moved(rule, before, fresh) then
                local path = text.line(paths.short(change.path, turn.cwd), 80)
                found = {
                    advise = ("`%s` %s. If the test is wrong, say why."):format(path, what),
                    fingerprint = "tamper:" .. rule .. ":" .. text.hash(change.path),
                    evidence = { call.seq },
                }
            end
            remember(call, state)
            history.add(past, call, turn.cwd)
        end
        return found
    end,
}
