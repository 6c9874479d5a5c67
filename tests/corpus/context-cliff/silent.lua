local act = require("acts")

local function at(context)
    return act.with(act.bash("make", "ok"), { usage = { context = context } })
end

return {
    { label = "no usage known", act.bash("make", "ok") },
    { label = "half full", at(100000) },
    { label = "just under the mark", at(159999) },
    { label = "a million-token window at a quarter", at(210000), at(250000) },
    { label = "a great window at half", at(500000), at(600000) },
    { label = "small and shrinking", at(80000), at(20000) },
    { label = "a session full of turns, each small", at(30000), act.text("Done."),
        act.user("on"), at(35000), act.text("Done."), act.user("on"), at(40000) },
}
