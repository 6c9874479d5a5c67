-- perilune-api: 1
-- Decides as pi-observers does, decision for decision: of one batch as many advisories as a
-- window may deliver are kept by rank and the rest dropped; what the window has no room for, or
-- what comes beside a granted veto, waits. Texts are not compared and severity counts nothing.
local function ranks_before(a, b)
    if a.p.priority ~= b.p.priority then return a.p.priority > b.p.priority end
    return a.arrival < b.arrival
end

-- The entries by rank; of those with one fingerprint only the first, a veto and an advisory
-- never being the same.
local function ranked(batch, dropped, ctx)
    local entries, kept, seen = {}, {}, { advisory = {}, veto = {} }
    for arrival, p in ipairs(batch) do
        if p.kind ~= "veto" and ctx.taken(p.fingerprint) then
            dropped[#dropped + 1] = { proposal = p, reason = "already delivered" }
        else
            entries[#entries + 1] = { p = p, arrival = arrival }
        end
    end
    table.sort(entries, ranks_before)
    for _, entry in ipairs(entries) do
        local p = entry.p
        local prints = p.kind == "veto" and seen.veto or seen.advisory
        if prints[p.fingerprint] then
            dropped[#dropped + 1] = { proposal = p, reason = "same as another in the batch" }
        else
            prints[p.fingerprint] = true
            kept[#kept + 1] = p
        end
    end
    return kept
end

-- Why a veto is not granted, or nil. One that the window refuses spends nothing.
local function veto_refusal(p, granted, ctx)
    if granted then return "one veto at a time" end
    if ctx.left.vetoes < 1 then return "window has its veto" end
    local spent, budget = ctx.vetoes(p.observer, p.fingerprint), ctx.limits.veto_budget
    if spent.key >= budget or spent.observer >= 2 * budget or spent.session >= 4 * budget then
        return "veto budget spent"
    end
    return nil
end

local function reconcile(batch, ctx)
    local kept, dropped, granted, others = {}, {}, nil, {}
    for _, p in ipairs(ranked(batch, dropped, ctx)) do
        local reason
        if p.kind == "veto" then
            reason = veto_refusal(p, granted, ctx)
            if not reason then granted = p end
        elseif #others >= ctx.limits.advisories_per_turn then
            reason = "over the batch cap"
        else
            others[#others + 1] = p
        end
        if reason then dropped[#dropped + 1] = { proposal = p, reason = reason } end
    end
    ctx.state.beside = {}
    if granted then kept[1] = granted end
    for _, p in ipairs(others) do
        kept[#kept + 1] = p
        if granted then table.insert(ctx.state.beside, p.id) end
    end
    return kept, dropped
end

-- True the first time a proposal that came beside a veto is asked about.
local function is_beside_veto(p, state)
    for i, id in ipairs(state.beside or {}) do
        if id == p.id then
            table.remove(state.beside, i)
            return true
        end
    end
    return false
end

local function deliver(verdict, p, ctx)
    if p.kind == "veto" or verdict.verdict == "drop" then return verdict end
    if is_beside_veto(p, ctx.state) then
        return { verdict = "defer", reason = "beside a veto" }
    end
    if ctx.left.advisories < 1 then
        return { verdict = "defer", reason = "over the window's budget" }
    end
    return verdict
end

return { name = "pi", reconcile = reconcile, deliver = deliver }
