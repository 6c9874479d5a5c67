-- The test kit of authors: builds the turns an observer sees from a short scene, runs observer
-- and policy on them and refuses what the host would refuse. For specs under busted; it is not
-- part of the sandbox.
--
--   local spec = testing.load("my-observer.lua")
--   local said = testing.replay(spec, {
--       user = "fix it",
--       { call = "Bash", input = { command = "make test" }, result = "", exit_code = 1 },
--       { text = "All tests pass." },
--   })
--   assert.equal(1, #said)
local chain = require("perilune.chain")
local scenes = require("perilune.scenes")
local strict = require("perilune.strict")
local virtual_clock = require("perilune.virtual_clock")
local text = require("perilune.text")

local M = {}

local FINGERPRINT_MAX, EVIDENCE_MAX = 512, 16
local CAPABILITY = { advise = "advise", veto = "veto", report = "report" }
local PROPOSAL_KEYS = { advise = true, veto = true, report = true, fingerprint = true,
    severity = true, evidence = true, data = true }
local SEVERITY = { nit = true, concern = true, blocker = true }

-- The plain `key: value` lines of a header, which is all that a test needs of it.
local function header_of(file)
    local from = assert(io.open(file, "rb"))
    local header = from:read("*a"):match("^%-%-%-\n(.-)\n%-%-%-\n")
    from:close()
    assert(header, "no header: " .. file)
    local spec = {}
    for key, value in header:gmatch("([%w_]+):%s*([^\n]*)") do
        local list = value:match("^%[(.*)%]$")
        spec[key] = tonumber(value) or value
        if list then
            spec[key] = {}
            for word in list:gmatch("[^%s,]+") do table.insert(spec[key], word) end
        end
    end
    return spec
end

--- Runs the Lua file `path`, relative to the spec that calls this; returns what it returns. It
--- has the names that scripts have in the host, and no others.
--- Of a Markdown observer, `NAME.md`, the header with what `NAME.lua` beside it adds.
---@param path string
---@return table
function M.load(path)
    local caller = debug.getinfo(2, "S").source:match("^@(.*/)") or ""
    local file = path:sub(1, 1) == "/" and path or caller .. path
    local stem = file:match("^(.*)%.md$")
    local spec = strict.load(stem and stem .. ".lua" or file)
    for key, value in pairs(stem and header_of(file) or {}) do spec[key] = value end
    return spec
end

--- The turns of a scene (perilune.scenes), one for each step, as `turn_end` shows them.
M.steps = scenes.steps

--- The last step of a scene.
---@param scene perilune.Scene
---@return perilune.Turn
function M.turn(scene)
    local turns = scenes.steps(scene)
    return turns[#turns]
end

-- Observers -----------------------------------------------------------------------------------

local function has(list, word)
    for _, one in ipairs(type(list) == "table" and list or { list }) do
        if one == word then return true end
    end
    return false
end

local function check_text(spec, kind, words)
    assert(type(words) == "string" and words:find("%S"), kind .. " is blank")
    local max = kind == "report" and 2000 or spec.max_advisory_chars or 300
    assert(text.clip(words, max) == words, kind .. " is longer than " .. max .. ": " .. words)
end

local function check_evidence(evidence)
    assert(type(evidence) == "table", "evidence is a " .. type(evidence) .. ", not a list")
    local count = 0
    for place, seq in pairs(evidence) do
        count = count + 1
        assert(type(seq) == "number" and seq % 1 == 0 and seq >= 0,
            ("evidence[%s] is not a whole number"):format(tostring(place)))
    end
    assert(count == #evidence, "evidence has holes")
    assert(count <= EVIDENCE_MAX, "evidence is not a list of at most 16 numbers")
end

-- What the host checks of a proposal (spec PI-5).
local function check_proposal(spec, proposal)
    assert(type(proposal) == "table", "observe must return nil or a table")
    for key in pairs(proposal) do
        assert(PROPOSAL_KEYS[key], ('unknown key "%s"'):format(tostring(key)))
    end
    assert(proposal.severity == nil or SEVERITY[proposal.severity],
        "severity is none of nit, concern, blocker")
    if proposal.evidence ~= nil then check_evidence(proposal.evidence) end
    if proposal.data ~= nil then strict.check_plain(proposal.data, "data") end
    local kind
    for word in pairs(CAPABILITY) do
        if proposal[word] ~= nil then
            assert(not kind, "one of advise, veto, report")
            kind = word
        end
    end
    assert(kind, "one of advise, veto, report is missing")
    assert(has(spec.can or { "advise" }, kind), spec.name .. " may not " .. kind)
    check_text(spec, kind, proposal[kind])
    local print = proposal.fingerprint
    if kind ~= "report" or print then
        assert(type(print) == "string" and print:find("%S"), "the fingerprint is blank")
        assert(text.clip(print, FINGERPRINT_MAX) == print, "the fingerprint is too long")
    end
    return proposal
end

--- Runs an observer once, as the host would.
---@param spec perilune.ObserverSpec
---@param turn perilune.Turn
---@param ctx perilune.Ctx?  kept by the caller to keep ctx.state; a fresh one if absent
---@return perilune.Proposal?
function M.run(spec, turn, ctx)
    ctx = ctx or { state = {} }
    ctx.observer = spec.name
    turn = strict.turn(turn)
    if spec.wake and not spec.wake(turn) then return nil end
    local proposal = spec.observe(turn, ctx)
    if ctx.state ~= nil then strict.check_plain(ctx.state, "ctx.state") end
    return proposal and check_proposal(spec, proposal) or nil
end

-- The moments of a scene that an observer is woken at.
local function moments(spec, scene)
    if has(spec.on, "before_agent_start") then return scenes.starts(scene) end
    return scenes.steps(scene)
end

--- Runs an observer on a scene with one ctx: on every step, or on every message of the user if
--- it waits for `before_agent_start`.
---@param spec perilune.ObserverSpec
---@param scene perilune.Scene
---@return { proposal: perilune.Proposal, text: string, step: integer, turn: integer }[]
function M.replay(spec, scene)
    local said, ctx = {}, { state = {} }
    for _, turn in ipairs(moments(spec, scene)) do
        local proposal = M.run(spec, turn, ctx)
        if proposal then
            said[#said + 1] = {
                proposal = proposal, step = turn.step, turn = turn.turn,
                text = proposal.advise or proposal.veto or proposal.report,
            }
        end
    end
    return said
end

-- Policies ------------------------------------------------------------------------------------

--- A proposal as policies see it; `fields` over sensible defaults.
---@param fields table
---@return perilune.PolicyProposal
function M.proposal(fields)
    local p = {
        id = "p1", observer = "reviewer", kind = "advisory", severity = "concern",
        priority = 50, deliver = "steer", text = "The lock is not released on the error path.",
        evidence = {}, step = 1, turn = 1,
    }
    for key, value in pairs(fields) do p[key] = value end
    p.fingerprint = p.fingerprint or p.id
    return p
end

--- A policy's ctx: a fresh window, nothing taken, nothing delivered; `fields` over it. `taken`
--- may be a set of fingerprints; `age`, `similar`, `vetoes` plain values instead of functions.
---@param fields table?
---@return perilune.PolicyCtx
function M.policy_ctx(fields)
    local ctx = {
        left = { advisories = 2, vetoes = 1 },
        limits = { advisories_per_turn = 2, veto_budget = 3 },
        run_state = "running", local_time = virtual_clock.new():local_time(), state = {},
        age = 0, similar = 0, new_input = true, overtaken = false, taken = {},
        vetoes = { key = 0, observer = 0, session = 0 },
    }
    local noon = ctx.local_time
    for key, value in pairs(fields or {}) do ctx[key] = value end
    for key, value in pairs(noon) do
        if ctx.local_time[key] == nil then ctx.local_time[key] = value end
    end
    for _, name in ipairs({ "age", "similar", "new_input", "overtaken", "vetoes" }) do
        local value = ctx[name]
        if type(value) ~= "function" then ctx[name] = function() return value end end
    end
    local taken = ctx.taken
    if type(taken) == "table" then
        ctx.taken = function(fingerprint) return taken[fingerprint] == true end
    end
    return ctx
end

--- Runs one batch through a policy as the core would: reconcile, budget, then deliver one by
--- one while the window empties.
---@param policy perilune.Policy
---@param batch perilune.PolicyProposal[]
---@param ctx perilune.PolicyCtx
---@return table<string, perilune.Verdict> decisions  by proposal id
---@return string[] order  ids of the kept proposals, best first
function M.decide(policy, batch, ctx)
    local decisions, order = {}, {}
    local kept, dropped = batch, {}
    if policy.reconcile then kept, dropped = policy.reconcile(batch, ctx) end
    for _, entry in ipairs(dropped) do
        assert(type(entry.reason) == "string" and entry.reason ~= "", "a drop needs a reason")
        decisions[entry.proposal.id] = { verdict = "drop", reason = entry.reason }
    end
    if policy.budget then ctx.left = policy.budget(ctx.left, ctx) end
    for i, p in ipairs(kept) do
        order[i] = p.id
        decisions[p.id] = M.deliver(policy, p, ctx)
    end
    return decisions, order
end

--- Puts one proposal to a policy's `deliver` and takes it out of the window if it is granted.
---@param policy perilune.Policy
---@param p perilune.PolicyProposal
---@param ctx perilune.PolicyCtx
---@return perilune.Verdict
function M.deliver(policy, p, ctx)
    local lane = p.kind == "veto" and "hold" or p.deliver
    local verdict = { verdict = "deliver", lane = lane, reason = "within budget" }
    if policy.deliver then verdict = policy.deliver(verdict, p, ctx) end
    assert(type(verdict.reason) == "string", "a verdict needs a reason")
    if verdict.verdict == "deliver" then
        local counter = p.kind == "veto" and "vetoes" or "advisories"
        local left = { advisories = ctx.left.advisories, vetoes = ctx.left.vetoes }
        left[counter] = left[counter] - 1
        ctx.left = left
    end
    return verdict
end

-- Chains of policies --------------------------------------------------------------------------

-- A shipped policy: the one beside the kit where that is found on package.path, else the
-- program's.
local function shipped(name)
    local kit = package.searchpath("perilune.testing", package.path)
    local root = kit and kit:match("^(.*)lua/perilune/testing%.lua$")
    if root then return assert(loadfile(root .. "policies/" .. name .. ".lua"))() end
    return require("perilune.policies." .. name)
end

local Desk = {}
Desk.__index = Desk

--- A chain of policies over one agent of one session, on a clock of its own, as the core runs
--- it. A policy that fails, fails the spec. Settable between calls: `run_state`, `overtaken` (a
--- function of a proposal); `clock:set("23:30")` and `clock:pass({ hours = 9 })` move time.
---@param options perilune.ChainOptions
---@return perilune.Desk
function M.policies(options)
    local policies, limits = {}, { advisories_per_turn = 2, veto_budget = 3 }
    for i, one in ipairs(options) do
        policies[i] = type(one) == "string" and shipped(one) or one
    end
    for key, value in pairs(options.limits or {}) do limits[key] = math.min(value, 10) end
    local inner = chain.new(policies, limits, virtual_clock.new(options.at))
    return setmetatable({ chain = inner, clock = inner.clock, made = 0 }, Desk)
end

function Desk:__newindex(key, value)
    assert(key == "run_state" or key == "overtaken", "not settable: " .. tostring(key))
    self.chain[key] = value
end

function Desk:sound_states()
    for _, state in ipairs(self.chain.states) do strict.check_plain(state, "ctx.state") end
end

--- One step of the agent, at the end of which its observers proposed this. `fields` go over
--- sensible defaults (testing.proposal).
---@param batch table[]
---@return table[] decisions  { verdict, lane, reason, policy } of each, in order
---@return table[] released   the same, with `proposal`, of what had waited and does no more
function Desk:batch(batch)
    local inner, proposals = self.chain, {}
    inner.step = inner.step + 1
    for i, fields in ipairs(batch) do
        rawset(self, "made", self.made + 1)
        proposals[i] = M.proposal(fields)
        proposals[i].id = fields.id or "p" .. self.made
        proposals[i].fingerprint = fields.fingerprint or proposals[i].id
        proposals[i].step, proposals[i].turn = inner.step, inner.turn
        if proposals[i].kind == "veto" then proposals[i].deliver = "hold" end
    end
    local decisions = inner:decide(proposals)
    self:sound_states()
    return decisions, inner.released
end

--- Opens a new window, and turn.
---@return table[] released  what had waited and does no more
function Desk:window()
    local released = self.chain:open_window()
    self:sound_states()
    return released
end

--- The agent works: so many tool calls.
---@param calls integer?  1 if left out
function Desk:work(calls)
    self.chain.work_count = self.chain.work_count + (calls or 1)
end

return M
