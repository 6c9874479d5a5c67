-- perilune-api: 1
-- Claude Code's own rule: every report is queued for the agent; the next model call takes it,
-- or the next prompt where it is idle. Nothing is ranked, compared or left out; what a window
-- has no room for waits for the next one.
local function deliver(verdict, p, ctx)
    if verdict.verdict == "drop" or p.kind == "veto" then return verdict end
    local lane = ctx.run_state == "running" and "steer" or "prompt"
    if ctx.left.advisories < 1 then
        return { verdict = "defer", lane = lane, reason = "queued for the next window" }
    end
    return { verdict = "deliver", lane = lane, reason = "queued" }
end

return { name = "claude", deliver = deliver }
