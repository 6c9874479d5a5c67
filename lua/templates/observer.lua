-- perilune-api: 1
local match = require("perilune.match")

---@type perilune.ObserverSpec
return {
    name = "NAME",
    description = "Speaks when the agent runs `git push`. Say here what yours speaks of.",
    on = "turn_end",         -- after every answer of the agent, with the results of its calls
    can = { "advise" },      -- or veto, which holds the agent's stop
    severity = "concern",
    observe = function(turn)
        for _, item in ipairs(turn.items) do
            local command = item.kind == "tool_call" and match.command(item)
            if command and command:find("git push", 1, true) then
                return {
                    advise = "It ran `git push`: was that asked for?",
                    fingerprint = "git-push", -- the same finding has the same fingerprint
                    evidence = { item.seq },
                }
            end
        end
        return nil -- silence is the normal answer
    end,
}
