-- perilune-api: 1
-- Says so when the agent goes round in circles: the same call with the same result three times
-- in a turn, two calls taking turns, an edit made, undone and made again. Waiting for a job is
-- no loop, and neither is a check that passes again after a change.
local match = require("perilune.match")
local text = require("perilune.text")

-- Speak at these counts, so that a loop that goes on is not advised about at every step.
local SPEAK_AT = { [3] = true, [6] = true, [12] = true, [24] = true }
local MAX_CALLS = 64

-- The last MAX_CALLS calls of the turn that ran, and what tells each from the others.
local function recent(turn)
    local all, ran, keys = turn.calls(), {}, {}
    for i = math.max(1, #all - MAX_CALLS + 1), #all do
        local call = all[i]
        if call.result then
            ran[#ran + 1] = call
            keys[#ran] = match.key(call)
        end
    end
    return ran, keys
end

local function changed_between(calls, first, last)
    for i = first + 1, last - 1 do
        if match.source_edit(calls[i]) then return true end
    end
    return false
end

-- The indexes of the calls like `calls[at]`, itself last, back to one that ended otherwise.
local function alike(calls, keys, at)
    local found = {}
    for i = at, 1, -1 do
        if keys[i] == keys[at] then
            if not match.same_result(calls[i], calls[at]) then break end
            table.insert(found, 1, i)
        end
    end
    return found
end

local function evidence(calls, indexes)
    local seqs = {}
    for i = math.max(1, #indexes - 5), #indexes do seqs[#seqs + 1] = calls[indexes[i]].seq end
    return seqs
end

-- The same call with the same result.
local function repeated(turn, calls, keys, at)
    local call = calls[at]
    if turn.repeats(call) < 3 then return nil end
    local same = alike(calls, keys, at)
    if not SPEAK_AT[#same] or match.polls(call) then return nil end
    local changed = changed_between(calls, same[#same - 2], at)
    -- A green check after every change is good practice, a red one that never moves is not.
    if changed and not match.failed(call) then return nil end
    local advice = changed and "The changes in between did not reach the cause; look elsewhere."
        or "Nothing changed in between; another try will not differ."
    return {
        advise = ("%s was run %d times in this turn with the same result. %s"):format(
            match.title(call), #same, advice),
        fingerprint = ("repeat:%s:x%d"):format(text.hash(keys[at]), #same),
        severity = #same >= 6 and "blocker" or nil,
        evidence = evidence(calls, same),
    }
end

-- A, B, A, B with nothing new: the last four calls.
local function alternating(calls, keys, at)
    if at < 4 then return nil end
    local a, b, c, d = calls[at - 3], calls[at - 2], calls[at - 1], calls[at]
    local key_a, key_b = keys[at - 3], keys[at - 2]
    if key_a == key_b or keys[at - 1] ~= key_a or keys[at] ~= key_b then return nil end
    if not match.same_result(a, c) or not match.same_result(b, d) then return nil end
    if match.polls(a) or match.polls(b) then return nil end
    return {
        advise = ("%s and %s are taking turns and each gives what it gave before."):format(
            match.title(a), match.title(b)),
        fingerprint = ("alternate:%s:%s"):format(text.hash(key_a), text.hash(key_b)),
        evidence = { a.seq, b.seq, c.seq, d.seq },
    }
end

local function replacement(call)
    local input = call.input
    if type(input) ~= "table" or match.failed(call) or call.denied then return nil end
    local path, old, new = input.file_path or input.path, input.old_string, input.new_string
    if type(path) == "string" and type(old) == "string" and type(new) == "string" then
        return path, old, new
    end
    return nil
end

-- One text put in, taken out, put in again. Taking it out once is an ordinary second thought.
local function undone(calls, at)
    local path, old, new = replacement(calls[at])
    if not path then return nil end
    local seqs, want_old, want_new = { calls[at].seq }, new, old
    for i = at - 1, 1, -1 do
        local other, was, became = replacement(calls[i])
        if other == path and was == want_old and became == want_new then
            table.insert(seqs, 1, calls[i].seq)
            want_old, want_new = want_new, want_old
        end
    end
    if #seqs ~= 3 and #seqs ~= 6 then return nil end
    local hash = text.hash(path .. "\n" .. old .. "\n" .. new)
    return {
        advise = ("`%s` has been changed back and forth between the same two texts %d times."
            .. " Decide which one is right and why."):format(text.line(path, 80), #seqs),
        fingerprint = ("undo:%s:x%d"):format(hash, #seqs),
        evidence = seqs,
    }
end

---@type perilune.ObserverSpec
return {
    name = "loop-guard",
    description = "Notices repeated calls, calls taking turns, and edits undone and redone.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 60,
    severity = "concern",
    observe = function(turn)
        local from = match.fresh_from(turn)
        local calls, keys = recent(turn)
        for at = #calls, 1, -1 do
            if calls[at].seq < from then break end
            local found = repeated(turn, calls, keys, at) or alternating(calls, keys, at)
                or undone(calls, at)
            if found then return found end
        end
        return nil
    end,
}
