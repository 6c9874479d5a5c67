local act = require("acts")

return {
    { label = "its plan has open entries", says = "plan unfinished: add a test",
        act.todos("done: fix the parser", "open: add a test"), act.edit("a.c"),
        act.text("I fixed the parser.") },
    { label = "three open entries", says = "1 more",
        act.todos("open: a test", "open: the docs", "open: the changelog"), act.edit("a.c"),
        act.text("Fixed the parser.") },
    { label = "a last sentence that begins the next act", says = "announcing",
        act.edit("a.c"), act.text("The parser is fixed. Now I'll run the tests.") },
    { label = "let me, and nothing", says = "announcing \"Let me update the docs",
        act.edit("a.c"), act.text("Done with the code.\n\nLet me update the docs:") },
    { label = "a plan of Codex", says = "plan unfinished: wire it up",
        { call = "update_plan", input = { plan = { { step = "write it", status = "completed" },
            { step = "wire it up", status = "in_progress" } } }, result = "Plan updated" },
        act.edit("a.c"), act.text("The function is written.") },
    { label = "next I will, without a call", says = "announcing",
        act.bash("make", "ok"), act.text("It builds. Next, I will add the regression test.") },
    { label = "tasks created and not closed", says = "plan unfinished: port the tests",
        { call = "TaskCreate", input = { subject = "port the tests" },
            result = "Task #1 created" }, act.edit("a.c"), act.text("Ported the code.") },
}
