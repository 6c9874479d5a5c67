local act = require("acts")
local PASSED = "===== 14 passed in 0.2s ====="

local function goal(...)
    local items = {}
    for i, text in ipairs({ ... }) do items[i] = { text = text, done = false } end
    return { text = "Fix the parser", check = "make test", items = items }
end

return {
    { label = "no goal", act.edit("a.py"), act.text("Done.") },
    { label = "all done and checked", goal = goal(), act.edit("a.py"),
        act.bash("make test", PASSED), act.text("Done.") },
    { label = "items ticked off in its plan", goal = goal("add a regression test"),
        act.edit("a.py"), act.todos("done: Add a regression test for leap days"),
        act.bash("make test", PASSED), act.text("Done.") },
    { label = "in the middle of a turn", goal = goal("add a test"), act.edit("a.py"),
        act.bash("ls", "a.py") },
    { label = "a question", goal = goal("add a test"), act.edit("a.py"),
        act.text("Two readings are possible. Which one do you want?") },
    { label = "talk", goal = goal("add a test"), act.text("The parser splits at the dash.") },
    { label = "a check whose end is hidden", goal = goal(), act.edit("a.py"),
        act.bash("make test | tail -1", "bye"), act.text("Done.") },
    { label = "only prose changed after the check", goal = goal(), act.edit("a.py"),
        act.bash("make test", PASSED), act.edit("README.md"), act.text("Done.") },
}
