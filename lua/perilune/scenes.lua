-- Turns a short scene into the turns an observer is shown, as the host would make them. Part of
-- the test kit (perilune.testing), which authors require; not part of the sandbox.
local changes = require("perilune.changes")
local match = require("perilune.match")

local M = {}

local Builder = {}
Builder.__index = Builder

local function builder_new(scene)
    return setmetatable({
        scene = scene, seq = 0, step = 0, turn = 0,
        turns = {}, starts = {}, items = {}, calls = {}, closed = true, last_user = nil,
    }, Builder)
end

function Builder:add(kind, fields)
    self.seq = self.seq + 1
    fields.kind, fields.seq, fields.step, fields.turn = kind, self.seq, self.step, self.turn
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

local READERS = { Read = true, read = true, read_file = true, view = true, cat = true }

local function lines_in(words)
    local lines = 0
    for _ in words:gmatch("[^\n]+\n?") do lines = lines + 1 end
    return lines
end

local function file_entry(files, by_path, path, seq)
    local file = by_path[path]
        or { path = path, read = false, edited = false, added = 0, removed = 0 }
    if not by_path[path] then files[#files + 1] = file end
    by_path[path], file.seq = file, seq
    return file
end

local function files_of(calls)
    local files, by_path = {}, {}
    for _, call in ipairs(calls) do
        local input = type(call.input) == "table" and call.input or {}
        local path = input.file_path or input.path
        if READERS[call.name] and path then
            file_entry(files, by_path, path, call.seq).read = true
        end
        for _, edited in ipairs(match.is_editor(call) and match.edits(call) or {}) do
            file_entry(files, by_path, edited, call.seq).edited = true
        end
        for _, change in ipairs(match.is_editor(call) and changes.of(call) or {}) do
            local file = file_entry(files, by_path, change.path, call.seq)
            file.added = file.added + lines_in(change.new)
            file.removed = file.removed + lines_in(change.old)
        end
    end
    return files
end

local function goal_of(goal)
    if type(goal) ~= "string" then return goal end
    return { text = goal, items = {} }
end

local function usage_of(scene, entry)
    local usage = { input = 0, cached = 0, cache_created = 0, output = 0, context = 0 }
    for key, value in pairs(entry or scene.usage or {}) do usage[key] = value end
    return usage
end

-- What every trigger shows of this moment.
function Builder:view(trigger, ending)
    local calls, scene = copy(self.calls), self.scene
    return {
        step = self.step, turn = self.turn, items = self.items, last_user = self.last_user,
        cwd = scene.cwd or "/home/dev/project", session = "s1", agent = "main",
        agent_name = scene.agent_name or "main", trigger = trigger, dropped = 0,
        usage = usage_of(scene, self.usage), ending = ending, goal = goal_of(scene.goal),
        memory = scene.memory or {}, skills = scene.skills or {}, files = files_of(calls),
        calls = function() return calls end, repeats = repeats_in(calls),
    }
end

-- Ends the open step: what `turn_end` shows is now complete.
function Builder:close_step(ending)
    if self.closed then return end
    self.turns[#self.turns + 1] = self:view("turn_end", ending)
    self.items, self.closed, self.called = {}, true, false
end

function Builder:say_user(words)
    self:close_step(not self.called)
    self.turn, self.calls, self.last_user = self.turn + 1, {}, words
    self:add("user_message", { text = words })
    local shown, items = {}, self.items
    for i, item in ipairs(items) do shown[i] = copy(item) end
    self.items = shown
    self.starts[#self.starts + 1] = self:view("before_agent_start", false)
    self.items = items
end

function Builder:steer(words)
    self.last_user = words
    self:add("user_message", { text = words })
end

function Builder:say_assistant(words, parallel)
    if self.called and not parallel then self:close_step(false) end
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
    call.seq, call.step, call.turn = item.seq, self.step, self.turn
    call.exit_code = entry.exit_code
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
    if entry.new_step then self:close_step(false) end
    if entry.user and entry.steer then
        self:steer(entry.user)
    elseif entry.user then
        self:say_user(entry.user)
    elseif entry.text then
        self:say_assistant(entry.text, entry.parallel)
    elseif entry.call then
        self:make_call(entry)
    else
        local source = entry.source or "system"
        self:add("non_user_message", { name = source, text = assert(entry.note) })
    end
    self.usage = entry.usage or self.usage
end

local function build(scene)
    local builder = builder_new(scene)
    if scene.user == false then
        builder.turn = 1
    else
        builder:say_user(scene.user or "Please fix it.")
    end
    for _, entry in ipairs(scene) do builder:entry(entry) end
    local ending = scene.ending
    if ending == nil then ending = not builder.called end
    builder:close_step(ending)
    return builder
end

--- The turns of a scene, one for each step, as `turn_end` shows them. A step is an answer with
--- its calls; an answer without calls ends its turn unless `scene.ending` says otherwise.
---@param scene perilune.Scene
---@return perilune.Turn[]
function M.steps(scene)
    return build(scene).turns
end

--- The same for `before_agent_start`: one for each message of the user.
---@param scene perilune.Scene
---@return perilune.Turn[]
function M.starts(scene)
    return build(scene).starts
end

return M
