-- Small things authors do with text: cut it without breaking a character, put it on one line,
-- name it by a short hash, compare it by its words. Works on plain strings only.
local M = {}

local HASHED_BYTES = 4096
local byte = string.byte

--- Cuts `s` to at most `max` code points, the last one an ellipsis if anything was lost.
---@param s string
---@param max integer
---@return string
function M.clip(s, max)
    if #s <= max then return s end
    local count, cut = 0, nil
    for at in s:gmatch("()[^\128-\191]") do
        count = count + 1
        if count == max then cut = at end
        if count > max then return s:sub(1, cut - 1) .. "…" end
    end
    return s
end

--- `s` on one line, runs of white space as one blank, cut to `max` code points.
---@param s string
---@param max integer
---@return string
function M.line(s, max)
    -- Cut first: collapsing a megabyte to keep a sentence would spend the script's budget.
    local short = s:sub(1, max * 8):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
    return M.clip(short, max)
end

--- A short, stable name for `s`: eight hex digits. Not for secrets.
---@param s string
---@return string
function M.hash(s)
    local h, count = 5381, math.min(#s, HASHED_BYTES)
    local whole = count - count % 4
    for i = 1, whole, 4 do -- four steps of h * 33 + byte, which a double still counts exactly
        local a, b, c, d = byte(s, i, i + 3)
        h = (h * 1185921 + a * 35937 + b * 1089 + c * 33 + d) % 4294967296
    end
    for i = whole + 1, count do h = (h * 33 + byte(s, i)) % 4294967296 end
    return ("%08x"):format((h + #s) % 4294967296)
end

--- The set of the words of `s`, lower case, small words left out.
---@param s string
---@return table<string, true> set
---@return integer count
function M.words(s)
    local set, count = {}, 0
    for word in s:sub(1, HASHED_BYTES):lower():gmatch("[%w_\128-\255]+") do
        if (#word > 2 or word:find("%d")) and not set[word] then
            set[word] = true
            count = count + 1
        end
    end
    return set, count
end

--- The share of the words of `part` that `whole` has too: 0 to 1; 0 for a text without words.
---@param part string
---@param whole string
---@return number
function M.covered(part, whole)
    local want, count = M.words(part)
    if count == 0 then return 0 end
    local have, hits = M.words(whole), 0
    for word in pairs(want) do
        if have[word] then hits = hits + 1 end
    end
    return hits / count
end

return M
