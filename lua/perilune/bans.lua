-- What a user's request forbids without naming a path: any change at all, the tests, a folder
-- by its name, a commit, a push. A ban that is narrowed ("no changes to the API") is none here.
local M = {}

local VERBS = { "touch", "change", "edit", "modify", "alter" }
local NOTS = { " dont ", " do not ", " never ", " please dont " }

-- What may stand behind a ban that it stays a whole one; nothing may, too.
local TAILS = {
    "please", "yet", "for now", "now", "at all", "just", "only", "thanks", "or", "it", "this",
    "anything", "themselves", "first", "today", "until",
}

local function is_whole(rest)
    if rest:find("^%s*$") then return true end
    for _, tail in ipairs(TAILS) do
        if (rest .. " "):find("^ ?" .. tail .. " ") then return true end
    end
    return false
end

-- True if one of `phrases` (between blanks) ends the clause, or nearly.
local function says(clause, phrases)
    for _, phrase in ipairs(phrases) do
        local _, stop = clause:find(phrase, 1, true)
        if stop and is_whole(clause:sub(stop)) then return true end
    end
    return false
end

local CHANGES, TESTS = { " no code changes " }, { " leave the tests alone " }
for _, no in ipairs(NOTS) do
    for _, object in ipairs({ "anything", "any code", "any files", "the code", "code" }) do
        for _, verb in ipairs(VERBS) do
            CHANGES[#CHANGES + 1] = no .. verb .. " " .. object .. " "
        end
    end
    CHANGES[#CHANGES + 1] = no .. "make any changes "
    CHANGES[#CHANGES + 1] = no .. "make changes "
    CHANGES[#CHANGES + 1] = no .. "write any code "
end
for _, object in ipairs({ "the tests", "any tests", "tests", "the test files", "my tests",
    "existing tests", "the existing tests" }) do
    for _, verb in ipairs(VERBS) do
        for _, no in ipairs(NOTS) do TESTS[#TESTS + 1] = no .. verb .. " " .. object .. " " end
        local ing = verb:gsub("e$", "") .. "ing"
        TESTS[#TESTS + 1] = " without " .. ing .. " " .. object .. " "
    end
end
for _, act in ipairs({ "changing anything", "making changes", "making any changes",
    "editing anything", "changing code", "changing any code", "modifying anything" }) do
    CHANGES[#CHANGES + 1] = " without " .. act .. " "
end
local COMMIT, PUSH = { " without committing ", " no commits " }, { " without pushing " }
for _, no in ipairs(NOTS) do
    COMMIT[#COMMIT + 1], PUSH[#PUSH + 1] = no .. "commit ", no .. "push "
    PUSH[#PUSH + 1] = no .. "commit or push "
end

-- `the db folder` behind a word that keeps out.
local function folder_in(clause)
    for _, verb in ipairs(VERBS) do
        local name = clause:match("[nt] " .. verb .. " the ([%w_]+) folder ")
            or clause:match("[nt] " .. verb .. " the ([%w_]+) directory ")
        if name then return name end
    end
    return nil
end

---@class perilune.Bans
---@field changes boolean
---@field tests boolean
---@field commit boolean
---@field push boolean
---@field folders string[]

-- Words that every ban has one of: most sentences have none.
local SIGNS = { " no ", " not ", " dont ", " never ", " without ", " leave " }

local function may_ban(clause)
    for _, sign in ipairs(SIGNS) do
        if clause:find(sign, 1, true) then return true end
    end
    return false
end

local function add(bans, clause)
    bans.changes = bans.changes or says(clause, CHANGES)
        or clause:find("^ no changes ") ~= nil and is_whole(clause:sub(12))
    bans.tests = bans.tests or says(clause, TESTS)
    bans.commit = bans.commit or says(clause, COMMIT)
    bans.push = bans.push or says(clause, PUSH)
    bans.folders[#bans.folders + 1] = folder_in(clause)
end

--- The bans of a request.
---@param request string
---@return perilune.Bans
function M.of(request)
    local bans = { changes = false, tests = false, commit = false, push = false, folders = {} }
    local marked = request:gsub("[Aa]nything but ", "anything except ")
        :gsub("[.!?;:,]%s", "\n"):gsub("[.!?;:,]$", "\n"):gsub(" but ", "\n")
        :gsub(" and ", "\n")
    for sentence in marked:gmatch("[^\n]+") do
        local clause = " " .. sentence:lower():gsub("[’']", ""):gsub("[^%w_]+", " ") .. " "
        clause = clause:gsub("%s+", " ")
        if may_ban(clause) then add(bans, clause) end
    end
    return bans
end

return M
