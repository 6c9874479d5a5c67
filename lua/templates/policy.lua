-- perilune-api: 1

---@type perilune.Policy
return {
    name = "NAME",
    -- Called for each proposal with what the policies before this one decided.
    deliver = function(verdict, p, ctx)
        local hour = ctx.local_time.hour
        if p.severity == "nit" and (hour >= 22 or hour < 7) then
            return { verdict = "defer", lane = verdict.lane, reason = "quiet hours" }
        end
        return verdict
    end,
}
