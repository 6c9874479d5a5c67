-- What the user has asked for so far, kept in ctx.state, and whether it names a thing. An
-- observer that warns of something the user wanted has cost its reader's trust: what was asked
-- for in an earlier turn counts, too.
local text = require("perilune.text")

local M = {}

local MAX_BYTES = 1500

local FORBIDS = {
    " dont ", " do not ", " never ", " not ", " without ", " avoid ", " no ", " instead of ",
    " rather than ", " must not ", " stop ",
}

--- Takes the user's last message in; returns all that is kept, in lower case, newest last.
---@param state table
---@param turn perilune.Turn
---@return string
function M.follow(state, turn)
    local last = turn.last_user
    if last and state.wished ~= text.hash(last) then
        state.wished = text.hash(last)
        state.wishes = ((state.wishes or "") .. "\n" .. text.clip(last, 1000):lower())
            :sub(-MAX_BYTES)
    end
    local goal = turn.goal and turn.goal.text or ""
    return (state.wishes or "") .. "\n" .. goal:lower()
end

--- `words` for comparing: lower case between blanks, no punctuation.
---@param words string
---@return string
function M.plain(words)
    return " " .. words:lower():gsub("[’']", ""):gsub("[^%w\128-\255]+", " ") .. " "
end

-- Sentence by sentence, so that a "not" about one thing forbids no other.
local function each_sentence(words)
    local marked = words:gsub("[.!?;]%s", "\n"):gsub(" but ", "\n")
    return marked:gmatch("[^\n]+")
end

--- True if a sentence of `words` holds one of `names` as whole words and does not forbid it.
---@param words string
---@param names string[]
---@return boolean
function M.names(words, names)
    for sentence in each_sentence(words) do
        local plain, forbidden = M.plain(sentence), false
        for _, no in ipairs(FORBIDS) do
            forbidden = forbidden or plain:find(no, 1, true) ~= nil
        end
        for _, name in ipairs(not forbidden and names or {}) do
            local wanted = M.plain(name)
            if wanted:find("%S") and plain:find(wanted, 1, true) then return true end
        end
    end
    return false
end

return M
