-- perilune-api: 1
-- Fewer interruptions: the nits of a batch become one note, and at night, from 22 to 7, only
-- what is not a nit gets through, one a window. Behind `default` it has the last word.
local NIGHT_FROM, NIGHT_TO = 22, 7
local WAIT_TURNS = 5

local function is_night(ctx)
    return ctx.local_time.hour >= NIGHT_FROM or ctx.local_time.hour < NIGHT_TO
end

local function reconcile(batch)
    local kept, dropped, first = {}, {}, nil
    for _, p in ipairs(batch) do
        if p.severity ~= "nit" or p.kind == "veto" or not first then
            kept[#kept + 1] = p
            if p.severity == "nit" and p.kind ~= "veto" then first = p end
        else
            local reason = "in one note with " .. first.id
            dropped[#dropped + 1] = { proposal = p, reason = reason, into = first }
        end
    end
    return kept, dropped
end

local function budget(left, ctx)
    if not is_night(ctx) then return left end
    return { advisories = math.min(left.advisories, 1), vetoes = left.vetoes }
end

local function deliver(verdict, p, ctx)
    if verdict.verdict ~= "deliver" or p.severity ~= "nit" or p.kind == "veto" then
        return verdict
    end
    if not is_night(ctx) then return verdict end
    return {
        verdict = "defer", lane = verdict.lane, reason = "quiet hours",
        ttl_turns = WAIT_TURNS,
    }
end

return { name = "quiet", reconcile = reconcile, budget = budget, deliver = deliver }
