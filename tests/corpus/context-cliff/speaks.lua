local act = require("acts")

local function at(context)
    return act.with(act.bash("make", "ok"), { usage = { context = context } })
end

return {
    { label = "four fifths of an ordinary window", says = "holds 160,000 tokens of 200,000",
        at(160000) },
    { label = "after a slow rise", says = "holds 165,000", at(90000), at(130000), at(165000) },
    { label = "close to the end at once", says = "holds 190,000", at(190000) },
    { label = "a window of a million", says = "of 1000,000", at(0), at(850000) },
    { label = "a second time after a compaction", says = "holds 170,000", at(170000), at(30000),
        at(180000) },
    { label = "in a later turn", says = "holds 175,000", at(20000), act.text("Done."),
        act.user("go on"), at(175000) },
}
