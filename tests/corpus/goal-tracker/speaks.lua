local act = require("acts")

local function goal(...)
    local items = {}
    for i, text in ipairs({ ... }) do items[i] = { text = text, done = false } end
    return { text = "Fix leap days and ship it", items = items }
end

return {
    { label = "no step for the changelog", says = "changelog entry",
        goal = goal("regression tests for leap days", "changelog entry"),
        act.todos("open: fix parse_date", "open: regression tests for leap days",
            "open: run everything") },
    { label = "a plan for something else", says = "regression tests",
        goal = goal("regression tests for leap days"),
        act.todos("open: rename the module", "open: move the files", "open: update imports") },
    { label = "the second item", says = "README example", goal = goal("handle leap years",
        "README example updated"),
        act.todos("open: handle leap years", "open: run the linter", "open: commit") },
    { label = "a plan of Codex", says = "changelog entry", goal = goal("changelog entry"),
        { call = "update_plan", input = { plan = { { step = "fix", status = "pending" },
            { step = "test", status = "pending" }, { step = "commit", status = "pending" } } },
            result = "Plan updated" } },
    { label = "a plan made in a later turn", says = "migration guide",
        goal = goal("migration guide written"), act.text("Ready."), act.user("go"),
        act.todos("open: port the code", "open: port the tests", "open: delete the old code") },
    { label = "a plan that grew past the item", says = "benchmark numbers",
        goal = goal("benchmark numbers recorded"), act.todos("open: optimise", "open: test"),
        act.todos("open: optimise", "open: test", "open: tidy up") },
}
