-- perilune-api: 1
-- For an agent that is to be left alone: one note a window, and it has to matter.
return {
    name = "strict",
    budget = function(budget)
        return { advisories = math.min(budget.advisories, 1), vetoes = budget.vetoes }
    end,
    deliver = function(verdict, p)
        if verdict.verdict == "drop" or p.severity ~= "nit" then return verdict end
        return { verdict = "drop", reason = "a nit" }
    end,
}
