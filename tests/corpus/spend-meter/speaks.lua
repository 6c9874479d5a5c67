local act = require("acts")

local function spent(input, output, cached)
    return { input = input, output = output, cached = cached or 0 }
end

local function at(usage, entry)
    return act.with(entry or act.bash("make", "ok"), { usage = usage })
end

return {
    { label = "a turn over its first mark", says = "This turn has used 310,000 tokens",
        at(spent(300000, 10000)) },
    { label = "output alone", says = "turn has used 300,000", at(spent(0, 300000)) },
    { label = "a session over its first mark", says = "This session has used 1,200,000",
        at(spent(1200000, 0)) },
    { label = "the second turn's own tokens", says = "turn has used 350,000",
        at(spent(200000, 0), act.text("Done.")), act.user("go on"), at(spent(550000, 0)) },
    { label = "what was put into the cache", says = "turn has used 400,000",
        at({ cache_created = 400000 }) },
    { label = "in the middle of a turn", says = "turn has used 301,000",
        at(spent(1000, 0)), at(spent(150000, 0)), at(spent(301000, 0)) },
    { label = "several marks at once, told as one", says = "session has used 5,000,000",
        at(spent(5000000, 0)) },
}
