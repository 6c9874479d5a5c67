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
local match = require("perilune.match")
local text = require("perilune.text")

local M = {}

local STATE_MAX_BYTES = 4096
local FINGERPRINT_MAX = 512
local CAPABILITY = { advise = "advise", veto = "veto", report = "report" }

--- Runs the Lua file `path`, relative to the spec that calls this, and returns what it returns.
---@param path string
---@return table
function M.load(path)
    local caller = debug.getinfo(2, "S").source:match("^@(.*/)") or ""
    local file = path:sub(1, 1) == "/" and path or caller .. path
    return assert(loadfile(file))()
end

-- Scenes --------------------------------------------------------------------------------------

---@class perilune.SceneEntry  one of text, call, user, note
---@field text string?         the assistant says
---@field call string?         a tool call of this name, with:
---@field input table|string?
---@field result string?       absent: none came
---@field is_error boolean?
---@field exit_code integer?
---@field denied string?       the reason it was refused with
---@field parallel boolean?    belongs to the same answer as the call before it
---@field user string?         a new turn begins
---@field note string?         a message that is neither the user's nor the agent's

local Builder = {}
Builder.__index = Builder

local function builder_new(scene)
    return setmetatable({
        scene = scene, seq = 0, step = 0, turn = 0,
        turns = {}, items = {}, calls = {}, closed = true, last_user = nil,
    }, Builder)
end

function Builder:add(kind, fields)
    self.seq = self.seq + 1
    fields.kind, fields.seq, fields.step = kind, self.seq, self.step
    self.items[#self.items + 1] = fields
    return fields
end

function Builder:open_step()
    if not self.closed then return end
    self.step, self.closed = self.step + 1, false
    for _, item in ipairs(self.items) do item.step = self.step end
end

local function copy(value)
    if type(value) ~= "table" then return value end
    local out = {}
    for key, inner in pairs(value) do out[key] = copy(inner) end
    return out
end

local function repeats_in(calls)
    return function(call)
        local key, result, times, same = match.key(call), call.result, 0, 0
        for _, other in ipairs(calls) do
            if match.key(other) == key then
                times = times + 1
                if other.result == result then same = same + 1 end
            end
        end
        return times, same
    end
end

local READERS = { Read = true, read = true, read_file = true }

local function files_of(calls)
    local files, by_path = {}, {}
    for _, call in ipairs(calls) do
        local paths = match.edits(call)
        local read = READERS[call.name] and type(call.input) == "table" and call.input.file_path
        if read then paths = { read } end
        for _, path in ipairs(paths) do
            local file = by_path[path] or { path = path, read = false, edited = false }
            if not by_path[path] then files[#files + 1] = file end
            by_path[path], file.seq = file, call.seq
            if read then file.read = true else file.edited = true end
        end
    end
    return files
end

local function goal_of(goal)
    if type(goal) ~= "string" then return goal end
    return { text = goal, items = {} }
end

-- Ends the open step: what `turn_end` shows is now complete.
function Builder:close_step(ending)
    if self.closed then return end
    local calls, scene = copy(self.calls), self.scene
    self.turns[#self.turns + 1] = {
        step = self.step, turn = self.turn, items = self.items, last_user = self.last_user,
        cwd = scene.cwd or "/home/dev/project",
        usage = scene.usage or { input = 0, output = 0 },
        ending = ending, goal = goal_of(scene.goal), files = files_of(calls),
        calls = function() return calls end, repeats = repeats_in(calls),
    }
    self.items, self.closed, self.called = {}, true, false
end

function Builder:say_user(words)
    self:close_step(not self.called)
    self.turn, self.calls, self.last_user = self.turn + 1, {}, words
    self:add("user_message", { text = words })
end

function Builder:say_assistant(words)
    if self.called then self:close_step(false) end
    self:open_step()
    self:add("assistant_text", { text = words })
end

function Builder:make_call(entry)
    if self.called and not entry.parallel then self:close_step(false) end
    self:open_step()
    self.called = true
    local id = ("call_%d"):format(self.seq + 1)
    local input = entry.input or {}
    local call = { name = entry.call, input = input, call_id = id }
    local item = self:add("tool_call", copy(call))
    local failed = entry.is_error or (entry.exit_code or 0) ~= 0
    call.seq, call.step, call.exit_code = item.seq, self.step, entry.exit_code
    call.result, call.is_error = entry.denied or entry.result, failed
    call.denied = entry.denied ~= nil
    self.calls[#self.calls + 1] = call
    if entry.denied then
        self:add("tool_denied", { name = entry.call, text = entry.denied, call_id = id })
    elseif entry.result then
        self:add("tool_result", { text = entry.result, call_id = id, is_error = failed,
            exit_code = entry.exit_code })
    end
end

function Builder:entry(entry)
    if entry.user then
        self:say_user(entry.user)
    elseif entry.text then
        self:say_assistant(entry.text)
    elseif entry.call then
        self:make_call(entry)
    else
        self:add("non_user_message", { name = "system", text = assert(entry.note) })
    end
end

--- The turns of a scene, one for each step, as `turn_end` shows them. A step is an answer with
--- its calls; an answer without calls ends its turn unless `scene.ending` says otherwise.
---@param scene table  { user = S?, cwd = S?, goal = T?, ending = B?, usage = T?, entry, ... }
---@return perilune.Turn[]
function M.steps(scene)
    local builder = builder_new(scene)
    builder:say_user(scene.user or "Please fix it.")
    for _, entry in ipairs(scene) do builder:entry(entry) end
    local ending = scene.ending
    if ending == nil then ending = not builder.called end
    builder:close_step(ending)
    return builder.turns
end

--- The last step of a scene.
---@param scene table
---@return perilune.Turn
function M.turn(scene)
    local turns = M.steps(scene)
    return turns[#turns]
end

-- Observers -----------------------------------------------------------------------------------

local function has(list, word)
    for _, one in ipairs(type(list) == "table" and list or { list }) do
        if one == word then return true end
    end
    return false
end

local function encoded_bytes(value)
    if type(value) ~= "table" then return #tostring(value) + 2 end
    local bytes = 2
    for key, inner in pairs(value) do
        bytes = bytes + #tostring(key) + 4 + encoded_bytes(inner)
    end
    return bytes
end

local function check_text(spec, kind, words)
    assert(type(words) == "string" and words:find("%S"), kind .. " is blank")
    local max = kind == "report" and 2000 or spec.max_advisory_chars or 300
    assert(text.clip(words, max) == words, kind .. " is longer than " .. max .. ": " .. words)
end

-- What the host checks of a proposal (spec PI-5).
local function check_proposal(spec, proposal)
    assert(type(proposal) == "table", "observe must return nil or a table")
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
    if spec.wake and not spec.wake(turn) then return nil end
    local proposal = spec.observe(turn, ctx)
    assert(encoded_bytes(ctx.state) <= STATE_MAX_BYTES, "ctx.state is over 4 KiB")
    return proposal and check_proposal(spec, proposal) or nil
end

--- Runs an observer on every step of a scene with one ctx.
---@param spec perilune.ObserverSpec
---@param scene table
---@return { proposal: perilune.Proposal, text: string, step: integer, turn: integer }[]
function M.replay(spec, scene)
    local said, ctx = {}, { state = {} }
    for _, turn in ipairs(M.steps(scene)) do
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
        run_state = "running", local_time = { hour = 12, min = 0 }, state = {},
        age = 0, similar = 0, new_input = true, overtaken = false, taken = {},
        vetoes = { key = 0, observer = 0, session = 0 },
    }
    for key, value in pairs(fields or {}) do ctx[key] = value end
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

return M
