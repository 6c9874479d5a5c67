-- perilune-api: 1
-- Tells the agent that its context is nearly full while it can still write down what matters.
-- The size is that of the last answer's prompt, by the provider's count. Most models hold
-- 200,000 tokens; one that has held more holds a million. After a compaction it starts anew.
local text = require("perilune.text")

local SIZES = { 200000, 1000000 }
local SHARES = { 0.8, 0.92 }

-- The size of the context, as far as it can be told.
local function window(state, context)
    state.most = math.max(state.most or 0, context)
    for _, size in ipairs(SIZES) do
        if state.most <= size then return size end
    end
    return nil
end

local function level(context, size)
    local reached = 0
    for i, share in ipairs(SHARES) do
        if context >= share * size then reached = i end
    end
    return reached
end

---@type perilune.ObserverSpec
return {
    name = "context-cliff",
    description = "Notices that the agent's context is nearly full.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 35,
    severity = "nit",
    observe = function(turn, ctx)
        local state, context = ctx.state, turn.usage.context
        local size = window(state, context)
        if context == 0 or not size then return nil end
        local reached = level(context, size)
        -- Half of what it was: the past has been summed up.
        if reached == 0 and context < 0.5 * (state.high or 0) then
            state.level, state.high, state.round = 0, 0, (state.round or 0) + 1
        end
        if size ~= state.size then state.size, state.level = size, 0 end
        if reached <= (state.level or 0) then return nil end
        state.level, state.high = reached, context
        local last = turn.items[#turn.items]
        return {
            advise = text.clip(("The context holds %d,000 tokens of %d,000. Write down what is"
                .. " open and decided before the past is cut."):format(
                math.floor(context / 1000), size / 1000), 300),
            fingerprint = ("context:%d:%d:%d"):format(state.round or 0, size, reached),
            evidence = { last and last.seq },
        }
    end,
}
