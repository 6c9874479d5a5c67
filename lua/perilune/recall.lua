-- A keyword index over notes or skills: which of them a text is about. A word counts only if
-- few entries have it, so that what all are about points to none.
local text = require("perilune.text")

local M = {}

local MAX_SHOWN = 4

-- Words of requests and notes that say nothing of their subject.
local COMMON = {}
for word in ([[the and for with that this from into your you are was were have has had not but
can could should would will when where which what who how why use used using user agent code
file files make made run runs add new all any each one two its it's our they them then than
also only just like need needs want wants please work works working project repo repository
change changes changed get set let set up out per via way about after before always never more
most some such here there these those note remember must does done being been their him her
create write build fix help tool tools task tasks skill skills support create creating]])
    :gmatch("[%w']+") do
    COMMON[word] = true
end

-- One form for a word and its plural or its -ing.
local function stem(word)
    if #word > 5 then word = word:gsub("ing$", ""):gsub("ies$", "y") end
    if #word > 3 and not word:find("ss$") then word = word:gsub("s$", "") end
    return word
end

local function words_of(words)
    local set, count = {}, 0
    for word in pairs((text.words(words))) do
        local root = stem(word)
        if #word > 2 and not COMMON[word] and not word:find("^%d+$") and not set[root] then
            set[root] = word
            count = count + 1
        end
    end
    return set, count
end

-- How many entries have each word.
local function spread(entries)
    local sets, holders = {}, {}
    for i, entry in ipairs(entries) do
        sets[i] = words_of(entry.name:gsub("[-_]", " ") .. " " .. entry.description)
        for root in pairs(sets[i]) do holders[root] = (holders[root] or 0) + 1 end
    end
    return sets, holders
end

-- The entry's own words that `wanted` has, and which share of its own words they are.
local function score(set, wanted, holders, max_holders)
    local shared, own = {}, 0
    for root in pairs(set) do
        if holders[root] <= max_holders then
            own = own + 1
            if wanted[root] then shared[#shared + 1] = wanted[root] end
        end
    end
    table.sort(shared)
    return shared, own > 0 and #shared / own or 0
end

---@class perilune.RecallOptions
---@field min_words integer    own words that must be shared
---@field min_share number     of all own words, 0 to 1
---@field alone boolean?       nil if a second entry shares as many
---@field skip (fun(entry: perilune.Recall): boolean?)?

--- The entry that `words` is about, with the shared words that say so; nil if none is.
---@param entries perilune.Recall[]
---@param words string
---@param options perilune.RecallOptions
---@return perilune.Recall?
---@return string[]? shared
function M.best(entries, words, options)
    local sets, holders = spread(entries)
    local wanted, max_holders = words_of(words), math.max(1, math.floor(#entries / 4))
    local best, best_shared, second = nil, {}, 0
    for i, entry in ipairs(entries) do
        local shared, share = score(sets[i], wanted, holders, max_holders)
        local fits = #shared >= options.min_words and share >= options.min_share
        if #shared > #best_shared and fits then
            best, best_shared, second = entry, shared, #best_shared
        else
            second = math.max(second, #shared)
        end
    end
    if not best or (options.alone and second >= #best_shared) then return nil end
    if options.skip and options.skip(best) then return nil end
    local shown = {}
    for i = 1, math.min(#best_shared, MAX_SHOWN) do shown[i] = best_shared[i] end
    return best, shown
end

return M
