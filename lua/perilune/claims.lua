-- Finds what an agent's prose claims to be so: that tests pass, that the build is good, that a
-- fault is fixed. A plan, a hope, a condition, a question, a quotation and a word about
-- somebody else's machine are no claims. Made to miss a claim rather than invent one.
local runs = require("perilune.runs")

local M = {}

local MAX_BYTES = 8000
local MAX_CLAUSES = 120

-- Clauses are compared in lower case between blanks, punctuation removed. `TESTCMD` and
-- `BUILDCMD` stand for a quoted command such as `make test`.
local CLAIMS = {
    test = {
        " tests pass ", " tests passed ", " tests now pass ", " tests all pass ",
        " tests are passing ", " tests are green ", " tests are all green ", " tests green ",
        " tests passing ", " tests are now passing ", " tests still pass ", " tests succeed ",
        " test suite passes ", " suite passes ", " suite is green ", " suite is passing ",
        " passes all tests ", " passing all tests ", " all green ", " everything passes ",
        " everything passed ", " suite passed ", " all checks passed ", " tests succeeded ",
        " everything is green ", " all checks pass ", " TESTCMD passes ", " TESTCMD succeeds ",
        " TESTCMD is green ", " TESTCMD now passes ", " TESTCMD passed ",
    },
    build = {
        " build passes ", " build succeeds ", " build succeeded ", " build is green ",
        " build is clean ", " build ok ", " build is ok ", " builds cleanly ",
        " builds successfully ", " builds without errors ", " compiles cleanly ",
        " compiles without errors ", " compiles successfully ", " compiles fine ",
        " BUILDCMD passes ", " BUILDCMD succeeds ", " BUILDCMD succeeded ",
    },
    fixed = {
        " is fixed ", " is now fixed ", " are fixed ", " are now fixed ", " is resolved ",
        " is now resolved ", " i fixed ", " i have fixed ", " ive fixed ", " has been fixed ",
        " fixed the ", " bug fixed ", " issue fixed ", " now works ", " works now ",
    },
}
local KINDS = { "test", "build", "fixed" }
-- Each of these phrases holds one of them: a text with none, as most texts, claims nothing.
local STEMS = { "pass", "green", "succe", "build", "compile", "fixed", "resolved", "works" }

-- Words that take the claim out of a clause: negation, condition, plan, wish, other times and
-- other people's machines. A phrase of several words is found as it stands.
local UNSURE = {
    " not ", " never ", " no longer ", " cannot ", " cant ", " dont ", " doesnt ", " didnt ",
    " isnt ", " arent ", " wont ", " hasnt ", " havent ", " without running ", " except ",
    " apart from ", " aside from ", " other than ", " besides ", " some ", " most ",
    " almost ", " nearly ", " only ", " fail ", " fails ", " failed ", " failing ", " failure ",
    " failures ", " broken ", " if ", " once ", " when ", " whenever ", " unless ", " until ",
    " whether ", " before ", " assuming ", " provided ", " as long as ", " so that ",
    " in order ", " should ", " would ", " could ", " might ", " may ", " must ", " will ",
    " shall ", " can ", " ill ", " hopefully ", " expect ", " expected ", " hope ", " think ",
    " believe ", " assume ", " seems ", " seem ", " likely ", " probably ", " ensure ",
    " ensures ", " ensuring ", " make sure ", " making sure ", " verify ", " check that ",
    " confirm that ", " see that ", " see if ", " lets ", " let me ", " going to ", " need to ",
    " needs to ", " want ", " wants ", " try ", " trying ", " next ", " todo ", " goal ",
    " plan ", " until then ", " please ", " previously ", " earlier ", " originally ",
    " baseline ", " used to ", " was ", " were ", " had ", " you ", " your ", " upstream ",
    " ci ", " says ", " said ", " claims ", " example ", " remaining ", " says that ", " to ",
}

-- What makes a failure word harmless: ` with no failures`, ` 0 failed`.
local NO_FAILURES = {
    " no failures ", " zero failures ", " without failures ", " 0 failures ", " 0 failed ",
    " no failing tests ", " nothing failed ", " none failed ",
}

-- Words before `tests pass` that leave it a claim about all of them.
local WHOLE = {
    all = true, the = true, ["and"] = true, our = true, now = true, full = true, entire = true,
    existing = true, its = true, so = true, test = true, done = true, confirmed = true,
    verified = true, that = true, complete = true,
}

---@class perilune.Claim
---@field kind "test" | "build" | "fixed"
---@field text string  the clause, as written

-- Fenced code, quoted lines, quoted words and open check boxes are not the agent's own word.
local function own_words(text)
    local kept, fenced = {}, false
    for line in (text .. "\n"):gmatch("([^\n]*)\n") do
        if line:find("^%s*```") or line:find("^%s*~~~") then
            fenced = not fenced
        elseif not fenced and not line:find("^%s*>") and not line:find("%[ %]") then
            kept[#kept + 1] = line
        end
    end
    local own = table.concat(kept, "\n")
    return (own:gsub('"[^"\n]*"', " quoted "):gsub("“[^”\n]*”", " quoted "))
end

local function code_word(code)
    local run = runs.of({ name = "Bash", input = { command = code }, result = "" })
    if not run then return " code " end
    return run.kind == "build" and " BUILDCMD " or " TESTCMD "
end

-- A clause as the lists above expect it.
local function plain(clause)
    local marked = clause:gsub("`([^`]*)`", code_word)
    local words = {}
    for word in marked:gsub("[’']", ""):gmatch("[%w_/]+") do
        words[#words + 1] = (word == "TESTCMD" or word == "BUILDCMD") and word or word:lower()
    end
    return " " .. table.concat(words, " ") .. " "
end

local function has_any(clause, phrases)
    for _, phrase in ipairs(phrases) do
        if clause:find(phrase, 1, true) then return phrase end
    end
    return nil
end

-- `the parser tests pass` is about some tests: whatever else failed does not belie it.
local function is_whole(clause, phrase)
    if not phrase:find("^ tests ") then return true end
    local head = clause:sub(1, (clause:find(phrase, 1, true)))
    local before = head:match("([%w_/]+) $")
    if head:find(" %d+ of [%a ]*%d+ $") then return false end
    local passed, all = (before or ""):match("^(%d+)/(%d+)$")
    return not before or WHOLE[before] or before:find("^%d+$") ~= nil
        or passed ~= nil and passed == all
end

local function kind_of(clause)
    local stripped = clause
    for _, phrase in ipairs(NO_FAILURES) do
        local at, stop = stripped:find(phrase, 1, true)
        if at then stripped = stripped:sub(1, at) .. stripped:sub(stop + 1) end
    end
    for _, kind in ipairs(KINDS) do
        local phrase = has_any(stripped, CLAIMS[kind])
        if phrase and (kind ~= "test" or is_whole(stripped, phrase)) then
            return not has_any(stripped, UNSURE) and kind or nil
        end
    end
    return nil
end

-- Sentences, then clauses: what stands behind a `but` or a semicolon does not change what
-- stands before it.
local function clauses(text)
    local out = {}
    local marked = text
        :gsub("([.!?])%s", "%1\n")
        :gsub(";", "\n"):gsub(" — ", "\n"):gsub(" – ", "\n")
        :gsub(",? but ", "\n"):gsub(",? though ", "\n"):gsub(",? however ", "\n")
        :gsub(", and ", "\n"):gsub(", so ", "\n")
    for clause in marked:gmatch("[^\n]+") do
        if #out == MAX_CLAUSES then break end
        if not clause:find("%?[%s*_]*$") then out[#out + 1] = clause end
    end
    return out
end

--- The claims in `text`, in order, at most one of each kind.
---@param text string
---@return perilune.Claim[]
function M.find(text)
    local found, seen = {}, {}
    local last = text:sub(-MAX_BYTES)
    if not has_any(last:lower(), STEMS) then return found end
    for _, clause in ipairs(clauses(own_words(last))) do
        local kind = kind_of(plain(clause))
        if kind and not seen[kind] then
            seen[kind] = true
            local bare = clause:gsub("%*%*", ""):gsub("^[%s%-*#]*", ""):gsub("^%[[xX]%]%s*", "")
            found[#found + 1] = { kind = kind, text = bare:match("^(.-)[%s.!]*$") }
        end
    end
    return found
end

return M
