-- perilune-api: 1
-- Tells the human, and nobody else, when a turn or a session has used more tokens than most do.
-- What was read from the provider's cache is cheap and not counted. Each mark is told once.
local text = require("perilune.text")

local TURN_MARKS = { 300000, 1000000, 3000000 }
local SESSION_MARKS = { 1000000, 2000000, 4000000, 8000000, 16000000, 32000000 }

-- Some providers count what came from the cache as input, too.
local function spent(usage)
    local fresh = usage.input >= usage.cached and usage.input - usage.cached or usage.input
    return fresh + usage.cache_created + usage.output
end

-- How many of `marks` lie at or under `tokens`.
local function level(marks, tokens)
    local reached = 0
    for i, mark in ipairs(marks) do
        if tokens >= mark then reached = i end
    end
    return reached
end

local function grouped(tokens)
    local digits = ("%d"):format(tokens):reverse():gsub("(%d%d%d)", "%1,"):reverse()
    return (digits:gsub("^,", ""))
end

local function tell(what, tokens, calls, fingerprint, evidence)
    local words = ("This %s has used %s tokens so far, %d calls in its current turn."):format(
        what, grouped(tokens), calls)
    return { advise = text.clip(words, 300), fingerprint = fingerprint, evidence = evidence }
end

-- A new turn starts from what was spent at the end of the one before.
local function start_turn(state, turn, total)
    if state.turn == turn.turn then return end
    -- Where observing began late, what the turn had spent before is not known to be its own.
    state.turn, state.start, state.turn_level = turn.turn, state.total or 0, 0
    if not state.total and turn.turn > 1 then state.start = total end
end

---@type perilune.ObserverSpec
return {
    name = "spend-meter",
    description = "Tells the human when a turn or a session has used unusually many tokens.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "user",
    priority = 30,
    severity = "nit",
    observe = function(turn, ctx)
        local state, total = ctx.state, spent(turn.usage)
        start_turn(state, turn, total)
        state.total = total
        local of_session = level(SESSION_MARKS, total)
        local of_turn = level(TURN_MARKS, total - state.start)
        local last = turn.items[#turn.items]
        local evidence, calls = { last and last.seq }, #turn.calls()
        if of_session > (state.level or 0) then
            state.level, state.turn_level = of_session, math.max(of_turn, state.turn_level)
            return tell("session", total, calls, "spend:session:" .. of_session, evidence)
        elseif of_turn > state.turn_level then
            state.turn_level = of_turn
            return tell("turn", total - state.start, calls,
                ("spend:turn:%d:%d"):format(turn.turn, of_turn), evidence)
        end
        return nil
    end,
}
