-- The books behind perilune.chain: what a window has used, what was taken, what waits, vetoes
-- spent. Counts as core/policy does; decides nothing. Part of the test kit (perilune.testing);
-- not part of the sandbox.
local shingles = require("perilune.shingles")

local M = {}

local DEFER_MAX, TEXTS_KEPT, SESSION_MAX, BLOCKERS_MAX = 100, 16, 200, 50

local Books = {}
Books.__index = Books

--- The books of a fresh session.
---@param limits perilune.Limits
function M.new(limits)
    return setmetatable({
        limits = limits, used = { advisories = 0, vetoes = 0 }, taken = {}, deferred = {},
        texts = {}, text_count = 0, work_then = 0, spent = {}, spent_by = {}, spent_all = 0,
        advisories = 0, blockers = 0, told = 0, held = nil, held_told = false,
    }, Books)
end

function Books:open_window()
    self.used = { advisories = 0, vetoes = 0 }
end

function Books:left_of(most)
    return { advisories = math.max(most.advisories - self.used.advisories, 0),
        vetoes = math.max(most.vetoes - self.used.vetoes, 0) }
end

function Books:similar(p)
    local mine, best = shingles.of(p.text), 0
    for _, theirs in pairs(self.texts) do
        best = math.max(best, shingles.alike(mine, theirs))
    end
    return best
end

function Books:has_new_input(work)
    return self.text_count == 0 or work > self.work_then
end

local function veto_key(observer, fingerprint)
    return #observer .. ":" .. observer .. fingerprint
end

function Books:vetoes(observer, fingerprint)
    return { key = self.spent[veto_key(observer, fingerprint)] or 0,
        observer = self.spent_by[observer] or 0, session = self.spent_all }
end

function Books:is_veto_spent(p)
    local spent, budget = self:vetoes(p.observer, p.fingerprint), self.limits.veto_budget
    return spent.key >= budget or spent.observer >= 2 * budget or spent.session >= 4 * budget
end

-- The veto that held the agent last, again, and nothing was done since.
function Books:is_held(p, work)
    local held = self.held
    return held and held.work == work and held.observer == p.observer
        and held.fingerprint == p.fingerprint and held.text == p.text
end

function Books:is_user_told_enough()
    return self.told >= SESSION_MAX
end

function Books:is_agent_told_enough()
    return self.advisories >= SESSION_MAX
end

function Books:has_enough_blockers()
    return self.blockers >= BLOCKERS_MAX
end

function Books:spend_veto(p)
    local key = veto_key(p.observer, p.fingerprint)
    self.spent[key] = (self.spent[key] or 0) + 1
    self.spent_by[p.observer] = (self.spent_by[p.observer] or 0) + 1
    self.spent_all = self.spent_all + 1
end

--- Counts a delivery; returns which of the window's counters it takes from, if any.
function Books:deliver(p, lane, work)
    if p.kind ~= "veto" then self.taken[p.fingerprint] = true end
    if lane == "user" then self.told = self.told + 1 end
    if lane == "user" or lane == "log" then
        if p.kind == "veto" and self:is_held(p, work) then self.held_told = true end
        return nil
    end
    self.texts[self.text_count % TEXTS_KEPT] = shingles.of(p.text)
    self.text_count, self.work_then = self.text_count + 1, work
    local counter = lane == "hold" and "vetoes" or "advisories"
    self.used[counter] = self.used[counter] + 1
    if lane == "hold" then
        self.held_told = false
        self.held = { observer = p.observer, fingerprint = p.fingerprint, text = p.text,
            work = work }
        self:spend_veto(p)
    else
        self.advisories = self.advisories + 1
        if p.severity == "blocker" then self.blockers = self.blockers + 1 end
    end
    return counter
end

--- Lets `p` wait; returns the oldest one if it had to make room.
function Books:wait(p, expires)
    local evicted
    if #self.deferred == DEFER_MAX then
        evicted = table.remove(self.deferred, 1).proposal
        self.taken[evicted.fingerprint] = nil
    end
    self.deferred[#self.deferred + 1] = { proposal = p, expires = expires }
    self.taken[p.fingerprint] = true
    return evicted
end

return M
