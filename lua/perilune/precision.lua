-- perilune-api: 1
-- What did the agent do about a note? The rules of `perilune precision`, all of them. The host
-- asks after each step, about one note at a time, until there is an answer: the turn begins
-- where the note was made, `turn.items` is what came behind it, `ctx.state` is the note. The
-- first rule that applies has the word; nil waits for more.
--
--   contradicted   the agent or the user says, of the note, that it is wrong (only if shown)
--   contradicted   a note about repeated calls: the call was made once more, first thing, and
--                  came out otherwise
--   ignored        a call that the note cites was made once more (unless it asks for just that)
--   ignored        a veto: the agent stopped without another call
--   followed       a veto: the agent went on working
--   followed       a call that the note asks to be made again was made, or a check was run
--   followed       a call names what the note names in `backquotes`, or the file of a call that
--                  it cites
--   followed       the note asks to tell or explain, and the agent's words name what it names
--   followed       a note that names nothing: half of its words came up in what the agent did
--   followed       a note about repeated calls: none of them again in STEPS steps, but others
--   ignored        none of this in STEPS steps
--
-- It is a rule of thumb, the same for every observer, and it errs. A note that nobody showed to
-- the agent (shadow, replay) is judged by what the agent did of its own accord: "followed" then
-- says that it came to the same by itself.
local match = require("perilune.match")
local runs = require("perilune.runs")
local text = require("perilune.text")

local STEPS = 5
local MAX_CALLS = 128
local MAX_NAMES = 8
local MIN_NAME = 3 -- bytes; a shorter one stands in too much
local TAKEN_UP = 0.5
local MAX_WORDS_BYTES = 4000 -- of one text

local SPEAKS_OF_NOTE = { "observer", "note", "advice", "advisory", "warning", "claim",
    "reminder", "suggestion", "veto", "report" }
local DISPUTES = { "false positive", "false alarm", "not applicable", "does not apply",
    "doesn't apply", "is wrong", "was wrong", "incorrect", "mistaken", "disagree", "not true",
    "isn't true", "unfounded", "no longer holds", "ignore the", "ignore that" }
local ASKS_TO_TELL = { "tell ", "say ", "explain", "ask", "decide", "write down", "mention" }
local ASKS_AGAIN = { "run it again", "run them again", "again before", "rerun", "re-run" }
local SPEAKS_OF_CHECKS = { "test", "build", "lint", "type check", "typecheck", "not borne out" }

local function has_one(words, of)
    for _, word in ipairs(of) do
        if words:find(word, 1, true) then return true end
    end
    return false
end

local function verdict(word, why)
    return { report = word .. ": " .. why }
end

-- One sentence that is about the note and disputes it.
local function is_disputed(turn)
    for _, item in ipairs(turn.items) do
        local speaks = item.kind == "assistant_text" or item.kind == "user_message"
        local words = (speaks and item.text or ""):sub(1, MAX_WORDS_BYTES):lower()
        for sentence in words:gmatch("[^.!?\n]+") do
            if has_one(sentence, DISPUTES) and has_one(sentence, SPEAKS_OF_NOTE) then
                return true
            end
        end
    end
    return false
end

-- The last MAX_CALLS calls: those before the note, and those behind it.
local function split_calls(turn)
    local before, behind = {}, {}
    local calls, from = turn.calls(), turn.items[1].seq
    for i = math.max(1, #calls - MAX_CALLS + 1), #calls do
        local list = calls[i].seq < from and before or behind
        list[#list + 1] = { call = calls[i], key = match.key(calls[i]) }
    end
    return before, behind
end

-- The calls a note cites, by their keys, and whether it cites one of them more than once.
local function cited_calls(note, before)
    local is_cited, cited, repeated = {}, {}, false
    for _, seq in ipairs(note.evidence or {}) do is_cited[seq] = true end
    for _, entry in ipairs(before) do
        if is_cited[entry.call.seq] then
            repeated = repeated or cited[entry.key] ~= nil
            cited[entry.key] = entry.call
        end
    end
    return cited, repeated
end

-- What stands in backquotes in the note, and the files that the calls it cites changed, unless
-- they were changed over and over. A command that was run is no name: who runs it once more has
-- not followed.
local function names_of(note, cited, repeated)
    local names = {}
    local function add(name)
        if #name >= MIN_NAME and #names < MAX_NAMES then names[#names + 1] = name end
    end
    for name in note.text:gmatch("`([^`]+)`") do
        local was_run = false
        for _, call in pairs(cited) do
            local command = match.command(call)
            was_run = was_run or command ~= nil and command:find(name, 1, true) ~= nil
        end
        if not was_run then add(name) end
    end
    for _, call in pairs(repeated and {} or cited) do
        for _, path in ipairs(match.edits(call)) do add(path) end
    end
    return names
end

local function named_in(names, words)
    for _, name in ipairs(names) do
        local base = name:match("([^/]+)/*$") or name
        if #base < MIN_NAME then base = name end
        if words:find(base, 1, true) then return base end
    end
    return nil
end

local function asked_for(note_words, entry, cited, repeated)
    if has_one(note_words, ASKS_AGAIN) then
        if cited[entry.key] then return "it made the call again, as it was asked to" end
        if runs.of(entry.call) then return "it ran the check again" end
    elseif not repeated and has_one(note_words, SPEAKS_OF_CHECKS) and runs.of(entry.call) then
        return "it ran a check"
    end
    return nil
end

local function by_calls(note, behind, cited, repeated, names)
    local words = note.text:lower()
    for at, entry in ipairs(behind) do
        local why = asked_for(words, entry, cited, repeated)
        if why then return verdict("followed", why) end
        local before = cited[entry.key]
        if before and repeated and at == 1 and entry.call.result
            and not match.same_result(entry.call, before) then
            return verdict("contradicted", "it made the call again, and it came out otherwise")
        end
        if before then return verdict("ignored", "it made the same call again") end
        local name = named_in(names, entry.key)
        if name then return verdict("followed", ("a call came back to `%s`"):format(name)) end
    end
    return nil
end

local function by_words(note, turn, behind, names)
    local said = {}
    for _, item in ipairs(turn.items) do
        if item.kind == "assistant_text" then
            said[#said + 1] = (item.text or ""):sub(1, MAX_WORDS_BYTES)
        end
    end
    local words = table.concat(said, "\n")
    if #names > 0 then
        local name = has_one(note.text:lower(), ASKS_TO_TELL) and named_in(names, words)
        return name and verdict("followed", ("it spoke of `%s`"):format(name)) or nil
    end
    for _, entry in ipairs(behind) do words = words .. "\n" .. entry.key end
    if text.covered(note.text, words) >= TAKEN_UP then
        return verdict("followed", "half of its words came up")
    end
    return nil
end

-- A veto holds a stop: what counts is whether work went on.
local function by_work(turn, behind)
    local first = behind[1]
    for _, item in ipairs(turn.items) do
        local stops = item.kind == "turn_ended" or item.kind == "user_message"
        if stops and (not first or item.seq < first.call.seq) then
            return verdict("ignored", "it stopped all the same")
        end
    end
    return first and verdict("followed", "it went on working") or nil
end

local function observe(turn, ctx)
    local note = ctx.state
    if not note.text or #turn.items == 0 then return nil end
    if note.shown and is_disputed(turn) then
        return verdict("contradicted", "it was said that the note is wrong")
    end
    local before, behind = split_calls(turn)
    if note.kind == "veto" then return by_work(turn, behind) end
    local cited, repeated = cited_calls(note, before)
    local names = names_of(note, cited, repeated)
    local found = by_calls(note, behind, cited, repeated, names)
        or by_words(note, turn, behind, names)
    if found or (note.steps or 0) < STEPS then return found end
    if repeated and #behind > 0 then
        return verdict("followed", "none of these calls again, but others")
    end
    return verdict("ignored", ("nothing of it in %d steps"):format(STEPS))
end

return {
    name = "precision",
    description = "judges what the agent did about a note",
    on = { "turn_end", "session_end" },
    can = { "report" },
    observe = observe,
}
