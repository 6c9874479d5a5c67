local act = require("acts")

local green = act.bash("make test", "4 passed")

return {
    { label = "twice", act.bash("make", "no rule", 2), act.bash("make", "no rule", 2) },
    { label = "a result that changes", act.bash("make t", "3 failed", 1),
        act.bash("make t", "2 failed", 1), act.bash("make t", "1 failed", 1) },
    { label = "a check that passes after each change", green, act.edit("a.c", "1", "2"), green,
        act.edit("a.c", "2", "3"), green },
    { label = "waiting", act.bash("sleep 5", ""), act.bash("sleep 5", ""), act.bash("sleep 5",
        "") },
    { label = "once in each of three turns", act.bash("git status", "clean"), act.text("Done."),
        act.user("again"), act.bash("git status", "clean"), act.text("Done."),
            act.user("again"),
        act.bash("git status", "clean") },
    { label = "one edit and its undoing", act.edit("a.c", "x", "y"), act.edit("a.c", "y",
        "x") },
    { label = "the same edit in three files", act.edit("a.c", "x", "y"), act.edit("b.c", "x",
        "y"),
        act.edit("c.c", "x", "y") },
    { label = "other arguments", act.bash("grep a x", ""), act.bash("grep b x", ""),
        act.bash("grep c x", "") },
    { label = "calls without a result", { call = "Bash", input = { command = "make" } },
        { call = "Bash", input = { command = "make" } },
        { call = "Bash", input = { command = "make" } } },
}
