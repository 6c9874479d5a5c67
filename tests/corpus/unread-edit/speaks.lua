local act = require("acts")

return {
    { label = "an edit out of the blue", says = "`src/date%.c` was edited",
        act.edit("src/date.c", "x < 1", "x <= 1") },
    { label = "another file was read", says = "`src/b%.c`", act.read("src/a.c", "int a;"),
        act.edit("src/b.c") },
    { label = "a patch of Codex", says = "`lib/util%.rs`",
        act.patch("Update", "lib/util.rs", "@@\n-fn a()\n+fn b()") },
    { label = "a whole file replaced", says = "`src/c%.c`", act.write("src/c.c", "int c;",
        true) },
    { label = "a tool of pi", says = "`/home/dev/x%.py`",
        { call = "edit", input = { path = "/home/dev/x.py", oldText = "a", newText = "b" },
            result = "Successfully replaced 1 block" } },
    { label = "in a later turn", says = "`src/z%.c`", act.read("src/a.c", "int a;"),
        act.text("Read it."), act.user("now fix it"), act.edit("src/z.c") },
    { label = "the second of two edits", says = "`src/q%.c`", act.read("src/p.c", "int p;"),
        act.edit("src/p.c"), act.edit("src/q.c") },
}
