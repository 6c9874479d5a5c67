-- perilune-api: 1
-- Tells when the agent is busy without getting anywhere: many steps in a row in which it
-- changed nothing and every result was one it had seen before in this turn, or empty. The
-- calls may all differ; loop-guard looks after those that do not. Waiting for a job is not
-- spinning.
local match = require("perilune.match")
local seen = require("perilune.seen")
local text = require("perilune.text")

-- Speak at these lengths of the stretch, so that a long one is not advised about at every step.
local SPEAK_AT = { [6] = true, [12] = true, [24] = true, [48] = true }
local SETTLED_MAX_BYTES = 4096

local function settled(result)
    return #result <= SETTLED_MAX_BYTES and match.settled(result) or result
end

-- True if `call` brought something: a change, an answer not given before, a report of others.
local function is_news(call, state)
    if #match.edits(call) > 0 or match.delegates(call) then return true end
    local words = settled(call.result)
    if not words:find("%S") or seen.has(state.results, words) then return false end
    state.results = seen.add(state.results, words)
    return true
end

-- Takes in one step's calls. Waiting neither counts nor ends a stretch.
local function take_step(calls, state)
    local ran, news = 0, false
    for _, call in ipairs(calls) do
        if call.result and not match.polls(call) then
            ran = ran + 1
            news = is_news(call, state) or news
        end
    end
    if news then
        state.idle, state.from = 0, nil
    elseif ran > 0 then
        state.idle, state.from = (state.idle or 0) + 1, state.from or calls[1].seq
    end
    return ran > 0 and not news
end

---@type perilune.ObserverSpec
return {
    name = "idle-spin",
    description = "Notices many steps in a row without a change or a result that is new.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 45,
    severity = "concern",
    observe = function(turn, ctx)
        local state = ctx.state
        if state.turn ~= turn.turn then
            state.turn, state.idle, state.from, state.results = turn.turn, 0, nil, nil
        end
        local from, fresh = match.fresh_from(turn), {}
        for _, call in ipairs(turn.calls()) do
            if call.seq >= from then fresh[#fresh + 1] = call end
        end
        if not take_step(fresh, state) or not SPEAK_AT[state.idle] then return nil end
        return {
            advise = ("%d steps in a row have changed nothing and found nothing new, the last"
                .. " %s. Say what is missing, or try another way."):format(
                state.idle, match.title(fresh[#fresh], 60)),
            fingerprint = ("idle:%d:%s:x%d"):format(turn.turn, text.hash(tostring(state.from)),
                state.idle),
            evidence = { state.from, fresh[#fresh].seq },
        }
    end,
}
