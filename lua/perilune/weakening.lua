-- Marks by which tests are weakened: in a test file a skip, an assertion that always holds, a
-- check that is gone; in what runs the tests a failure that is swallowed, a test that is left
-- out, a lower threshold. Lines are given trimmed.
local paths = require("perilune.paths")

local M = {}

-- Marks that keep a test from running. Each stands at the head of a trimmed line or behind a
-- blank, so that a helper called `myskip(` is none.
local SKIPS = {
    "^@pytest%.mark%.skip", "^@pytest%.mark%.xfail", "^pytestmark%s*=.*skip", "pytest%.skip%(",
    "pytest%.xfail%(", "^@unittest%.skip", "^@unittest%.expectedFailure", "self%.skipTest%(",
    "^raise [%w.]*SkipTest", "^x?it%.skip%(", "^test%.skip%(", "^describe%.skip%(",
    "^context%.skip%(", "^suite%.skip%(", "^test%.fixme%(", "^test%.fails%(", "^it%.fails%(",
    "^xit[%(%s]", "^xtest%(", "^xdescribe[%(%s]", "^xcontext%s", "^it%.todo%(", "^test%.todo%(",
    "^#%[ignore", "%f[%w][tb]%.Skip[f(N]", "^@Disabled", "^@Ignore%f[%W]",
    "^@Test%(enabled%s*=%s*false", "^pending[%(%s]", "^skip%s+[\"']", "^@tag :skip",
    "GTEST_SKIP", "markTestSkipped", "markTestIncomplete", "^%[Ignore", "^%[%a+%(Skip%s*=",
    "^throw XCTSkip", "[,{]%s*skip:%s*true",
}

-- Marks that leave out all the other tests.
local ONLY = {
    "^it%.only%(", "^test%.only%(", "^describe%.only%(", "^context%.only%(", "^fit%(",
    "^fdescribe%(", "^suite%.only%(",
}

-- Assertions that hold whatever the program does.
local HOLLOW = {
    "^assert True%f[%W]", "^assert 1%s*$", "assertTrue%(%s*[Tt]rue%s*%)", "^assert!%(true%)",
    "expect%(%s*true%s*%)%.toBe%(%s*true", "expect%(%s*1%s*%)%.toBe%(%s*1%s*%)",
    "^assert%(%s*true%s*%)", "assert%.True%(t,%s*true",
}

-- Lines that make a test or check something in it.
local SUBSTANCE = {
    "^def test", "^async def test", "^func Test", "^it%(", "^test%(", "^@Test", "^#%[test%]",
    "%f[%w_]assert%f[^%w_]", "%f[%w]assert%u%a+%(", "^assert[%s%(!_]", "expect%(", "%.should",
    "t%.Error", "t%.Fatal", "CHECK%(", "REQUIRE%(", "EXPECT_", "ASSERT_",
}

-- Options of a runner that leave tests out, and settings that do.
local LEAVES_OUT = {
    "%-%-deselect[= ]%S+", "%-%-ignore%-glob[= ]%S+", "test.*(%-k[= ]*[\\\"']+not )",
    "addopts.*(%-k[= ]*[\\\"']+not )", "test.*(%-%-skip[= ])", "testPathIgnorePatterns",
    "%-DskipTests", "maven%.test%.skip", "^collect_ignore", "%-%-test%-skip%-pattern",
    "pytest.*(%-%-ignore[= ]%S+)", "addopts.*(%-%-ignore[= ]%S+)",
}

-- Keys of a share that has to be covered.
local SHARES = {
    "fail_under", "fail%-under", "minimum_coverage", "coverage_threshold", "min_coverage",
    "check%-coverage",
}
local JS_SHARES = { "lines", "branches", "functions", "statements" }
local JS_FILES = { "package%.json$", "jest%.config", "vitest%.config", "vite%.config", "nycrc",
    "c8rc" }

local CODE = {}
for ending in ("py js ts tsx jsx mjs cjs rb go rs java kt scala c cc cpp cxx cs fs php ex exs"
    .. " sh bats lua swift dart"):gmatch("%S+") do
    CODE[ending] = true
end

local function is_comment(line)
    return line:find("^#[^%[]") or line:find("^//") or line:find("^%-%-%s")
end

local function finds(line, patterns)
    for _, pattern in ipairs(patterns) do
        if line:find(pattern) then return true end
    end
    return false
end

local function hits(lines, patterns)
    local count, first = 0, nil
    for _, line in ipairs(lines) do
        if not is_comment(line) and finds(line, patterns) then
            count, first = count + 1, first or line
        end
    end
    return count, first
end

--- How many of `lines` skip a test, and the first of them.
---@param lines string[]
---@return integer count
---@return string? first
function M.skips(lines) return hits(lines, SKIPS) end

--- How many of `lines` leave out all other tests, and the first of them.
---@param lines string[]
---@return integer count
---@return string? first
function M.only(lines) return hits(lines, ONLY) end

--- How many of `lines` check nothing, and the first of them.
---@param lines string[]
---@return integer count
---@return string? first
function M.hollow(lines) return hits(lines, HOLLOW) end

--- How many of `lines` make a test or check something, and the first.
---@param lines string[]
---@return integer count
---@return string? first
function M.substance(lines) return hits(lines, SUBSTANCE) end

--- True if the file at `path` holds tests, not what they need or leave behind.
---@param path string
---@return boolean
function M.holds_tests(path)
    local name, folders = paths.base(path), "/" .. path:lower()
    if not CODE[name:match("%.(%a+)$") or ""] then return false end
    if paths.is_test(name) then return true end
    return paths.is_test(path) and not folders:find("/fixtures?/") and
        not folders:find("/testdata/") and not folders:find("/__snapshots__/") and
        not folders:find("/__pycache__/") and not name:find("[*?$]")
end

--- True if a file of tests that goes to `to` is run no more: it has another name or ending.
---@param from string
---@param to string
---@return boolean
function M.is_put_away(from, to)
    if paths.is_scratch(to) or not M.holds_tests(to) then return true end
    return paths.is_test(paths.base(from)) and not paths.is_test(paths.base(to))
end

local function is_runner(path)
    local name = paths.base(path)
    return name == "package.json" or name == "Makefile" or name == "tox.ini"
        or name == "pytest.ini" or name == "setup.cfg" or name == "pyproject.toml"
        or name == "conftest.py" or name == "justfile" or name == "pom.xml"
        or name == ".coveragerc" or name == ".simplecov" or name:find("^%.?nycrc")
        or name:find("^%.c8rc") or name:find("^[jv]%a+%.config%.") or name:find("%.ya?ml$")
        or name:find("%.sh$")
end

-- `docker rm test-db || true` runs no test.
local function runs_tests(line)
    return line:find("test%f[^%w_-]") and not line:find("docker", 1, true)
end

local function share_of(line, keys)
    for _, key in ipairs(keys) do
        local number = line:match(key .. "[\"']?%s*[:=%s(]%s*[\"']?(%d+%.?%d*)")
        if number then return key, tonumber(number) end
    end
    return nil
end

-- The line that asks for less to be covered than one that went did.
local function lowered(path, added, removed)
    local keys = SHARES
    for _, pattern in ipairs(JS_FILES) do
        if paths.base(path):find(pattern) then keys = JS_SHARES end
    end
    local before = {}
    for _, line in ipairs(removed) do
        local key, share = share_of(line, keys)
        if key then before[key] = share end
    end
    for _, line in ipairs(added) do
        local key, share = share_of(line, keys)
        if key and before[key] and share < before[key] then return line end
    end
    return nil
end

--- What a change does to a file that says how tests are run: the line, and which rule it
--- breaks. nil: nothing bad.
---@param change perilune.Change
---@param added string[]
---@param removed string[]
---@return string? line
---@return ("swallow" | "left-out" | "threshold" | "unrun")? rule
function M.of_runner(change, added, removed)
    if not is_runner(change.path) then return nil end
    for _, line in ipairs(added) do
        local lets_go = line:find("^continue%-on%-error:%s*true") and change.new:find("test")
        local swallows = runs_tests(line) and line:find("||%s*true")
        if swallows or lets_go or line:find("passWithNoTests") then return line, "swallow" end
        if not is_comment(line) and finds(line, LEAVES_OUT) then return line, "left-out" end
    end
    local line = lowered(change.path, added, removed)
    if line then return line, "threshold" end
    local is_ci = change.path:find("%.ya?ml$") ~= nil
    local gone = change.old ~= "" and is_ci and removed or {}
    for _, old in ipairs(gone) do
        local ran = old:find("^%-?%s*run:") and runs_tests(old) and not is_comment(old)
        local still = false
        for _, new in ipairs(added) do still = still or runs_tests(new) end
        if ran and not still then return old, "unrun" end
    end
    return nil
end

--- The option by which a test run leaves tests out, or nil.
---@param command string
---@return string?
function M.left_out(command)
    for _, pattern in ipairs(LEAVES_OUT) do
        local option = command:match(pattern)
        if option then return option end
    end
    return nil
end

return M
