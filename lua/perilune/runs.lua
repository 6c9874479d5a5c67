-- Knows a test run and a build when it sees one among an agent's calls, and how it ended. The
-- verdict is "unknown" wherever a pipe, a `|| true` or a cut output hides the truth: an
-- observer that speaks only when sure stays silent then.
local match = require("perilune.match")
local results = require("perilune.results")
local shell = require("perilune.shell")

local M = {}

-- Programs that are test runners whatever their arguments.
local TESTERS = {
    pytest = true, ["py.test"] = true, tox = true, nox = true, jest = true, vitest = true,
    mocha = true, ava = true, rspec = true, phpunit = true, pest = true, busted = true,
    ctest = true, bats = true, ginkgo = true, gotestsum = true, prove = true, karma = true,
}

-- Programs that compile or check whatever their arguments.
local BUILDERS = {
    tsc = true, ninja = true, gcc = true, ["g++"] = true, cc = true, clang = true,
    ["clang++"] = true, javac = true, rustc = true, webpack = true,
}

-- Programs whose first operand says what they do.
local VERBS = {
    go = { test = "test", build = "build", vet = "build", install = "build" },
    cargo = { test = "test", nextest = "test", t = "test", build = "build", check = "build",
        b = "build" },
    npm = { test = "test", t = "test" }, pnpm = { test = "test", build = "build" },
    yarn = { test = "test", build = "build" }, bun = { test = "test", build = "build" },
    deno = { test = "test", check = "build" }, mix = { test = "test", compile = "build" },
    make = { test = "test", check = "test", tests = "test", all = "build", build = "build" },
    just = { test = "test", build = "build" }, task = { test = "test", build = "build" },
    mvn = { test = "test", verify = "test", package = "build", compile = "build" },
    gradle = { test = "test", check = "test", build = "build", assemble = "build" },
    dotnet = { test = "test", build = "build" }, swift = { test = "test", build = "build" },
    bazel = { test = "test", build = "build" }, meson = { test = "test", compile = "build" },
    ninja = { test = "test", check = "test" }, zig = { test = "test", build = "build" },
    rails = { test = "test" }, rake = { test = "test", spec = "test" },
    composer = { test = "test" }, flutter = { test = "test", build = "build" },
    sbt = { test = "test", compile = "build" }, stack = { test = "test", build = "build" },
    cabal = { test = "test", build = "build" }, vite = { build = "build" },
    next = { build = "build" }, playwright = { test = "test" },
}
VERBS.gradlew, VERBS.mvnw, VERBS.gmake = VERBS.gradle, VERBS.mvn, VERBS.make

-- Programs that run another one: `npm run NAME`, `poetry run pytest`, `python -m pytest`.
local RUNNERS = {
    npm = "run", pnpm = "run", yarn = "run", bun = "run", poetry = "run", uv = "run",
    pipenv = "run", hatch = "run", pdm = "run", bundle = "exec", rye = "run", deno = "task",
}

---@class perilune.Run
---@field kind "test" | "build" | "maybe"   maybe: something that may have run tests
---@field verdict "passed" | "failed" | "unknown"
---@field command string   as the agent wrote it, on one line
---@field passed integer?
---@field failed integer?

local function by_name(name)
    if TESTERS[name] then return "test" end
    if BUILDERS[name] then return "build" end
    return nil
end

-- What a script or target of this name may do.
local function by_word(word)
    word = word:lower()
    if word:find("^test") or word:find("[:_/-]tests?$") or word:find("^spec") then
        return "test"
    end
    if word:find("^build") or word:find("^compile") then return "build" end
    if word:find("test") or word:find("check") or word:find("verify") or word:find("spec")
        or word:find("%f[%a]ci%f[%A]") then
        return "maybe"
    end
    return nil
end

local function of_verbs(name, operands)
    local verbs = VERBS[name]
    if not verbs then return nil end
    local kind
    for _, operand in ipairs(operands) do
        local found = verbs[operand]
        if found == "test" then return "test" end
        kind = kind or found
    end
    return kind
end

-- What `python -m MODULE`, `python manage.py test`, `node --test` do.
local function of_interpreter(name, args)
    if name:find("^python[%d.]*$") then
        for i, arg in ipairs(args) do
            if arg == "-m" then
                local module = args[i + 1] or ""
                return module == "unittest" and "test" or by_name(module)
            end
        end
    end
    if name == "node" and args[1] == "--test" then return "test" end
    return nil
end

-- The script a line runs, judged by its name: `python run_tests.py`, `./dev check`.
local function of_script(command, operands)
    if command.name:find("^python") or command.name == "bash" or command.name == "sh"
        or command.name == "node" then
        return (operands[1] and by_word(operands[1])) and "maybe" or nil
    end
    local written = command.words[1] or ""
    if written:find("/", 1, true) then
        return (by_word(command.name) or (operands[1] and by_word(operands[1]))) and "maybe"
    end
    return nil
end

local function kind_of(command)
    local name, operands = command.name, shell.operands(command.args)
    if name == "cmake" then
        return shell.has_flag(command.args, nil, "--build") and "build" or nil
    end
    if RUNNERS[name] and operands[1] == RUNNERS[name] and operands[2] then
        return by_name(operands[2]) or by_word(operands[2])
    end
    local kind = of_verbs(name, operands) or of_interpreter(name, command.args) or by_name(name)
    if kind then return kind end
    if name == "make" or name == "gmake" then
        return operands[1] and by_word(operands[1]) or (not operands[1] and "build") or nil
    end
    return of_script(command, operands)
end

-- True if the status of the whole line is that of `list[index]`, when the line succeeded or
-- (`failed`) when it did not.
local function status_shows(list, index, failed)
    for i = index, #list do
        local sep = list[i].sep
        if i == #list then return sep ~= "&" end
        if sep ~= "&&" or failed then return false end
    end
    return true
end

local function verdict_of(call, counts, list, index)
    if not call.result then return "unknown" end
    local failed = match.failed(call)
    if counts and counts.failed > 0 then return "failed" end
    if call.result:sub(1, 400):lower():find("timed out", 1, true) then return "unknown" end
    if failed then
        return (not counts and status_shows(list, index, true)) and "failed" or "unknown"
    end
    if counts and counts.passed > 0 then return "passed" end
    return status_shows(list, index, false) and "passed" or "unknown"
end

-- The strongest word on what a line of commands does: a test beats a build beats a maybe.
local RANK = { test = 3, build = 2, maybe = 1 }

local function find_run(list)
    local best, at
    for i, command in ipairs(list) do
        local kind = kind_of(command)
        if kind and (not best or RANK[kind] >= RANK[best]) then best, at = kind, i end
    end
    return best, at
end

local function is_background(call)
    return type(call.input) == "table" and call.input.run_in_background == true
end

--- The test run or build that `call` is, or nil. A refused call is none.
---@param call perilune.Call
---@return perilune.Run?
function M.of(call)
    if call.denied then return nil end
    local command = match.command(call)
    if not command then
        -- A tool server's own test tool: what it did is known, how it went is not.
        local named = call.name and call.name:lower():find("test", 1, true)
        return named and { kind = "maybe", verdict = "unknown", command = call.name } or nil
    end
    local list = match.commands(call)
    local kind, at = find_run(list)
    if not kind then return nil end
    local run = { kind = kind, verdict = "unknown", command = match.title(call) }
    if is_background(call) then return run end
    local output = call.result or ""
    if kind == "test" and results.is_empty(output) then
        run.kind = "maybe"
        return run
    end
    local counts = kind ~= "build" and results.counts(output) or nil
    if counts then run.passed, run.failed = counts.passed, counts.failed end
    run.verdict = verdict_of(call, counts, list, at)
    return run
end

-- The index in `list` of the command that is `wanted`, more arguments allowed; the last one.
local function index_of(list, wanted)
    local at
    for i, command in ipairs(list) do
        local same = command.name == wanted.name
        for k, arg in ipairs(wanted.args) do same = same and command.args[k] == arg end
        if same then at = i end
    end
    return at
end

--- How the command line `wanted` ended, if `call` ran it; nil if it did not.
---@param call perilune.Call
---@param wanted string
---@return "passed" | "failed" | "unknown" | nil
function M.check(call, wanted)
    local target = shell.commands(wanted)
    if call.denied or #target == 0 then return nil end
    local list = match.commands(call)
    local at = index_of(list, target[#target])
    if not at then return nil end
    if is_background(call) then return "unknown" end
    return verdict_of(call, results.counts(call.result or ""), list, at)
end

return M
