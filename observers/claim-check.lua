-- perilune-api: 1
-- Holds what the agent says about its tests and builds against what it really ran. Speaks when
-- it says "all tests pass" and the last run failed, came before the last change of a source
-- file, or never took place. A run it cannot judge (piped away, in the background, left to a
-- subagent) makes it silent.
local claims = require("perilune.claims")
local history = require("perilune.history")
local runs = require("perilune.runs")
local text = require("perilune.text")

local NOUN = { test = "test run", build = "build" }

local function quoted(claim)
    return '"' .. text.line(claim.text, 70) .. '"'
end

local function contradiction(claim, how, fingerprint, evidence)
    return {
        advise = quoted(claim) .. " is not borne out: " .. how,
        fingerprint = "claim:" .. claim.kind .. ":" .. fingerprint,
        evidence = evidence,
    }
end

local function judge_failed(claim, past, run)
    local count = run.failed and run.failed > 0
        and (" (%d failed)"):format(run.failed) or ""
    local since = past.edit and past.edit.seq > run.seq
        and " and nothing has been run since the last change" or ""
    return contradiction(claim, ("the last run of %s failed%s%s."):format(
        run.command, count, since), "failed:" .. run.mark, { run.seq })
end

local function judge_stale(claim, past, run)
    local how = ("`%s` was changed after the last run of %s. Run it again."):format(
        past.edit.path, run.command)
    return contradiction(claim, how, "stale:" .. past.edit.mark, { run.seq, past.edit.seq })
end

local function judge_absent(claim, past)
    -- Where observing began late, or an agent of its own may have run them, we do not know.
    if past.late or past.blind then return nil end
    return contradiction(claim, ("no %s has taken place in this session."):format(
        NOUN[claim.kind]), "absent:" .. (past.edit and past.edit.mark or "0"), {})
end

-- The run a claim rests on. Tests that passed have been built; a fault is fixed if what was run
-- last, whichever it was, went well.
local function run_for(claim, past)
    local test, build = past.test, past.build
    if claim.kind == "test" then return test end
    if not test or not build then return build or test end
    return test.seq > build.seq and test or build
end

-- A claim that a fault is fixed needs no test of its own: only a failed run belies it.
local function judge(claim, past)
    local run = run_for(claim, past)
    if not run then
        return claim.kind ~= "fixed" and judge_absent(claim, past) or nil
    end
    if history.is_blind_since(past, run.seq) then return nil end
    if run.verdict == "failed" then return judge_failed(claim, past, run) end
    if run.verdict == "passed" and claim.kind ~= "fixed" and past.edit
        and past.edit.seq > run.seq then
        return judge_stale(claim, past, run)
    end
    return nil
end

-- A claim followed in the same answer by a run is about to be put to the proof.
local function proved_later(turn, seq)
    for _, call in ipairs(turn.calls()) do
        if call.seq > seq and runs.of(call) then return true end
    end
    return false
end

-- "Fixed" in the middle of the work is a word about one edit; as the last word it is a claim.
local function is_due(claim, turn, seq)
    if claim.kind == "fixed" and not turn.ending then return false end
    return not proved_later(turn, seq)
end

local function first_false(turn, past)
    for _, item in ipairs(turn.items) do
        if item.kind == "assistant_text" and item.text then
            history.advance(past, turn, item.seq)
            for _, claim in ipairs(claims.find(item.text)) do
                local found = is_due(claim, turn, item.seq) and judge(claim, past)
                if found then return found end
            end
        end
    end
    return nil
end

---@type perilune.ObserverSpec
return {
    name = "claim-check",
    description = "Holds claims such as \"all tests pass\" against the runs that took place.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 70,
    severity = "concern",
    observe = function(turn, ctx)
        local past = history.open(ctx.state, turn)
        local found = first_false(turn, past)
        history.advance(past, turn)
        return found
    end,
}
