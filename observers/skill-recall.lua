-- perilune-api: 1
-- Without a model: an index of the skills' names and descriptions. Speaks when a request shares
-- several of one skill's own words and no other skill comes near. Each skill once.
local recall = require("perilune.recall")
local seen = require("perilune.seen")
local text = require("perilune.text")

local MIN_WORDS = 2
local MIN_SHARE = 0.25

local function is_named(skill, request)
    return request:find("/" .. skill.name, 1, true)
        or request:lower():find(skill.name:lower() .. " skill", 1, true)
end

---@type perilune.Companion
return {
    wake = function(turn) return #turn.skills > 0 end,
    observe = function(turn, ctx)
        local request = turn.last_user or ""
        local skill, words = recall.best(turn.skills, request, {
            min_words = MIN_WORDS, min_share = MIN_SHARE, alone = true,
            skip = function(one) return seen.has(ctx.state.told, one.name) end,
        })
        if not skill or is_named(skill, request) then return nil end
        ctx.state.told = seen.add(ctx.state.told, skill.name)
        local last = turn.items[#turn.items]
        return {
            advise = ("The skill `%s` is for this (%s): %s"):format(text.line(skill.name, 60),
                table.concat(words, ", "), text.line(skill.description, 150)),
            fingerprint = "skill:" .. skill.name,
            evidence = { last and last.seq },
        }
    end,
}
