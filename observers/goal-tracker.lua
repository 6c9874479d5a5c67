-- perilune-api: 1
-- Without a model: compares the agent's own plan with the declared goal. Speaks when the agent
-- has made a plan of several steps and one item of the goal has no step in it, once an item.
-- The stop itself is goal-hold's.
local plan = require("perilune.plan")
local seen = require("perilune.seen")
local text = require("perilune.text")

local MIN_STEPS = 3
-- An item whose words stand in no step to this share is not planned for.
local NEAR = 0.34

local function is_planned(item, steps)
    local all = {}
    for i, step in ipairs(steps) do
        all[i] = step.text
        if text.covered(item, step.text) >= NEAR or text.covered(step.text, item) >= NEAR then
            return true
        end
    end
    return text.covered(item, table.concat(all, " ")) >= NEAR
end

local function first_forgotten(goal, steps, told)
    for _, item in ipairs(goal.items) do
        local _, words = text.words(item.text)
        if not item.done and words >= 2 and not seen.has(told, item.text)
            and not is_planned(item.text, steps) then
            return item.text
        end
    end
    return nil
end

-- The last call that changed the plan in what is new, or nil.
local function follow(turn, state)
    local at
    for _, call in ipairs(turn.calls()) do
        if call.seq > (state.seen or 0) then
            state.seen = call.seq
            state.plan = plan.after(state.plan or {}, call)
            if plan.is_change(call) then at = call.seq end
        end
    end
    return at
end

---@type perilune.Companion
return {
    wake = function(turn) return turn.goal ~= nil end,
    observe = function(turn, ctx)
        local state = ctx.state
        local at = follow(turn, state)
        if not at or not turn.goal or #state.plan < MIN_STEPS then return nil end
        local item = first_forgotten(turn.goal, state.plan, state.told)
        if not item then return nil end
        state.told = seen.add(state.told, item)
        return {
            advise = ("The plan has no step for an item of the goal: %s."):format(
                text.line(item, 120)),
            fingerprint = "goal-item:" .. text.hash(item),
            evidence = { at },
        }
    end,
}
