-- perilune-api: 1
-- Spares the model where a turn changed nothing: there is nothing to verify then.
local match = require("perilune.match")

---@type perilune.Companion
return {
    wake = function(turn)
        for _, call in ipairs(turn.calls()) do
            if #match.edits(call) > 0 then return true end
        end
        return false
    end,
}
