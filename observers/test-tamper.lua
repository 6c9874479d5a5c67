-- perilune-api: 1
-- Tells when tests are made to pass by weakening them: one is skipped, emptied, deleted, or its
-- failure swallowed. What the user asked for is no tampering, and neither is a test that moves,
-- a file the agent made itself, or a cleaning up while everything is green.
local changes = require("perilune.changes")
local history = require("perilune.history")
local paths = require("perilune.paths")
local seen = require("perilune.seen")
local text = require("perilune.text")
local weakening = require("perilune.weakening")
local wishes = require("perilune.wishes")

local ASKED = { "skip", "disable", "remove", "delete", "drop", "ignore", "xfail", "obsolete" }
-- And of one rule alone.
local ALSO = {
    moved = { "move", "rename" }, only = { "only", "focus" },
    restore = { "revert", "restore", "undo", "reset", "discard", "put back" },
    threshold = { "threshold", "coverage", "lower" },
    ["left-out"] = { "exclude", "deselect" }, unrun = { "ci", "workflow" },
}

-- Words of an agent that owns up to it.
local ADMITS = {
    "excluding", "excluded", "exclude", "deselected", "deselect", "except", "skipped", "skip",
    "skipping", "left out", "leaving out", "ignored",
}

local SAYS = {
    swallow = "now swallows a failing run", ["left-out"] = "now leaves tests out (`%s`)",
    threshold = "now asks for less coverage (`%s`)", unrun = "no longer runs the tests (`%s`)",
}

-- What a call did to files, each by the same path however the call wrote it.
local function changes_of(call, cwd)
    local list = changes.of(call)
    for _, change in ipairs(list) do
        local path = paths.normal(change.path, cwd)
        change.path = path and paths.short(path, cwd) or change.path
    end
    return list
end

local function judge_runner(change, red)
    local added, removed = changes.lines(change)
    local line, rule = weakening.of_runner(change, added, removed)
    -- A step of CI may move to another file; that it goes while tests fail is no tidying.
    if not line or (rule == "unrun" and not red) then return nil end
    return SAYS[rule]:format(text.line(line, 50)), rule
end

local function judge_edit(change, red)
    local added, removed = changes.lines(change)
    local skips, skip = weakening.skips(added)
    local is_put_in = change.kind == "insert" or change.kind == "append"
    local into_others = change.old ~= "" or (is_put_in and weakening.substance(added) == 0)
    if change.kind ~= "add" and into_others and skips > weakening.skips(removed) then
        return "now skips a test (`" .. text.line(skip, 50) .. "`)", "skip"
    end
    local hollow, empty = weakening.hollow(added)
    if hollow > 0 and weakening.substance(removed) > 0 then
        return "now checks nothing (`" .. text.line(empty, 50) .. "`)", "hollow"
    end
    local lost = weakening.substance(removed) - weakening.substance(added)
    if red and lost > 0 and change.kind == "edit" and change.old ~= "" then
        return ("lost %d of its checks while the tests were failing"):format(lost), "lost"
    end
    return nil
end

-- True for `rm -r tests`: all of them.
local function is_all(path)
    local name = paths.base(path)
    return name == "tests" or name == "test" or name == "__tests__" or name == "spec"
end

local function judge(change, state, red)
    if paths.is_scratch(change.path) then return nil end
    local what, rule = judge_runner(change, red)
    if what or seen.has(state.made, change.path) then return what, rule end
    if change.kind == "delete" and red and is_all(change.path) then
        return "was deleted while the tests were failing", "deleted"
    end
    if change.kind == "edit" or change.kind == "insert" or change.kind == "append" then
        if paths.is_test(change.path) then return judge_edit(change, red) end
    elseif not weakening.holds_tests(change.path) then
        return nil
    elseif change.kind == "delete" then
        return "was deleted", "deleted"
    elseif change.kind == "write" and change.new == "" then
        return "was emptied", "deleted"
    elseif change.kind == "move" and weakening.is_put_away(change.path, change.to) then
        return "was moved to where it is not run", "moved"
    elseif change.kind == "restore" and red and not seen.has(state.edited, change.path) then
        return "was put back to what git has, while the tests were failing", "restore"
    end
    return nil
end

-- What is taken away here may stand elsewhere: `gained` counts what a call brings to all tests.
local function gained(call, cwd)
    local count = 0
    for _, change in ipairs(changes_of(call, cwd)) do
        if paths.is_test(change.path) then
            local added, removed = changes.lines(change)
            count = count + weakening.substance(added) - weakening.substance(removed)
        end
    end
    return count
end

local function is_moved(rule, before, fresh, cwd)
    if rule ~= "lost" and rule ~= "deleted" then return false end
    local balance = before
    for _, call in ipairs(fresh) do balance = balance + gained(call, cwd) end
    return rule == "lost" and balance >= 0 or balance > 0
end

-- A mark for trying is none while the agent tries: only what is left of it at the end counts.
local function follow_only(state, change)
    local added, removed = changes.lines(change)
    local path = text.line(change.path, 120)
    if weakening.only(added) > weakening.only(removed) then
        state.only = paths.is_test(change.path) and path or state.only
    elseif state.only == path and weakening.only(removed) > 0 then
        state.only = nil
    end
end

local function remember(call, state, cwd)
    state.gained = (state.gained or 0) + gained(call, cwd)
    for _, change in ipairs(changes_of(call, cwd)) do
        local is_new = change.kind == "add"
            or (change.kind == "write" and change.new ~= ""
                and not (call.result or ""):find("updated", 1, true))
        if is_new then
            state.made = seen.add(state.made, change.path)
        elseif change.kind ~= "restore" and paths.is_test(change.path) then
            state.edited = seen.add(state.edited, change.path)
        end
        follow_only(state, change)
    end
end

-- What only the end of a turn shows: a mark for trying stayed, or a run that was red is green
-- because it leaves tests out.
local function judge_end(turn, state, past, wish)
    if not turn.ending then return nil end
    if state.only and not wishes.names(wish, ALSO.only) then
        return { what = "runs only some of its tests (`.only`)", path = state.only,
            rule = "only", seq = past.seen }
    end
    local last = past.test
    local is_green = last and last.verdict == "passed"
    if not (is_green and state.red and state.out) then return nil end
    for _, item in ipairs(turn.items) do
        local words = item.kind == "assistant_text" and item.text or ""
        if wishes.names(words, ADMITS) then return nil end
    end
    return { what = "passes only because it leaves tests out (`" .. state.out .. "`)",
        path = last.command, rule = "left-out", seq = last.seq }
end

-- Red until a run of all tests is green; `out`: how the last run leaves some out.
local function follow_runs(state, past, before)
    local last = past.test
    if not last or (before and before.seq == last.seq) then return end
    state.out = weakening.left_out(last.command)
    if last.verdict == "failed" then
        state.red = true
    elseif last.verdict == "passed" and not state.out then
        state.red = nil
    end
end

local function first_tampering(call, state, red, cwd)
    for _, change in ipairs(changes_of(call, cwd)) do
        local what, rule = judge(change, state, red)
        if what then return change, what, rule end
    end
    return nil
end

local function is_asked(wish, rule)
    return wishes.names(wish, ASKED) or (ALSO[rule] and wishes.names(wish, ALSO[rule]))
end

local function told(found, cwd)
    local path = text.line(paths.short(found.path, cwd), 80)
    return {
        advise = ("`%s` %s. If the test is wrong, say why."):format(path, found.what),
        fingerprint = "tamper:" .. found.rule .. ":" .. text.hash(found.path),
        evidence = { found.seq },
    }
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
            local red, last = past.test ~= nil and past.test.verdict == "failed", past.test
            local change, what, rule = first_tampering(call, state, red, turn.cwd)
            if change and not found and not is_asked(wish, rule)
                and not is_moved(rule, before, fresh, turn.cwd) then
                found = { what = what, path = change.path, rule = rule, seq = call.seq }
            end
            remember(call, state, turn.cwd)
            history.add(past, call, turn.cwd)
            follow_runs(state, past, last)
        end
        found = found or judge_end(turn, state, past, wish)
        return found and told(found, turn.cwd)
    end,
}
