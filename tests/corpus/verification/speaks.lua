local act = require("acts")

return {
    { label = "after an edit", says = "wakes", act.edit("a.c"), act.text("Done.") },
    { label = "after a new file", says = "wakes", act.write("a.c"), act.text("Done.") },
    { label = "after a patch", says = "wakes", act.patch("Update", "a.c", "-a\n+b"),
        act.text("Done.") },
    { label = "after a change by the shell", says = "wakes", act.bash("sed -i s/a/b/ a.c"),
        act.text("Done.") },
    { label = "after output sent to a file", says = "wakes", act.bash("echo x > a.txt"),
        act.text("Done.") },
    { label = "after an edit among much reading", says = "wakes", act.read("a.c"),
        act.read("b.c"),
        act.edit("a.c"), act.bash("make", "ok"), act.text("Done.") },
}
