-- Follows the agent's own to-do list through the calls that change it (TodoWrite, update_plan,
-- TaskCreate and TaskUpdate). The plan is a plain list that fits into ctx.state.
local text = require("perilune.text")

local M = {}

local MAX_ENTRIES = 24
local MAX_TEXT = 60
-- Of the words of what is looked for, so many must stand in an entry for the two to be one.
local SAME_SHARE = 0.6

local CHANGERS = { TodoWrite = true, update_plan = true, TaskCreate = true, TaskUpdate = true }

---@class perilune.PlanEntry
---@field id string?
---@field text string
---@field done boolean

local function entry(words, status, id)
    return { text = text.line(words, MAX_TEXT), done = status == "completed", id = id }
end

local function whole_list(list, field)
    local plan = {}
    for _, todo in ipairs(list) do
        if #plan == MAX_ENTRIES then break end
        if type(todo) == "table" and type(todo[field]) == "string" then
            plan[#plan + 1] = entry(todo[field], todo.status)
        end
    end
    return plan
end

local function update(plan, id, status)
    for i, known in ipairs(plan) do
        if known.id == id then
            if status == "deleted" then
                table.remove(plan, i)
            elseif status then
                known.done = status == "completed"
            end
            return
        end
    end
end

--- True if `call` may change the plan.
---@param call perilune.Call
---@return boolean
function M.is_change(call)
    return CHANGERS[call.name] == true and not call.denied
end

--- The plan after `call`. `plan` may be changed; any other call leaves it as it is.
---@param plan perilune.PlanEntry[]
---@param call perilune.Call
---@return perilune.PlanEntry[]
function M.after(plan, call)
    local input = call.input
    if type(input) ~= "table" or call.denied or call.is_error then return plan end
    if call.name == "TodoWrite" and type(input.todos) == "table" then
        return whole_list(input.todos, "content")
    elseif call.name == "update_plan" and type(input.plan) == "table" then
        return whole_list(input.plan, "step")
    elseif call.name == "TaskCreate" and type(input.subject) == "string" then
        if #plan < MAX_ENTRIES then
            local id = (call.result or ""):match("#(%d+)")
            plan[#plan + 1] = entry(input.subject, nil, id)
        end
    elseif call.name == "TaskUpdate" and input.taskId then
        update(plan, tostring(input.taskId), input.status)
    end
    return plan
end

--- True if the agent has ticked off an entry that says what `wanted` says.
---@param plan perilune.PlanEntry[]
---@param wanted string
---@return boolean
function M.has_done(plan, wanted)
    for _, known in ipairs(plan) do
        if known.done and text.covered(wanted, known.text) >= SAME_SHARE then return true end
    end
    return false
end

return M
