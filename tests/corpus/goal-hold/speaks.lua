local act = require("acts")
local PASSED = "===== 14 passed in 0.2s ====="

local function goal(...)
    local items = {}
    for i, text in ipairs({ ... }) do items[i] = { text = text, done = false } end
    return { text = "Fix the parser", check = "make test", items = items }
end

return {
    { label = "an open item", says = "still open: write the changelog",
        goal = goal("write the changelog"), act.edit("a.py"), act.bash("make test", PASSED),
        act.text("Done.") },
    { label = "a check not run", says = "has not been run", goal = goal(), act.edit("a.py"),
        act.text("Done.") },
    { label = "a check that failed", says = "failed when it was last run", goal = goal(),
        act.bash("make test", "2 failed in 0.2s", 2), act.text("Done.") },
    { label = "a change behind the check", says = "since `src/a%.py` was changed",
        goal = goal(),
        act.bash("make test", PASSED), act.edit("src/a.py"), act.text("Done.") },
    { label = "mere words of completion", says = "add a test", goal = goal("add a test"),
        act.text("Everything is complete.") },
    { label = "three open items", says = "1 more", goal = goal("a test", "the docs",
        "a changelog"),
        act.edit("a.py"), act.text("Done.") },
}
