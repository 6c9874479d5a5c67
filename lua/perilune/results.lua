-- Reads how many tests passed and failed out of what a test runner printed. One line pattern a
-- runner; a runner whose words we do not know gives nil, never a guess.
local M = {}

-- The summary stands at the end; a long log is read from there.
local MAX_BYTES = 12000
local MAX_LINES = 400

---@class perilune.Counts
---@field passed integer
---@field failed integer

local function number(s)
    return tonumber(s) or 0
end

-- Counts named anywhere in a line, in any order: `2 failed, 14 passed in 0.31s`.
local function named(line, passed_word, failed_word, error_word)
    local failed = number(line:match("(%d+) " .. failed_word))
    if error_word then failed = failed + number(line:match("(%d+) " .. error_word)) end
    return number(line:match("(%d+) " .. passed_word)), failed
end

-- { pattern that tells the line, reader of its counts }. The first that matches a line wins.
local LINES = {
    { "^test result: ", function(l) return named(l, "passed", "failed") end }, -- cargo
    { "^Tests:%s.*total", function(l) return named(l, "passed", "failed") end }, -- jest
    { "^%s+Tests%s+%d", function(l) return named(l, "passed", "failed") end }, -- vitest
    { "tests passed, %d+ tests failed out of %d+", function(l) -- ctest
        local failed, all = l:match("(%d+) tests failed out of (%d+)")
        return number(all) - number(failed), number(failed)
    end },
    { "%d+ success%w* / %d+ failure", function(l) -- busted
        return named(l, "success", "failure", "error")
    end },
    { "^=*%s*%d+ %a+.* in %d+%.?%d*s", function(l) -- pytest
        return named(l, "passed", "failed", "error")
    end },
    { "^%s*%d+ passing", function(l) return named(l, "passing", "failing") end }, -- mocha
    { "^%s*%d+ failing", function(l) return named(l, "passing", "failing") end },
    { "^%d+ examples?, %d+ failures?", function(l) -- rspec
        local all, failed = l:match("^(%d+) examples?, (%d+)")
        return number(all) - number(failed), number(failed)
    end },
    { "^OK %(%d+ tests?", function(l) return number(l:match("%d+")), 0 end }, -- phpunit
    { "Tests run: %d+, Failures: %d+", function(l) -- junit, maven
        local failed = number(l:match("Failures: (%d+)")) + number(l:match("Errors: (%d+)"))
        return number(l:match("Tests run: (%d+)")) - failed, failed
    end },
    { "^Tests: %d+, Assertions", function(l) -- phpunit
        local failed = number(l:match("Failures: (%d+)")) + number(l:match("Errors: (%d+)"))
        return number(l:match("Tests: (%d+)")) - failed, failed
    end },
    { "Failed:%s+%d+, Passed:%s+%d+", function(l) -- dotnet
        return number(l:match("Passed:%s+(%d+)")), number(l:match("Failed:%s+(%d+)"))
    end },
    { "^FAILED %([%w_]+=%d+", function(l) -- unittest
        return 0, number(l:match("failures=(%d+)")) + number(l:match("errors=(%d+)"))
    end },
    { "^Ran %d+ tests? in", function(l) return number(l:match("%d+")), 0 end },
    -- TAP; node --test puts an "i" of three bytes where others put `#`.
    { "^[#\226\132\185 ]*pass %d+", function(l) return number(l:match("pass (%d+)")), 0 end },
    { "^[#\226\132\185 ]*fail %d+", function(l) return 0, number(l:match("fail (%d+)")) end },
    { "^ok  %s*%S+%s+[%d(]", function() return 1, 0 end }, -- go, a package
    { "^FAIL%s+%S+%s+[%d%[]", function() return 0, 1 end },
    { "^PASS: ", function() return 1, 0 end }, -- automake
    { "^FAIL: ", function() return 0, 1 end },
}

-- A run that found nothing to run says nothing about the tests.
local EMPTY = {
    "no tests ran", "no tests found", "no test files", "collected 0 items",
    "no tests were found", "file or directory not found", "no test specified",
}

local function read_line(line)
    for _, entry in ipairs(LINES) do
        if line:find(entry[1]) then return entry[2](line) end
    end
    return nil
end

--- The counts in a runner's output, summed over its parts; nil if it names none.
---@param output string
---@return perilune.Counts?
function M.counts(output)
    local tail = output:sub(-MAX_BYTES)
    local passed, failed, found, lines = 0, 0, false, 0
    for line in tail:gmatch("[^\r\n]+") do
        lines = lines + 1
        if lines > MAX_LINES then break end
        if line:find("%d") and #line < 300 then
            local p, f = read_line((line:gsub("\27%[[%d;]*m", "")))
            if p then passed, failed, found = passed + p, failed + f, true end
        end
    end
    return found and { passed = passed, failed = failed } or nil
end

--- True if the runner says that there was nothing to run.
---@param output string
---@return boolean
function M.is_empty(output)
    local tail = output:sub(-MAX_BYTES):lower()
    for _, phrase in ipairs(EMPTY) do
        if tail:find(phrase, 1, true) then return true end
    end
    return false
end

return M
