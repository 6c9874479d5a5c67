local act = require("acts")

local function goal(...)
    local items = {}
    for i, text in ipairs({ ... }) do items[i] = { text = text, done = false } end
    return { text = "Fix leap days and ship it", items = items }
end

local other = act.todos("open: rename the module", "open: move the files",
    "open: update imports")

return {
    { label = "no goal", other },
    { label = "a plan that covers all items", goal = goal("regression tests for leap days",
        "changelog entry"), act.todos("open: fix it",
            "open: add regression tests for leap days",
        "open: write the changelog entry") },
    { label = "a small plan", goal = goal("changelog entry"), act.todos("open: fix it") },
    { label = "no plan at all", goal = goal("changelog entry"), act.edit("a.c"),
        act.bash("make", "ok") },
    { label = "an item that is done",
        goal = { text = "Ship it", items = { { text = "changelog entry", done = true } } },
            other },
    { label = "an item of one word", goal = goal("docs"), other },
    { label = "a goal without items", goal = "Fix leap days", other },
    { label = "an item in other order", goal = goal("tests for leap days (regression)"),
        act.todos("open: fix", "open: leap-day regression tests", "open: commit") },
    { label = "a plan that was refused", goal = goal("changelog entry"),
        act.with(other, { denied = "no" }) },
}
