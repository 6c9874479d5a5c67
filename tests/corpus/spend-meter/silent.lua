local act = require("acts")

local function at(input, cached)
    return act.with(act.bash("make", "ok"), { usage = { input = input, cached = cached or 0 } })
end

local function text_at(input)
    return act.with(act.text("Done."), { usage = { input = input } })
end

return {
    { label = "no usage known", act.bash("make", "ok") },
    { label = "an ordinary turn", at(40000) },
    { label = "a great deal read from the cache", at(20000, 9000000) },
    { label = "just under the mark", at(299999) },
    { label = "two turns, each under the mark", at(250000), text_at(250000), act.user("go on"),
        at(500000) },
    { label = "three turns that stay under a million", text_at(290000), act.user("on"),
        text_at(580000), act.user("on"), text_at(870000) },
    { label = "a provider that counts the cache as input", at(9020000, 9000000) },
    { label = "usage that does not move", at(100000), at(100000), at(100000) },
}
