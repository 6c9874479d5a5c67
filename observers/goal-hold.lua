-- perilune-api: 1
-- Holds the agent at its stop while the declared goal is open: an item neither marked as done
-- nor ticked off in the agent's own plan, or a check that has not passed since the last change
-- of a source file. It lets go where the agent asks the user something, and where the turn was
-- mere talk.
local history = require("perilune.history")
local match = require("perilune.match")
local plan = require("perilune.plan")
local runs = require("perilune.runs")
local text = require("perilune.text")

local DONE_WORDS = {
    "done", "complete", "completed", "finished", "ready", "shipped", "fixed", "all set",
}

local function last_words(turn)
    for i = #turn.items, 1, -1 do
        local item = turn.items[i]
        if item.kind == "assistant_text" and item.text then return item.text end
    end
    return ""
end

-- The agent waits for an answer: to hold it would make it guess.
local function asks(words)
    return words:find("%?[%s*_\"')]*$") ~= nil
end

local function says_done(words)
    local spaced = " " .. words:sub(-2000):lower():gsub("[^%w]+", " ") .. " "
    for _, word in ipairs(DONE_WORDS) do
        if spaced:find(" " .. word .. " ", 1, true) then return true end
    end
    return false
end

-- Takes the new calls in; the check's runs are kept beside the history of all runs.
local function follow(turn, state)
    local past = history.open(state, turn)
    state.plan = state.plan or {}
    local check = turn.goal and turn.goal.check
    for _, call in ipairs(turn.calls()) do
        if call.seq > past.seen then
            history.add(past, call, turn.cwd)
            state.plan = plan.after(state.plan, call)
            local verdict = check and runs.check(call, check)
            if verdict then state.check = { seq = call.seq, verdict = verdict } end
        end
    end
    return past
end

local function open_items(goal, steps)
    local open = {}
    for _, item in ipairs(goal.items or {}) do
        if not item.done and not plan.has_done(steps, item.text) then
            open[#open + 1] = text.line(item.text, 50)
        end
    end
    return open
end

-- Why the check is not satisfied, or nil. A result we could not read counts for the agent.
local function unchecked(goal, state, past)
    local run, name = state.check, goal.check and "`" .. text.line(goal.check, 60) .. "`"
    if not name or past.late then return nil end
    if not run then
        return past.edit and not past.blind and name .. " has not been run" or nil
    end
    if history.is_blind_since(past, run.seq) then return nil end
    if run.verdict == "failed" then return name .. " failed when it was last run" end
    if past.edit and past.edit.seq > run.seq then
        return ("%s has not been run since `%s` was changed"):format(
            name, text.line(past.edit.path, 50))
    end
    return nil
end

local function reasons(goal, state, past)
    local out = {}
    local open = open_items(goal, state.plan)
    if #open > 0 then
        local shown = { open[1], open[2], #open > 2 and ("%d more"):format(#open - 2) or nil }
        out[1] = "still open: " .. table.concat(shown, "; ")
    end
    out[#out + 1] = unchecked(goal, state, past)
    return out
end

local function worked(turn)
    for _, call in ipairs(turn.calls()) do
        if match.happened(call) then return true end
    end
    return false
end

---@type perilune.ObserverSpec
return {
    name = "goal-hold",
    description = "Holds the stop while the declared goal has open items or an unproved check.",
    on = "turn_end",
    sees = { "activity" },
    can = { "veto" },
    deliver = "settle",
    priority = 80,
    severity = "concern",
    observe = function(turn, ctx)
        local past = follow(turn, ctx.state)
        if not turn.ending or not turn.goal then return nil end
        local words = last_words(turn)
        if asks(words) or not (worked(turn) or says_done(words)) then return nil end
        local why = reasons(turn.goal, ctx.state, past)
        if #why == 0 then return nil end
        local goal = text.line(turn.goal.text or "the goal", 60)
        return {
            veto = text.clip(("Goal not reached (%s): %s."):format(
                goal, table.concat(why, "; ")), 300),
            fingerprint = "goal:" .. text.hash(turn.goal.text or ""),
            data = { reasons = why },
        }
    end,
}
