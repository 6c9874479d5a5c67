-- What a script finds when the host runs it, for specs: the names of the sandbox and no others,
-- views that know their fields and cannot be changed, plain values within their sizes. So a
-- spec fails where the host would refuse. Part of the test kit (perilune.testing); not part of
-- the sandbox.
local M = {}

-- Globals stand under "".
local NAMES = {
    [""] = "assert error getmetatable ipairs next pairs pcall print rawequal rawget rawset"
        .. " select setmetatable tonumber tostring type unpack",
    bit = "arshift band bnot bor bswap bxor lshift rol ror rshift tobit tohex",
    coroutine = "create resume running status wrap yield",
    math = "abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log"
        .. " log10 max min modf pi pow rad sin sinh sqrt tan tanh",
    string = "byte char find format gmatch gsub len lower match rep reverse sub upper",
    table = "concat insert maxn remove sort",
}

local FIELDS = {
    turn = "agent agent_name calls cwd dropped ending files goal items last_user memory repeats"
        .. " session skills step trigger turn usage",
    item = "call_id exit_code input is_error kind name seq step text turn",
    call = "call_id denied exit_code input is_error name result seq step turn",
}

local STATE_MAX_BYTES, MAX_DEPTH = 4096, 32
M.names, M.fields = NAMES, FIELDS

local function set_of(words)
    local set = {}
    for word in words:gmatch("%S+") do set[word] = true end
    return set
end

-- Scripts -------------------------------------------------------------------------------------

local function require_shipped(name)
    local shipped = type(name) == "string" and name:find("^perilune%.")
    if not shipped then error(("module '%s' not found"):format(tostring(name)), 2) end
    return require(name)
end

--- The globals a script has, made anew for each.
---@return table
function M.globals()
    local env = { require = require_shipped }
    for library, words in pairs(NAMES) do
        local from = library == "" and _G or _G[library] or require(library)
        local to = library == "" and env or {}
        for word in pairs(set_of(words)) do to[word] = from[word] end
        if library ~= "" then env[library] = to end
    end
    env._G = env
    return env
end

--- Runs a file as a script of the host's; returns what it returns.
---@param path string
---@return any
function M.load(path)
    return setfenv(assert(loadfile(path)), M.globals())()
end

-- Views ---------------------------------------------------------------------------------------

local function view(noun, values)
    local known = set_of(FIELDS[noun])
    return setmetatable({}, {
        __index = function(_, key)
            local value = values[key]
            if value ~= nil or known[key] then return value end
            error(('%s has no field "%s"'):format(noun, tostring(key)), 2)
        end,
        __newindex = function() error("read-only: " .. noun .. " cannot be changed", 2) end,
    })
end

local function views(noun, list)
    local out = {}
    for i, values in ipairs(list) do out[i] = view(noun, values) end
    return out
end

--- A turn as `wake` and `observe` are given it.
---@param turn perilune.Turn
---@return perilune.Turn
function M.turn(turn)
    local calls, shown = turn.calls and views("call", turn.calls()), {}
    for key, value in pairs(turn) do shown[key] = value end
    shown.items = views("item", turn.items or {})
    shown.calls = calls and function() return { unpack(calls) } end
    return view("turn", shown)
end

-- Values --------------------------------------------------------------------------------------

local function text_bytes(text)
    local escaped = select(2, text:gsub('["\\\b\f\n\r\t]', ""))
    local control = select(2, text:gsub("[%z\1-\7\11\14-\31]", ""))
    return 2 + #text + escaped + 5 * control
end

local table_bytes

local function value_bytes(value, where, depth)
    local kind = type(value)
    if kind == "string" then return text_bytes(value) end
    if kind == "number" or kind == "boolean" then return #tostring(value) end
    assert(kind == "table", where .. ": " .. kind)
    assert(depth < MAX_DEPTH, where .. ": a cycle, or deeper than the limit of 32 levels")
    return table_bytes(value, where, depth + 1)
end

function table_bytes(value, where, depth)
    local bytes, count, texts = 2, 0, 0
    for key, inner in pairs(value) do
        count = count + 1
        if type(key) == "string" then
            texts, bytes = texts + 1, bytes + text_bytes(key) + 1
        end
        bytes = bytes + value_bytes(inner, where .. "." .. tostring(key), depth) + 1
    end
    assert(texts == count or (texts == 0 and #value == count),
        where .. ": a table whose keys are neither all texts nor 1, 2, 3, ...")
    return count > 0 and bytes - 1 or bytes
end

--- Fails unless the host could keep this table: plain values, no cycle, 4 KiB as JSON.
---@param value table
---@param what string  its name in the message
function M.check_plain(value, what)
    assert(type(value) == "table", what .. " is a " .. type(value) .. ", not a table")
    local bytes = table_bytes(value, what, 1)
    assert(bytes <= STATE_MAX_BYTES,
        ("%s is %d bytes as JSON, at most %d are kept"):format(what, bytes, STATE_MAX_BYTES))
end

return M
