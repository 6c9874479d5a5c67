-- perilune-api: 1
-- Tells when the agent stops with work it has announced undone: open entries in its own to-do
-- list, or a last sentence that begins the next act. A question, a blocked agent and one that
-- waits for a job or a subagent have a reason to stop.
local match = require("perilune.match")
local plan = require("perilune.plan")
local text = require("perilune.text")

local ANNOUNCES = {
    "^now i will ", "^now ill ", "^next i will ", "^next ill ", "^i will now ", "^ill now ",
    "^let me now ", "^now let me ", "^let me ", "^now im going to ", "^im going to ",
    "^i am going to ", "^next up ",
}
-- A next act that is talk, and an offer.
local NO_ACT = {
    " let me know ", " explain ", " summarize ", " summarise ", " if you ", " when you ",
    " once you ", " whenever ", " wait ", " leave it ", " stop here ", " be happy to ",
    " would you ", " recommend ", " later ", " tomorrow ", " hand over ", " hand it ",
    " hand this ", " leave this ",
}
-- Words of a user who wants no more than this.
local ENOUGH = {
    " a plan ", " plan only ", " plan it ", " dont start ", " do not start ",
    " dont implement ", " do not implement ", " and stop ", " then stop ",
    " stop after ", " only the first ", " just the first ",
}
local REASONS = {
    " blocked ", " waiting ", " need your ", " needs your ", " cannot continue ",
    " cant continue ", " before i continue ", " your approval ", " confirm ", " permission ",
    " which would you ", " let me know ", " tell me ", " do you want ", " shall i ",
    " should i ", " deferred ", " out of scope ", " leaving ", " skipped ", " left open ",
    " not done ", " remaining ", " interrupted ", " background ", " up to you ",
}

local function plain(words)
    return " " .. words:lower():gsub("[’']", ""):gsub("[^%w]+", " ") .. " "
end

local function has_any(words, phrases)
    for _, phrase in ipairs(phrases) do
        if words:find(phrase, 1, true) then return true end
    end
    return false
end

local function last_words(turn)
    for i = #turn.items, 1, -1 do
        local item = turn.items[i]
        if item.kind == "assistant_text" and item.text then return item.text, item.seq end
    end
    return nil
end

local function last_sentence(words)
    local last = ""
    for sentence in (words:sub(-2000) .. "\n"):gmatch("([^\n]-%S[^\n]-)[.!:…]*%s*\n") do
        last = sentence
    end
    last = last:gsub("^.*[.!?:]%s+", "")
    return last
end

local function announces(words)
    local sentence = last_sentence(words)
    local said = plain(sentence):sub(2)
    if has_any(" " .. said, NO_ACT) then return nil end
    for _, pattern in ipairs(ANNOUNCES) do
        if said:find(pattern) then return sentence end
    end
    return nil
end

local function asks(words)
    return words:find("%?[%s*_\"')]*$") ~= nil or words:sub(-400):find("%?%s*\n") ~= nil
end

-- A job or a subagent may still be at work.
local function waits(turn)
    for _, call in ipairs(turn.calls()) do
        local background = type(call.input) == "table" and call.input.run_in_background
        if background or match.delegates(call) or call.denied then return true end
    end
    return false
end

local function open_entries(steps)
    local open = {}
    for _, entry in ipairs(steps) do
        if not entry.done then open[#open + 1] = text.line(entry.text, 50) end
    end
    return open
end

local function of_plan(state, turn, seq)
    local open = open_entries(state.plan or {})
    -- A list nobody has touched in this turn belongs to earlier work; a declared goal is
    -- goal-hold's.
    if #open == 0 or state.plan_turn ~= turn.turn or turn.goal then return nil end
    if has_any(plain(turn.last_user or ""), ENOUGH) then return nil end
    local more = #open > 2 and ("; %d more"):format(#open - 2) or ""
    return {
        advise = ("Stopping with its own plan unfinished: %s%s%s. Finish, or say why not.")
            :format(open[1], open[2] and "; " .. open[2] or "", more),
        fingerprint = "stop:plan:" .. text.hash(table.concat(open, "\n")),
        evidence = { seq },
    }
end

local function follow(turn, state)
    for _, call in ipairs(turn.calls()) do
        if call.seq > (state.seen or 0) then
            state.seen = call.seq
            local before = state.plan or {}
            state.plan = plan.after(before, call)
            if plan.is_change(call) then state.plan_turn = turn.turn end
        end
    end
end

---@type perilune.ObserverSpec
return {
    name = "stop-early",
    description = "Notices a stop with announced work undone.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "settle",
    priority = 60,
    severity = "concern",
    observe = function(turn, ctx)
        follow(turn, ctx.state)
        local words, seq = last_words(turn)
        if not turn.ending or not words or asks(words) or waits(turn) then return nil end
        if has_any(plain(words:sub(-1500)), REASONS) then return nil end
        local said = announces(words)
        if said then
            return {
                advise = ("Stopped after announcing \"%s\" without doing it."):format(
                    text.line(said, 120)),
                fingerprint = "stop:said:" .. text.hash(said),
                evidence = { seq },
            }
        end
        return of_plan(ctx.state, turn, seq)
    end,
}
