-- perilune-api: 1
-- Says nothing to anyone: what the policies before it would have done goes to the log.
return {
    name = "shadow",
    deliver = function(verdict)
        if verdict.verdict == "drop" then return verdict end
        return {
            verdict = "deliver", lane = "log",
            reason = ("shadow: would %s, lane %s"):format(verdict.verdict, verdict.lane),
        }
    end,
}
