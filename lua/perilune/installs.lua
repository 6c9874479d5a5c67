-- What a command line installs, whatever the package manager: the names, and where they come
-- from if not from the public registry. Knows names that are easily mistyped, because packages
-- under such names have been used to attack.
local shell = require("perilune.shell")

local M = {}

-- Program and the verb by which it installs what is named behind it.
local VERBS = {
    pip = { install = true }, pip3 = { install = true },
    npm = { install = true, i = true, add = true }, pnpm = { add = true, install = true },
    yarn = { add = true }, bun = { add = true }, uv = { add = true }, poetry = { add = true },
}
local REGISTRIES = { ["--registry"] = true, ["--index-url"] = true, ["-i"] = true,
    ["--extra-index-url"] = true, ["--find-links"] = true }
local PUBLIC = { ["pypi.org"] = true, ["files.pythonhosted.org"] = true,
    ["registry.npmjs.org"] = true, ["registry.yarnpkg.com"] = true, ["test.pypi.org"] = true,
    ["download.pytorch.org"] = true, ["localhost"] = true, ["127.0.0.1"] = true }

local POPULAR, BY_LENGTH = {}, {}
for name in ([[requests numpy pandas django flask fastapi pydantic sqlalchemy pytest setuptools
    cryptography pillow boto3 urllib3 selenium beautifulsoup4 tensorflow pytorch scipy
    matplotlib httpx aiohttp celery redis psycopg2 jinja2 openai anthropic langchain express
    react lodash axios typescript webpack eslint prettier commander chalk moment mongoose
    electron request next jest mocha vite preact redux socket dotenv cross-env underscore
    winston sequelize nodemon passport puppeteer playwright vitest svelte angular
    tailwindcss]]):gmatch("%S+") do
    POPULAR[name] = true
    BY_LENGTH[#name] = BY_LENGTH[#name] or {}
    table.insert(BY_LENGTH[#name], name)
end
local MIN_BYTES = 6 -- shorter names are near to each other by chance
local MAX_NAMES = 20 -- looked at of one command

-- `python -m pip install`, `uv pip install` as `pip install`.
local function settled(command)
    local name, operands = command.name, shell.operands(command.args)
    if name:find("^python") and command.args[1] == "-m" and operands[1] == "pip" then
        name = "pip"
        table.remove(operands, 1)
    elseif name == "uv" and operands[1] == "pip" then
        name = "pip"
        table.remove(operands, 1)
    end
    return name, operands
end

local function host_of(url)
    local place = (url:match("^git%+(.*)$") or url):match("^%a+://([^/]+)")
    return place and (place:match("@(.+)$") or place):match("^[%w.-]+")
end

--- The package a command installs from elsewhere than the public registry, and from where.
--- nil: none.
---@param command perilune.ShellCommand
---@return string? name
---@return string? host
function M.foreign(command)
    local name, operands = settled(command)
    if not VERBS[name] or not VERBS[name][operands[1]] then return nil end
    for i, arg in ipairs(command.args) do
        local option, url = arg:match("^(%-%-[%w-]+)=(.+)$")
        if not option then option, url = arg, command.args[i + 1] or "" end
        local host = REGISTRIES[option] and host_of(url)
        if host and not PUBLIC[host] then return operands[#operands], host end
    end
    for i = 2, #operands do
        -- `name @ URL` too
        local host = host_of(operands[i]:match("^[%w._-]+%s*@%s*(.+)$") or operands[i])
        if host and not PUBLIC[host] then return operands[i], host end
    end
    return nil
end

-- One letter more, less, other, or two swapped; of lengths that differ by one at most.
local function is_near(a, b)
    if a == b then return false end
    local at = 1
    while at <= #a and a:byte(at) == b:byte(at) do at = at + 1 end
    local rest, other = a:sub(at), b:sub(at)
    if #a == #b then
        local swapped = rest:sub(2, 2) .. rest:sub(1, 1) .. rest:sub(3)
        return rest:sub(2) == other:sub(2) or (#rest > 1 and swapped == other)
    end
    return #a > #b and rest:sub(2) == other or #b > #a and other:sub(2) == rest
end

--- The well-known package whose name `name` nearly is; nil if it is one itself or like none.
---@param name string
---@return string?
function M.misspelt(name)
    name = name:lower()
    if #name < MIN_BYTES or POPULAR[name] or name:find("[/@]") then return nil end
    for length = #name - 1, #name + 1 do
        for _, popular in ipairs(BY_LENGTH[length] or {}) do
            if is_near(name, popular) then return popular end
        end
    end
    return nil
end

--- The names a command installs, without versions; empty if it installs none by name.
---@param command perilune.ShellCommand
---@return string[]
function M.names(command)
    local name, operands = settled(command)
    local out = {}
    local last = VERBS[name] and VERBS[name][operands[1]] and #operands or 0
    for i = 2, math.min(last, MAX_NAMES + 1) do
        out[#out + 1] = operands[i]:match("^[%w._-]+")
    end
    return out
end

return M
