-- How alike two texts are, as the core counts it for `ctx.similar`: the share of their letter
-- trigrams that they have in common; case, numbers and punctuation count for nothing. Part of
-- the test kit (perilune.testing); not part of the sandbox.
local M = {}

local NORMAL_MAX_BYTES, MAX = 2048, 256

local function normalised(words)
    local normal = words:gsub("[^%a\128-\255]+", " "):gsub("^ ", "")
    return (normal:sub(1, NORMAL_MAX_BYTES):gsub(" $", ""):lower())
end

--- The trigrams of a text, as a set, and how many they are.
---@param words string
---@return { set: table<string, boolean>, count: integer }
function M.of(words)
    local normal, set, count = normalised(words), {}, 0
    for at = 1, math.min(#normal - 2, MAX) do
        local gram = normal:sub(at, at + 2)
        if not set[gram] then set[gram], count = true, count + 1 end
    end
    return { set = set, count = count }
end

--- From 0, nothing in common, to 1.
---@param a { set: table<string, boolean>, count: integer }
---@param b { set: table<string, boolean>, count: integer }
---@return number
function M.alike(a, b)
    local shared = 0
    for gram in pairs(a.set) do
        if b.set[gram] then shared = shared + 1 end
    end
    local all = a.count + b.count - shared
    return all == 0 and 1 or shared / all
end

return M
