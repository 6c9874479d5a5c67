-- A set of texts that fits into ctx.state: six characters an entry, the oldest forgotten first.
-- It answers "was this here before", never "what was here". Two texts may share a mark: one in
-- a thousand million, and then an observer is silent or speaks once too often.
local M = {}

local MARK = 6
local DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
local HASHED_BYTES = 4096
local byte = string.byte

-- 36 bits in two halves, each kept where a double counts exactly.
local function mark(text)
    local a, b, count = 5381, 52711, math.min(#text, HASHED_BYTES)
    local whole = count - count % 4
    for i = 1, whole, 4 do -- four steps at once
        local p, q, r, s = byte(text, i, i + 3)
        a = (a * 1185921 + p * 35937 + q * 1089 + r * 33 + s) % 262144
        b = (b * 1874161 + p * 50653 + q * 1369 + r * 37 + s) % 262144
    end
    for i = whole + 1, count do
        local one = byte(text, i)
        a, b = (a * 33 + one) % 262144, (b * 37 + one) % 262144
    end
    a = (a + #text) % 262144
    local out = {}
    for i = 1, 3 do
        local low, high = a % 64, b % 64
        out[i], out[i + 3] = DIGITS:sub(low + 1, low + 1), DIGITS:sub(high + 1, high + 1)
        a, b = (a - low) / 64, (b - high) / 64
    end
    return table.concat(out)
end

local function place(set, wanted)
    local at = 1
    while true do
        at = set:find(wanted, at, true)
        if not at or at % MARK == 1 then return at end
        at = at + 1
    end
end

--- True if `text` was added to `set`.
---@param set string?  as kept in ctx.state; nil is empty
---@param text string
---@return boolean
function M.has(set, text)
    return set ~= nil and place(set, mark(text)) ~= nil
end

--- `set` with `text` in it, at most `max` entries.
---@param set string?
---@param text string
---@param max integer?  200 if absent: 1,200 bytes of the state
---@return string
function M.add(set, text, max)
    local wanted = mark(text)
    set = set or ""
    if place(set, wanted) then return set end
    return (set .. wanted):sub(-MARK * (max or 200))
end

--- How many entries `set` holds.
---@param set string?
---@return integer
function M.count(set)
    return #(set or "") / MARK
end

return M
