-- A JSON reader for tests, independent of the one under test. Objects become tables, arrays
-- sequences, null json.null; a lone surrogate escape becomes U+FFFD. Strict otherwise:
-- json.decode raises with the offset of what does not fit.
local M = { null = setmetatable({}, { __tostring = function() return "null" end }) }

local REPLACEMENT = "\239\191\189"
local ESCAPES = {
    ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}
local WORDS = { { "true", true }, { "false", false }, { "null", M.null } }

local function fail(at, what) error(("offset %d: %s"):format(at - 1, what), 0) end

local function utf8_of(code)
    local floor, char = math.floor, string.char
    if code < 0x80 then return char(code) end
    if code < 0x800 then return char(0xC0 + floor(code / 64), 0x80 + code % 64) end
    if code < 0x10000 then
        return char(0xE0 + floor(code / 4096), 0x80 + floor(code / 64) % 64, 0x80 + code % 64)
    end
    return char(0xF0 + floor(code / 262144), 0x80 + floor(code / 4096) % 64,
        0x80 + floor(code / 64) % 64, 0x80 + code % 64)
end

-- The text of the escape \uXXXX whose digits start at `at`, and the offset behind it.
local function unicode_escape(text, at)
    local digits = text:match("^%x%x%x%x", at) or fail(at, "bad \\u escape")
    local unit = tonumber(digits, 16)
    if unit < 0xD800 or unit > 0xDFFF then return utf8_of(unit), at + 4 end
    local low = tonumber(text:match("^\\u([Dd][C-Fc-f]%x%x)", at + 4) or "", 16)
    if unit > 0xDBFF or not low then return REPLACEMENT, at + 4 end
    return utf8_of(0x10000 + (unit - 0xD800) * 1024 + low - 0xDC00), at + 10
end

-- The string whose opening quote is at `at`, and the offset behind its closing one.
local function read_string(text, at)
    local parts = {}
    at = at + 1
    while true do
        local stop = text:find('["\\]', at) or fail(at, "string without end")
        parts[#parts + 1] = text:sub(at, stop - 1)
        if text:byte(stop) == 34 then return table.concat(parts), stop + 1 end
        local letter = text:sub(stop + 1, stop + 1)
        if letter == "u" then
            parts[#parts + 1], at = unicode_escape(text, stop + 2)
        else
            parts[#parts + 1] = ESCAPES[letter] or fail(stop, "bad escape")
            at = stop + 2
        end
    end
end

local function skip_blank(text, at) return text:find("[^ \t\r\n]", at) or #text + 1 end

local read_value

local function read_array(text, at)
    local list = {}
    at = skip_blank(text, at + 1)
    if text:sub(at, at) == "]" then return list, at + 1 end
    while true do
        list[#list + 1], at = read_value(text, at)
        at = skip_blank(text, at)
        local mark = text:sub(at, at)
        if mark == "]" then return list, at + 1 end
        if mark ~= "," then fail(at, "',' or ']' expected") end
        at = skip_blank(text, at + 1)
    end
end

local function read_object(text, at)
    local object = {}
    at = skip_blank(text, at + 1)
    if text:sub(at, at) == "}" then return object, at + 1 end
    while true do
        if text:sub(at, at) ~= '"' then fail(at, "member name expected") end
        local key
        key, at = read_string(text, at)
        at = skip_blank(text, at)
        if text:sub(at, at) ~= ":" then fail(at, "':' expected") end
        object[key], at = read_value(text, skip_blank(text, at + 1))
        at = skip_blank(text, at)
        local mark = text:sub(at, at)
        if mark == "}" then return object, at + 1 end
        if mark ~= "," then fail(at, "',' or '}' expected") end
        at = skip_blank(text, at + 1)
    end
end

function read_value(text, at)
    local first = text:sub(at, at)
    if first == '"' then return read_string(text, at) end
    if first == "{" then return read_object(text, at) end
    if first == "[" then return read_array(text, at) end
    for _, word in ipairs(WORDS) do
        if text:sub(at, at + #word[1] - 1) == word[1] then return word[2], at + #word[1] end
    end
    local number = text:match("^-?%d+%.?%d*[eE]?[+-]?%d*", at)
    local value = tonumber(number or "") or fail(at, "value expected")
    return value, at + #number
end

-- The value of the JSON text `text`, of which nothing may be left over.
function M.decode(text)
    local value, at = read_value(text, skip_blank(text, 1))
    at = skip_blank(text, at)
    if at <= #text then fail(at, "more text behind the value") end
    return value
end

-- Walks the records of JSON lines, skipping lines that are none:
-- for record in json.lines(text) do ... end
function M.lines(text)
    local next_line = text:gmatch("[^\n]+")
    return function()
        for line in next_line do
            local ok, record = pcall(M.decode, line)
            if ok and type(record) == "table" then return record end
        end
    end
end

return M
