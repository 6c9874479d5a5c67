-- perilune-api: 1
-- The policy that ships: say each thing once, the weightiest first, within the window's budget,
-- and never wake an idle agent for a trifle. What is over budget waits; what says nothing new
-- goes, with one of these reasons and no other:
--
--   drop   says nothing                   blank of content: too short, a mere acknowledgement
--   drop   imitates the activity          it goes on with the digest instead of judging it
--   drop   invents a call's outcome       of a call that was never made, or still runs
--   drop   already delivered              its fingerprint was delivered or waits already
--   drop   same as another in the batch   one of the same fingerprint ranks higher
--   drop   nothing new since              much like an earlier text, no work since that one;
--                                         or meant for the agent, and told to the user last
--   drop   one veto at a time             another veto of the batch ranks higher
--   drop   over the batch cap             so many better ones came at once
--   drop   veto budget spent              for its fingerprint, its observer or the session
--   drop   vetoed again, nothing done since   much like an earlier text, and no work since
--   drop   window has its veto            one veto a window
--   drop   cannot be held                 nothing holds its agent; the user was told
--   drop   overtaken                      what it speaks of has changed since
--   drop   stopped                        the user stopped the agent
--   drop   the session has ended          nobody is there to hear it
--   drop   nothing to hold in plan mode   a veto holds work, and there is none
--   defer  beside a veto                  comes when the veto has been dealt with
--   defer  over the window's budget       comes with the next window
--
-- What is delivered keeps its lane, but for what perilune.lanes says:
--   waits for the next prompt             idle, or settled and not a blocker: lane prompt
--   a blocker reopens a settled run       once a turn, another waits: lane follow_up
--   planning, so to the user              a blocker in plan mode: lane user
--   stopped, so to the user               a blocker after a stop: lane user
--   ..., so to the user                   a veto refused for its budget, as a repeat, or since
--                                         its agent cannot be held: told once, lane user
local lanes = require("perilune.lanes")

local SIMILAR = 0.85 -- tells all pairs of tests/golden/policy/similar.jsonl apart
local MIN_CHARACTERS = 12
local LONG_BYTES = 32 -- long enough whatever its words, if the first says something
local DEFER_TURNS = 2
local FINDING_BYTES = 120 -- of an observer's name and a fingerprint: ctx.state is small
local WORDS_BYTES = 480   -- of what the user was told

local WEIGHT = { nit = 1, concern = 2, blocker = 3 }

local EMPTY_WORDS = {
    ok = true, okay = true, lgtm = true, looks = true, good = true, fine = true, great = true,
    nice = true, work = true, stop = true, done = true, nothing = true, to = true,
    report = true, add = true, no = true, none = true, issues = true, concerns = true,
    all = true, is = true, well = true, continue = true, proceed = true, yes = true, so = true,
    far = true, everything = true, keep = true, going = true, it = true, up = true, the = true,
    me = true,
}

-- True for texts such as "Stop.", "LGTM", "Nothing to report, keep going!". Text in a script
-- without blanks between words counts by its length alone.
local function says_nothing(text)
    local is_long, characters, has_content = #text >= LONG_BYTES, 0, false
    for word in text:lower():gmatch("[%w\128-\255]+") do
        has_content = has_content or not EMPTY_WORDS[word]
        if has_content and is_long and characters == 0 then return false end
        characters = characters + #word
        if has_content and characters >= MIN_CHARACTERS then return false end
    end
    return true
end

local TAGS = { ["tool-call"] = true, ["tool-result"] = true, ["user-message"] = true,
    ["non-user-message"] = true, ["turn-ended"] = true }

-- True for a text that begins as an element of a digest: a weak model goes on with what it was
-- shown, calls and results of its own invention (case C21).
local function imitates(text)
    local tag = text:match("^%s*<[\\/%s]*([%w_-]+)")
    if not tag then return false end
    tag = tag:lower()
    return TAGS[tag] or tag:sub(-9) == "-activity"
end

local function is_repeat(p, ctx)
    return not ctx.new_input(p) and ctx.similar(p) >= SIMILAR
end

-- Why `p` is not worth keeping whatever else is in the batch, or nil. A veto may come again
-- under its fingerprint: its budget bounds it.
local function alone_reason(p, ctx)
    if says_nothing(p.text) then return "says nothing" end
    if imitates(p.text) then return "imitates the activity" end
    if p.invents then return "invents a call's outcome" end
    if p.kind == "veto" then return nil end
    if ctx.taken(p.fingerprint) then return "already delivered" end
    if is_repeat(p, ctx) then return "nothing new since" end
    return nil
end

-- A veto first, then weight, priority (to 100), arrival, in one number: the larger, the better,
-- and no two alike. The arrival, to 64, is what the number lacks to a full thousand.
local function rank_of(p, arrival)
    local class = p.kind == "veto" and 4 or WEIGHT[p.severity]
    local weight = p.kind == "veto" and WEIGHT[p.severity] or 0
    return ((class * 4 + weight) * 101 + p.priority) * 1000 - arrival
end

-- The ranks of what is worth keeping, the best last.
local function ranked(batch, ctx, dropped)
    local ranks = {}
    local facts = { taken = ctx.taken, new_input = ctx.new_input, similar = ctx.similar }
    for arrival, p in ipairs(batch) do
        local reason = alone_reason(p, facts)
        if reason then
            dropped[#dropped + 1] = { proposal = p, reason = reason }
        else
            ranks[#ranks + 1] = rank_of(p, arrival)
        end
    end
    table.sort(ranks)
    return ranks
end

-- Walks them from the best and keeps what fits: one of each fingerprint, one veto, and no more
-- others than a window may ever deliver.
local function admit(batch, ranks, cap, dropped)
    local kept, prints, vetoes, others = {}, {}, 0, 0
    for i = #ranks, 1, -1 do
        local p, reason = batch[-ranks[i] % 1000], nil
        local is_veto = p.kind == "veto"
        if prints[p.fingerprint] then
            reason = "same as another in the batch"
        elseif is_veto and vetoes > 0 then
            reason = "one veto at a time"
        elseif not is_veto and others >= cap then
            reason = "over the batch cap"
        end
        if reason then
            dropped[#dropped + 1] = { proposal = p, reason = reason }
        else
            kept[#kept + 1] = p
            prints[p.fingerprint] = true
            if is_veto then vetoes = vetoes + 1 else others = others + 1 end
        end
    end
    return kept
end

local function reconcile(batch, ctx)
    local dropped = {}
    local ranks = ranked(batch, ctx, dropped)
    local kept = admit(batch, ranks, ctx.limits.advisories_per_turn, dropped)
    -- Which of these wait for the veto is decided in `deliver`, where the veto's fate is known.
    local state = ctx.state
    state.granted, state.batch = nil, nil
    if kept[1] and kept[1].kind == "veto" then
        state.batch = {}
        for i, p in ipairs(kept) do state.batch[i] = p.id end
    end
    return kept, dropped
end

local function drop(reason)
    return { verdict = "drop", reason = reason }
end

local function defer(verdict, reason)
    return { verdict = "defer", lane = verdict.lane, reason = reason, ttl_turns = DEFER_TURNS }
end

local function to_user(reason)
    return { verdict = "deliver", lane = "user", reason = reason }
end

-- True if this is what the user was told last: the finding, or its words, whatever the number
-- in them and the key they come under (cases C54, C59).
local function was_told(p, state)
    local finding = ("%s:%s"):format(p.observer, p.fingerprint):sub(1, FINDING_BYTES)
    local words = p.text:lower():gsub("[^%a\128-\255]+", " "):sub(1, WORDS_BYTES)
    local same = state.told == finding or state.told_words == words
    state.told, state.told_words = finding, words
    return same
end

-- The agent may stop; a person hears why, once for each finding in a row (case C58).
local function give_up(p, ctx, reason)
    if was_told(p, ctx.state) then return drop(reason) end
    return to_user(reason .. ", so to the user")
end

-- An observer that speaks to the user anyway says what it says.
local function divert(verdict, p, ctx, reason)
    if verdict.lane ~= "user" and was_told(p, ctx.state) then
        return drop("nothing new since")
    end
    return to_user(reason)
end

-- The budgets a veto draws on: its fingerprint's, its observer's (2x), the session's (4x).
local function deliver_veto(verdict, p, ctx)
    local spent, budget = ctx.vetoes(p.observer, p.fingerprint), ctx.limits.veto_budget
    if spent.key >= budget or spent.observer >= 2 * budget or spent.session >= 4 * budget then
        return give_up(p, ctx, "veto budget spent")
    end
    if is_repeat(p, ctx) then return give_up(p, ctx, "vetoed again, nothing done since") end
    if ctx.left.vetoes < 1 then return drop("window has its veto") end
    ctx.state.granted = p.id
    return verdict
end

-- True if `p` came in one batch with a veto that was granted. Only the first time round: when
-- it comes back it is no longer beside anything.
local function is_beside_veto(p, state)
    if not state.granted then return false end
    for i, id in ipairs(state.batch or {}) do
        if id == p.id then
            table.remove(state.batch, i)
            return true
        end
    end
    return false
end

-- One blocker a turn reopens a settled run; the next one waits for the prompt.
local function reopen_once(verdict, p, ctx)
    if ctx.state.reopened == p.turn then
        verdict.lane, verdict.reason = "prompt", "waits for the next prompt"
    end
    ctx.state.reopened = p.turn
    return verdict
end

local function deliver(verdict, p, ctx)
    if verdict.verdict == "drop" then return verdict end
    local action, reason = lanes.action(p.severity, ctx.run_state, verdict.lane)
    if action == "drop" then return drop(reason) end
    if p.kind == "veto" and verdict.lane ~= "hold" then -- its agent cannot be held
        return give_up(p, ctx, "cannot be held")
    end
    if p.kind == "veto" then return deliver_veto(verdict, p, ctx) end
    if is_beside_veto(p, ctx.state) then return defer(verdict, "beside a veto") end
    if ctx.overtaken(p) then return drop("overtaken") end
    if action == "user" then return divert(verdict, p, ctx, reason) end
    if ctx.left.advisories < 1 then return defer(verdict, "over the window's budget") end
    if verdict.verdict == "defer" or action == verdict.lane then return verdict end
    verdict = { verdict = "deliver", lane = action, reason = reason }
    return action == "follow_up" and reopen_once(verdict, p, ctx) or verdict
end

return { name = "default", reconcile = reconcile, deliver = deliver }
