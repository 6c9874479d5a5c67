-- The clock of specs: it stands still until a spec moves it, and counts in UTC. Part of the
-- test kit (perilune.testing); not part of the sandbox.
local M = {}

local DAY_MS = 24 * 60 * 60 * 1000
local UNIT_MS = { days = DAY_MS, hours = 60 * 60 * 1000, minutes = 60 * 1000, seconds = 1000 }

local Clock = {}
Clock.__index = Clock

-- Days since 1970-01-01, by the proleptic Gregorian calendar.
local function days_of(year, month, day)
    local y = month <= 2 and year - 1 or year
    local era = math.floor(y / 400)
    local of_era = y - era * 400
    local of_year = math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
    return era * 146097 + of_era * 365 + math.floor(of_era / 4) - math.floor(of_era / 100)
        + of_year - 719468
end

local function refuse(text)
    error("no time such as 2026-01-31T22:00 or 22:00: " .. tostring(text), 3)
end

--- A clock that shows `text`; noon of 2026-01-01 without one.
---@param text string?  "2026-01-31T22:00" or "22:00"
function M.new(text)
    local clock = setmetatable({ now_ms = days_of(2026, 1, 1) * DAY_MS + DAY_MS / 2 }, Clock)
    if text then clock:set(text) end
    return clock
end

--- Puts the clock to a moment; a time alone is one of the day it shows.
---@param text string
function Clock:set(text)
    local date, hour, min = tostring(text):match("^([%d-]*)T?(%d%d):(%d%d)")
    local days = math.floor(self.now_ms / DAY_MS)
    if not date or tonumber(hour) > 23 or tonumber(min) > 59 then refuse(text) end
    if date ~= "" then
        local year, month, day = date:match("^(%d%d%d%d)-(%d%d)-(%d%d)$")
        if not year then refuse(text) end
        days = days_of(tonumber(year), tonumber(month), tonumber(day))
    end
    local minutes = tonumber(hour) * 60 + tonumber(min)
    self.now_ms = days * DAY_MS + minutes * UNIT_MS.minutes
end

--- Lets time pass.
---@param span { days: number?, hours: number?, minutes: number?, seconds: number? }
function Clock:pass(span)
    for unit, count in pairs(span) do
        self.now_ms = self.now_ms + count * assert(UNIT_MS[unit], "no unit of time: " .. unit)
    end
end

--- What `ctx.local_time` shows at this moment.
---@return perilune.LocalTime
function Clock:local_time()
    local shown = os.date("!*t", math.floor(self.now_ms / 1000))
    return { year = shown.year, month = shown.month, day = shown.day, hour = shown.hour,
        min = shown.min, wday = shown.wday }
end

return M
