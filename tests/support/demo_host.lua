-- A host in miniature: takes a Claude Code transcript, shows its steps to observers and puts
-- what they say to a policy, with the windows, the deferral and the taken fingerprints of the
-- real one (contracts: window, policies). It lets the shipped Lua be tested together without
-- the core, and says which outcome a recording should have.
local json = require("json")
local testing = require("perilune.testing")
local text = require("perilune.text")

local M = {}

local function add_blocks(scene, calls, record)
    local answer = record.message.id
    for _, block in ipairs(record.message.content) do
        if block.type == "text" then
            scene[#scene + 1] = { text = block.text }
        elseif block.type == "tool_use" then
            local last = scene[#scene]
            local entry = { call = block.name, input = block.input, answer = answer }
            entry.parallel = last.answer == answer
            scene[#scene + 1] = entry
            calls[block.id] = entry
        end
    end
end

local function add_results(calls, record)
    for _, block in ipairs(record.message.content) do
        local entry = calls[block.tool_use_id]
        entry.result, entry.is_error = block.content, block.is_error
        entry.exit_code = tonumber(block.content:match("^Exit code (%d+)\n"))
    end
end

--- The scene (perilune.testing) a transcript tells. `fields` are added to it.
function M.scene(transcript, fields)
    local scene, calls = {}, {}
    for key, value in pairs(fields) do scene[key] = value end
    for record in json.lines(transcript) do
        if record.type == "assistant" then
            add_blocks(scene, calls, record)
        elseif record.type == "user" and type(record.message.content) == "table" then
            add_results(calls, record)
        elseif record.type == "user" then
            scene.cwd = record.cwd
            scene[#scene + 1] = { user = record.message.content }
        end
    end
    scene.user = table.remove(scene, 1).user
    return scene
end

local Host = {}
Host.__index = Host

local function without_numbers(words)
    return (words:gsub("%d+", ""))
end

local function policy_ctx(host)
    return testing.policy_ctx({
        taken = host.taken, state = host.state,
        similar = function(p)
            local best = 0
            for _, earlier in ipairs(host.delivered) do
                best = math.max(best, text.covered(without_numbers(p.text),
                    without_numbers(earlier)))
            end
            return best
        end,
        new_input = function() return host.step > host.delivered_at end,
        vetoes = function(observer, fingerprint)
            local spent = host.vetoes
            return { key = spent[observer .. "\n" .. fingerprint] or 0,
                observer = spent[observer] or 0, session = spent.session or 0 }
        end,
    })
end

function Host:note(p, verdict, came_back)
    local outcome = { turn = self.turn, observer = p.observer, kind = p.kind, text = p.text,
        verdict = verdict.verdict, lane = verdict.lane, reason = verdict.reason,
        came_back = came_back }
    self.outcomes[#self.outcomes + 1] = outcome
    if verdict.verdict == "drop" then return end
    self.taken[p.fingerprint] = true
    if verdict.verdict == "defer" then
        table.insert(self.deferred, p)
        return
    end
    self.delivered[#self.delivered + 1] = p.text
    self.delivered_at = self.step
    if p.kind ~= "veto" then return end
    for _, key in ipairs({ p.observer .. "\n" .. p.fingerprint, p.observer, "session" }) do
        self.vetoes[key] = (self.vetoes[key] or 0) + 1
    end
end

function Host:release()
    local waiting = self.deferred
    self.deferred = {}
    for _, p in ipairs(waiting) do
        self:note(p, testing.deliver(self.policy, p, self.ctx), true)
    end
end

function Host:open_window(run_state)
    self.ctx.left, self.ctx.run_state = { advisories = 2, vetoes = 1 }, run_state
    self:release()
end

function Host:proposals(turn)
    local batch = {}
    for i, spec in ipairs(self.observers) do
        local said = testing.run(spec, turn, self.contexts[i])
        if said then
            self.count = self.count + 1
            batch[#batch + 1] = testing.proposal({
                id = "p" .. self.count, observer = spec.name,
                kind = said.veto and "veto" or "advisory", text = said.veto or said.advise,
                fingerprint = said.fingerprint, severity = said.severity or spec.severity,
                priority = spec.priority, step = turn.step, turn = turn.turn,
            })
        end
    end
    return batch
end

function Host:decide(batch)
    self:release()
    local decisions = testing.decide(self.policy, batch, self.ctx)
    for _, p in ipairs(batch) do self:note(p, decisions[p.id], false) end
end

--- Runs a scene; the outcomes in order.
function M.run(scene, observers, policy)
    local host = setmetatable({
        observers = observers, policy = policy, contexts = {}, outcomes = {}, taken = {},
        delivered = {}, deferred = {}, state = {}, turn = 0, step = 0, delivered_at = -1,
        vetoes = {}, count = 0,
    }, Host)
    for i in ipairs(observers) do host.contexts[i] = { state = {} } end
    host.ctx = policy_ctx(host)
    for _, turn in ipairs(testing.steps(scene)) do
        host.step = turn.step
        if turn.turn > host.turn then
            host.turn = turn.turn
            host:open_window("running")
        end
        local batch = host:proposals(turn)
        if #batch > 0 then host:decide(batch) end
        if turn.ending then host:open_window("settled") end
    end
    return host.outcomes
end

return M
