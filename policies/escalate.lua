-- perilune-api: 1
-- A veto climbs: the first time it is a nit that waits for the prompt, the second a concern
-- that the next model call sees, and only from the third time on it holds. A finding is known
-- by its observer and fingerprint. Goes behind `default`.
local KEPT = 32      -- findings remembered; then it starts anew, at the bottom
local KEY_BYTES = 80 -- of observer and fingerprint: ctx.state is small

local RUNGS = {
    { lane = "prompt", reason = "first time: a nit" },
    { lane = "steer", reason = "second time: a concern" },
}

-- How often the finding came, this time included.
local function times(p, state)
    local key = ("%s:%s"):format(p.observer, p.fingerprint):sub(1, KEY_BYTES)
    local seen = state.seen or {}
    if not seen[key] and (state.count or 0) >= KEPT then
        seen, state.count = {}, 0
    end
    if not seen[key] then state.count = (state.count or 0) + 1 end
    seen[key] = (seen[key] or 0) + 1
    state.seen = seen
    return seen[key]
end

local function deliver(verdict, p, ctx)
    if p.kind ~= "veto" or verdict.verdict ~= "deliver" or verdict.lane ~= "hold" then
        return verdict
    end
    local rung = RUNGS[times(p, ctx.state)]
    if not rung then return verdict end
    return { verdict = "deliver", lane = rung.lane, reason = rung.reason }
end

return { name = "escalate", deliver = deliver }
