-- perilune-api: 1
-- Without a model: an index of the notes' words. Speaks when what the user asked and the agent
-- just did share several of a note's own words, that is, words few notes have. Each note once.
local recall = require("perilune.recall")
local match = require("perilune.match")
local seen = require("perilune.seen")
local text = require("perilune.text")

local MIN_WORDS = 3
local MIN_SHARE = 0.5

-- The words of the moment: the request, the agent's prose, and what its calls name.
local function moment(turn)
    local out = { turn.last_user or "" }
    for _, item in ipairs(turn.items) do
        if item.kind == "assistant_text" then out[#out + 1] = text.clip(item.text or "",
            1500) end
        if item.kind == "tool_call" then out[#out + 1] = match.title(item, 200) end
    end
    return table.concat(out, "\n")
end

---@type perilune.Companion
return {
    wake = function(turn) return #turn.memory > 0 end,
    observe = function(turn, ctx)
        local note = recall.best(turn.memory, moment(turn), {
            min_words = MIN_WORDS, min_share = MIN_SHARE,
            skip = function(one) return seen.has(ctx.state.told, one.name) end,
        })
        if not note then return nil end
        ctx.state.told = seen.add(ctx.state.told, note.name)
        local last = turn.items[#turn.items]
        return {
            advise = ("A note bears on this (%s): %s"):format(text.line(note.name, 60),
                text.line(note.description, 200)),
            fingerprint = "memory:" .. note.name,
            evidence = { last and last.seq },
        }
    end,
}
