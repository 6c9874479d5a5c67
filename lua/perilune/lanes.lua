-- The one table of lanes: how much a proposal matters x what the agent is doing x the lane it
-- asks for -> what is done (case C56). The policies that ship ask it, `perilune policy table`
-- prints what comes of it. "own" is the lane it asks for.
local M = {}

M.SEVERITIES = { "nit", "concern", "blocker" }
M.STATES = { "running", "settled", "idle", "plan", "stopped", "ended" }
M.LANES = { "steer", "prompt", "follow_up", "hold", "user", "log" }

local LESSER = {
    running = { "own", "within budget" },
    settled = { "prompt", "waits for the next prompt" },
    idle = { "prompt", "waits for the next prompt" },
    plan = { "own", "within budget" },
    stopped = { "drop", "stopped" },
    ended = { "drop", "the session has ended" },
}

--- By severity and state: the action and its reason.
M.ROWS = {
    nit = LESSER,
    concern = LESSER,
    blocker = {
        running = { "own", "within budget" },
        settled = { "follow_up", "a blocker reopens a settled run" },
        idle = { "prompt", "waits for the next prompt" },
        plan = { "user", "planning, so to the user" },
        stopped = { "user", "stopped, so to the user" },
        ended = { "drop", "the session has ended" },
    },
}

--- What stands in for a lane that does not lead to an agent (a dialect's `lanes` say which do):
--- the first of these that does, else `user`. Only ever one that disturbs less, and nothing
--- stands in for a veto.
M.INSTEAD = {
    steer = { "prompt" },
    follow_up = { "steer", "prompt" },
    prompt = {},
    hold = {},
}

-- A veto only ever holds: it has an agent to hold or it is nothing.
local HOLD = {
    plan = { "drop", "nothing to hold in plan mode" },
    stopped = { "drop", "stopped" },
    ended = { "drop", "the session has ended" },
}

--- What is done with a proposal.
---@param severity perilune.Severity
---@param state string  ctx.run_state
---@param lane perilune.Lane  the one it asks for; a veto's is hold
---@return string action  a lane, or "drop"
---@return string reason
function M.action(severity, state, lane)
    local row = M.ROWS[severity][state]
    if lane == "hold" then
        row = HOLD[state] or { "own", "within budget" }
    elseif lane == "user" or lane == "log" then
        row = { "own", "no agent is disturbed" }
    end
    return row[1] == "own" and lane or row[1], row[2]
end

return M
