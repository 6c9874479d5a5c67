-- What an observer must remember of an agent beyond the turn it is shown: the last test run,
-- the last build and the last change of a source file. Kept in ctx.state, so that it survives
-- turns and restarts; folded forward call by call, so that a step costs what the step holds.
local match = require("perilune.match")
local runs = require("perilune.runs")
local text = require("perilune.text")

local M = {}

---@class perilune.RunMark
---@field seq integer
---@field mark string                  names the call the same in every replay (seq does not)
---@field verdict "passed" | "failed" | "unknown"
---@field command string
---@field failed integer?   tests that failed, where the output says so

---@class perilune.History
---@field seen integer                 the last call taken in
---@field test perilune.RunMark?
---@field build perilune.RunMark?
---@field edit { seq: integer, mark: string, path: string }?
---@field blind integer?               a call whose own calls and runs we cannot see
---@field late boolean?                observing began in mid-session: the past is unknown

local function name(call)
    return text.hash(call.call_id or ("step %d"):format(call.step or 0))
end

local function mark(call, run)
    return {
        seq = call.seq, mark = name(call), verdict = run.verdict,
        command = text.line(run.command, 80), failed = run.failed,
    }
end

--- The history in `state`, made if need be.
---@param state table
---@param turn perilune.Turn
---@return perilune.History
function M.open(state, turn)
    if not state.history then
        state.history = { seen = 0, late = turn.turn > 1 or nil }
    end
    return state.history
end

--- Takes one call in.
---@param history perilune.History
---@param call perilune.Call
---@param cwd string?
function M.add(history, call, cwd)
    history.seen = call.seq
    if match.delegates(call) and not call.denied then history.blind = call.seq end
    local run = runs.of(call)
    if run and run.kind == "maybe" then
        history.blind = call.seq
    elseif run then
        history[run.kind] = mark(call, run)
    end
    local path = match.source_edit(call, cwd)
    if path then
        history.edit = { seq = call.seq, mark = name(call), path = text.line(path, 80) }
    end
end

--- Takes in the calls of the turn that are new and came before `seq`.
---@param history perilune.History
---@param turn perilune.Turn
---@param seq integer?  all of them if absent
function M.advance(history, turn, seq)
    for _, call in ipairs(turn.calls()) do
        if call.seq > history.seen and (not seq or call.seq < seq) then
            M.add(history, call, turn.cwd)
        end
    end
end

--- True if something happened after `seq` that we could not look into.
---@param history perilune.History
---@param seq integer
---@return boolean
function M.is_blind_since(history, seq)
    return (history.blind or 0) > seq
end

return M
