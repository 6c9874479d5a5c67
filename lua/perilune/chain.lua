-- A chain of policies over batches of proposals, with the core's arithmetic: windows, budgets,
-- deferral, what was taken, vetoes spent, and the clamp that has the last word. Part of the
-- test kit (perilune.testing); not part of the sandbox. tests/e2e/kit_test.sh holds it to the
-- core's own decisions. Only the ceilings of `limits.session` and `limits.day` are left out.
local ledger = require("perilune.chain_books")

local M = {}

local VERDICTS = { deliver = true, defer = true, drop = true }
local LANES = { steer = true, prompt = true, follow_up = true, hold = true, user = true,
    log = true }
local OFF_WINDOW = { user = true, log = true }
local OVER = { stopped = "the session was stopped", ended = "the session has ended" }
local TEXT_MAX_CP = 2000

local Chain = {}
Chain.__index = Chain

local function drop(reason)
    return { verdict = "drop", reason = reason, policy = "core" }
end

local function call(policy, fold, ...)
    local function told(problem)
        return ("policy %s: %s: %s"):format(tostring(policy.name), fold, tostring(problem))
    end
    local answer = { xpcall(policy[fold], told, ...) }
    return select(2, assert(unpack(answer, 1, table.maxn(answer))))
end

--- A chain with nothing said yet. `policies` are asked in order.
---@param policies perilune.Policy[]
---@param limits perilune.Limits
---@param clock table  a perilune.virtual_clock
function M.new(policies, limits, clock)
    local chain = setmetatable({
        policies = policies, clock = clock, run_state = "running", turn = 1, step = 0,
        work_count = 0, released = {}, states = {}, overtaken = function() return false end,
    }, Chain)
    chain.books = ledger.new(limits)
    for i in ipairs(policies) do chain.states[i] = {} end
    return chain
end

-- What policy number `at` may ask; only `state` can be written to.
function Chain:ctx(at)
    local books = self.books
    local facts = {
        left = { advisories = self.left.advisories, vetoes = self.left.vetoes },
        limits = { advisories_per_turn = books.limits.advisories_per_turn,
            veto_budget = books.limits.veto_budget },
        run_state = self.run_state, local_time = self.clock:local_time(),
        state = self.states[at],
        age = function(p) return math.max(self.step - p.step, 0) end,
        similar = function(p) return books:similar(p) end,
        new_input = function() return books:has_new_input(self.work_count) end,
        overtaken = function(p) return self.overtaken(p) == true end,
        taken = function(fingerprint) return books.taken[fingerprint] == true end,
        vetoes = function(observer, fingerprint) return books:vetoes(observer, fingerprint) end,
    }
    return setmetatable({}, { __index = facts, __newindex = function(_, key)
        error("ctx is read-only but for ctx.state: " .. tostring(key), 2)
    end })
end

-- What the window may still deliver, as the policies see and narrow it.
function Chain:open_judging()
    local books = self.books
    local most = { advisories = books.limits.advisories_per_turn, vetoes = 1 }
    self.left = books:left_of(most)
    local asked = { advisories = most.advisories, vetoes = most.vetoes }
    for i, policy in ipairs(self.policies) do
        if policy.budget then
            asked = call(policy, "budget", asked, self:ctx(i))
            assert(type(asked) == "table" and asked.advisories and asked.vetoes,
                policy.name .. ": budget must return advisories and vetoes")
        end
    end
    self.left = books:left_of({ advisories = math.min(asked.advisories, most.advisories),
        vetoes = math.min(asked.vetoes, most.vetoes) })
end

-- Asks one policy; what it neither keeps nor drops is dropped in its name.
function Chain:reconcile_with(at, kept, rulings, into)
    local policy, known, still = self.policies[at], {}, {}
    for _, p in ipairs(kept) do known[p] = true end
    local order, dropped = call(policy, "reconcile", kept, self:ctx(at))
    local result = {}
    for _, p in ipairs(order) do
        assert(known[p], policy.name .. ": reconcile kept what it was not given")
        if not still[p] then result[#result + 1] = p end
        still[p] = true
    end
    for _, entry in ipairs(dropped or {}) do
        local p = entry.proposal
        assert(type(entry.reason) == "string" and entry.reason:find("%S"),
            policy.name .. ": a drop needs a reason")
        if known[p] and not still[p] then
            rulings[p] = { verdict = "drop", reason = entry.reason, policy = policy.name }
            into[p] = still[entry.into] and entry.into or nil
        end
    end
    for _, p in ipairs(kept) do
        if not still[p] and not rulings[p] then
            rulings[p] = drop("policy " .. policy.name .. ": neither kept nor dropped it")
        end
    end
    return result
end

local function starting_point(left, p)
    local ruling = { lane = p.deliver, policy = "core", verdict = "deliver",
        reason = "within the window's budget" }
    if p.kind == "veto" then
        ruling.lane = "hold"
        if left.vetoes <= 0 then
            ruling.verdict, ruling.reason = "drop", "this window has had its veto"
        end
    elseif left.advisories <= 0 then
        ruling.verdict, ruling.reason = "defer", "the window's budget is spent"
    end
    return ruling
end

local function clamp_told(books, ruling)
    if ruling.lane == "user" and books:is_user_told_enough() then
        return drop("the session's ceiling of notes to the user is reached")
    end
    return ruling
end

local function clamp_veto(self, p, ruling)
    local books = self.books
    if ruling.verdict == "defer" then return drop("a veto cannot wait") end
    if books:is_held(p, self.work_count) then
        if books.held_told then
            return drop("vetoed again with no work between; the user was told")
        end
        return clamp_told(books, { verdict = "deliver", lane = "user", policy = "core",
            reason = "vetoed again with no work between" })
    end
    if self.left.vetoes <= 0 then return drop("this window has had its veto") end
    return books:is_veto_spent(p) and drop("the veto budget is spent") or ruling
end

-- The ceilings: whatever the policies say, it only ever gets less.
local function clamp(self, p, ruling)
    if ruling.verdict == "drop" then return ruling end
    local over = OVER[self.run_state]
    if over and ruling.verdict == "defer" then return drop(over) end
    if OFF_WINDOW[ruling.lane] then return clamp_told(self.books, ruling) end
    if over then return drop(over) end
    if ruling.lane == "hold" then
        if p.kind == "veto" then return clamp_veto(self, p, ruling) end
        return drop("only a veto may hold the agent")
    end
    if ruling.verdict == "defer" then return ruling end
    if self.books:is_agent_told_enough() then
        return drop("the session's ceiling of advice is reached")
    end
    if p.severity == "blocker" and self.books:has_enough_blockers() then
        return drop("the session's ceiling of blockers is reached")
    end
    if self.left.advisories <= 0 then
        return { verdict = "defer", lane = ruling.lane, policy = "core",
            reason = "the window's budget is spent", ttl_turns = ruling.ttl_turns }
    end
    return ruling
end

local function check_verdict(policy, said)
    assert(type(said) == "table" and VERDICTS[said.verdict],
        policy.name .. ": deliver must return deliver, defer or drop")
    assert(type(said.reason) == "string" and said.reason:find("%S"),
        policy.name .. ": a verdict needs a reason")
    assert(said.lane == nil or LANES[said.lane], policy.name .. ": no such lane")
end

function Chain:verdict(p)
    local ruling = starting_point(self.left, p)
    for i, policy in ipairs(self.policies) do
        if policy.deliver then
            local asked = { verdict = ruling.verdict, lane = ruling.lane,
                reason = ruling.reason, ttl_turns = ruling.ttl_turns }
            local said = call(policy, "deliver", asked, p, self:ctx(i))
            check_verdict(policy, said)
            local lane = said.lane or ruling.lane
            local same = said.verdict == ruling.verdict and lane == ruling.lane
                and said.reason == ruling.reason
            ruling = { verdict = said.verdict, lane = lane, reason = said.reason,
                ttl_turns = said.ttl_turns, policy = same and ruling.policy or policy.name }
        end
    end
    return clamp(self, p, ruling)
end

function Chain:count(p, ruling)
    local counter = self.books:deliver(p, ruling.lane, self.work_count)
    if counter then self.left[counter] = self.left[counter] - 1 end
end

function Chain:release(p, ruling)
    ruling.proposal = p
    self.released[#self.released + 1] = ruling
end

-- Oldest first; what still has to wait stays where it is.
function Chain:judge_deferred()
    local books = self.books
    local waiting = books.deferred
    books.deferred = {}
    for _, entry in ipairs(waiting) do
        local p = entry.proposal
        local late = entry.expires and self.turn > entry.expires
        local ruling = late and drop("waited too long") or self:verdict(p)
        if ruling.verdict == "defer" then
            books.deferred[#books.deferred + 1] = entry
        else
            books.taken[p.fingerprint] = nil
            if ruling.verdict == "deliver" then self:count(p, ruling) end
            self:release(p, ruling)
        end
    end
end

local function characters(words)
    return select(2, words:gsub("[^\128-\191]", ""))
end

-- `p` in one note with those that were dropped into it.
local function joined(p, batch, into)
    local note, words, used = nil, p.text, characters(p.text)
    for _, more in ipairs(batch) do
        if into[more] == p then
            used = used + characters(more.text) + 3
            if used > TEXT_MAX_CP then break end
            words = words .. " / " .. more.text
            note = note or {}
        end
    end
    if not note then return p end
    for key, value in pairs(p) do note[key] = value end
    note.text = words
    return note
end

function Chain:judge_new(p, batch, into)
    local note = joined(p, batch, into)
    local ruling, books = self:verdict(note), self.books
    if ruling.verdict == "deliver" then self:count(note, ruling) end
    if ruling.verdict == "defer" then
        local expires = (ruling.ttl_turns or 0) > 0 and self.turn + ruling.ttl_turns or nil
        local evicted = books:wait(note, expires)
        if evicted then self:release(evicted, drop("the deferral queue is full")) end
    end
    if note ~= p and books.taken[p.fingerprint] then
        for more, target in pairs(into) do
            if target == p then books.taken[more.fingerprint] = true end
        end
    end
    return ruling
end

--- Judges a batch of at most 64 proposals.
---@param batch perilune.PolicyProposal[]
---@return table[] decisions  { verdict, lane?, reason, policy } of each, in the batch's order
function Chain:decide(batch)
    assert(#batch <= 64, "a batch has at most 64 proposals")
    self.released = {}
    if #batch == 0 then return {} end
    self:open_judging()
    self:judge_deferred()
    local kept, rulings, into = batch, {}, {}
    for i, policy in ipairs(self.policies) do
        if policy.reconcile then kept = self:reconcile_with(i, kept, rulings, into) end
    end
    for _, p in ipairs(kept) do rulings[p] = self:judge_new(p, batch, into) end
    local decisions = {}
    for i, p in ipairs(batch) do decisions[i] = rulings[p] end
    return decisions
end

--- A new window of the same session: what waited is judged again.
---@return table[] released  { verdict, lane?, reason, policy, proposal } of each
function Chain:open_window()
    self.turn, self.released = self.turn + 1, {}
    self.books:open_window()
    if #self.books.deferred > 0 then
        self:open_judging()
        self:judge_deferred()
    end
    return self.released
end

return M
