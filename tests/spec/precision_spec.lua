-- Labelled little scenes for the rules of lua/perilune/precision.lua: what an agent did before
-- a note and behind it, and what that comes to.
package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local precision = require("perilune.precision")
local testing = require("perilune.testing")

local failing = act.bash("npm test", "1 failed, 3 passed", 1)
local still_failing = act.bash("npm test", "2 failed, 2 passed", 1)
local passing = act.bash("npm test", "4 passed")
local listing = act.bash("ls src", "a.c")
local push = act.bash("git push --force", "forced update")

local LOOP = "`npm test` was run 3 times in this turn with the same result. Another try will "
    .. "not differ."
local UNREAD = "`src/a.c` was edited without having been read in this session. Read it before "
    .. "going on."
local STALE = "\"All tests pass\" is not borne out: `src/a.c` was changed after the last run "
    .. "of `npm test`. Run it again."
local UNRUN = "\"Tests pass\" is not borne out: no test run has taken place in this session."
local PUSH = "`git push --force` rewrote what others have. Tell the user what it did."
local SKILL = "The skill `release-notes` is for this (changelog): the notes of a release."
local RECALL = "A note bears on this (deploys): production deploys need the staging flag first."
local DEPENDENCY = "`left-pad` was added as a dependency, which the user did not ask for. Say "
    .. "why it is needed, or do without."
local VETO = "Goal not reached (all tests pass): `npm test` has not been run."
local LOOPED = { failing, failing, failing }
local IDLE = { listing, listing, listing, listing, listing }
local QUIET = { listing, listing, listing, listing, act.text("All done.") }

-- { what, verdict or nil, note, calls before, what came behind; cites = which of the calls }
local SCENES = {
    { "a loop that ends", "followed", LOOP, LOOPED,
        { act.read("src/a.c"), act.read("src/b.c"), listing, listing, act.read("src/d.c") },
        cites = { 1, 2, 3 } },
    { "a loop that goes on", "ignored", LOOP, LOOPED, { failing },
        cites = { 1, 2, 3 } },
    { "a loop that was none: the next try came out otherwise", "contradicted", LOOP,
        LOOPED, { passing }, cites = { 1, 2, 3 } },
    { "a loop taken up again after something else", "ignored", LOOP, LOOPED,
        { listing, failing }, cites = { 1, 2, 3 } },
    { "too early to tell of a loop", nil, LOOP, LOOPED, { listing },
        cites = { 1, 2, 3 } },
    { "a file read as advised", "followed", UNREAD, { act.edit("src/a.c") },
        { act.read("src/a.c") },
        cites = { 1 } },
    { "a file read late", "followed", UNREAD, { act.edit("src/a.c") },
        { listing, listing, act.read("/w/src/a.c") }, cites = { 1 } },
    { "a file never looked at", "ignored", UNREAD, { act.edit("src/a.c") },
        IDLE, cites = { 1 } },
    { "a file not looked at yet", nil, UNREAD, { act.edit("src/a.c") }, { listing, listing },
        cites = { 1 } },
    { "tests run again as advised", "followed", STALE, { passing, act.edit("src/a.c") },
        { still_failing }, cites = { 1, 2 } },
    { "tests run again in other words", "followed", STALE, { passing, act.edit("src/a.c") },
        { act.bash("npm run test -- a", "1 passed") }, cites = { 1, 2 } },
    { "tests not run again", "ignored", STALE, { passing },
        QUIET, cites = { 1 } },
    { "tests run at last", "followed", UNRUN, { listing },
        { act.bash("make test", "4 passed") } },
    { "tests never run", "ignored", UNRUN, { listing },
        IDLE },
    { "a deed told to the user", "followed", DEPENDENCY,
        { act.bash("npm install left-pad", "added 1") },
        { act.text("I added left-pad because the padding must be stable.") }, cites = {} },
    { "a dependency taken out again", "followed", DEPENDENCY, { listing },
        { act.edit("package.json", '"left-pad": "1.0.0"', "") }, cites = {} },
    { "a deed done once more", "ignored", PUSH, { push }, { push }, cites = { 1 } },
    { "a deed kept quiet", "ignored", PUSH, { push },
        QUIET, cites = { 1 } },
    { "a skill that was loaded", "followed", SKILL, { listing },
        { { call = "Skill", input = { name = "release-notes" }, result = "loaded" } } },
    { "a skill left alone", "ignored", SKILL, { listing },
        IDLE },
    { "a reminder taken up in words", "followed", RECALL, { listing },
        { act.text("This goes to production, so the deploys need the staging flag first.") } },
    { "a reminder of which nothing came", "ignored", RECALL, { listing },
        QUIET },
    { "a note the agent disputes", "contradicted", UNREAD, { act.edit("src/a.c") },
        { act.text("The observer's warning does not apply: I wrote this file a minute ago.") },
        cites = { 1 } },
    { "a note the user disputes", "contradicted", UNREAD, { act.edit("src/a.c") },
        { act.user("Ignore that observer, please."), act.text("All right.") }, cites = { 1 } },
    { "a dispute about something else", nil, UNREAD, { act.edit("src/a.c") },
        { act.text("The old formula is wrong. I note that in the file.") }, cites = { 1 } },
    { "words against a note that nobody saw", nil, UNREAD, { act.edit("src/a.c") },
        { act.text("The observer's warning does not apply.") }, cites = { 1 }, shown = false },
    { "a veto that kept the agent at work", "followed", VETO, { listing }, { passing },
        kind = "veto" },
    { "a veto that did not", "ignored", VETO, { listing },
        { act.user("Thanks."), act.text("You are welcome.") }, kind = "veto" },
    { "a veto nobody has answered yet", nil, VETO, { listing }, { act.text("Hm.") },
        kind = "veto" },
}

local function joined(...)
    local all = {}
    for _, list in ipairs({ ... }) do
        for _, entry in ipairs(list) do all[#all + 1] = entry end
    end
    return all
end

-- The view the host makes: what came behind the note as items, the calls of all of it.
local function turn_of(before, behind)
    local steps_before = #testing.steps(before)
    local steps = testing.steps(joined(before, behind))
    local turn, items, calls = steps[#steps], {}, {}
    for at, step in ipairs(steps) do
        for _, item in ipairs(at > steps_before and step.items or {}) do
            items[#items + 1] = item
        end
        for _, call in ipairs(step.calls()) do calls[call.seq] = call end
    end
    local list = {}
    for seq = 1, 1000 do list[#list + 1] = calls[seq] end
    turn.items, turn.calls = items, function() return list end
    return turn, #steps - steps_before
end

local function judge(scene)
    local turn, steps = turn_of(scene[4], scene[5])
    local calls, evidence = turn.calls(), {}
    for _, at in ipairs(scene.cites or {}) do evidence[#evidence + 1] = calls[at].seq end
    local ctx = { state = {
        text = scene[3], kind = scene.kind or "advisory", lane = "steer", evidence = evidence,
        shown = scene.shown ~= false, steps = steps,
    } }
    local said = testing.run(precision, turn, ctx)
    assert.equal(said == nil, precision.observe(turn, ctx) == nil) -- nor false
    return said and said.report
end

describe("precision", function()
    for _, scene in ipairs(SCENES) do
        it(("PE-8 %s: %s"):format(scene[1], scene[2] or "not known yet"), function()
            local said = judge(scene)
            if not scene[2] then
                assert.is_nil(said)
            else
                assert.equal(scene[2], said and said:match("^%l+"))
                assert.truthy(said:match("^%l+: %S"))
            end
        end)
    end

    it("says nothing of a note that did not arrive whole", function()
        local turn = turn_of({ listing }, { listing })
        assert.is_nil(testing.run(precision, turn, { state = {} }))
    end)

    it("says nothing while nothing has come behind the note", function()
        local turn = testing.turn({ listing })
        turn.items = {}
        assert.is_nil(testing.run(precision, turn, { state = { text = UNREAD, steps = 0 } }))
    end)
end)
