local act = require("acts")

return {
    { label = "talk", act.text("The parser splits at the dash.") },
    { label = "reading", act.read("a.c"), act.text("It adds.") },
    { label = "a build", act.bash("make", "ok"), act.text("It builds.") },
    { label = "an edit that failed", act.with(act.edit("a.c"), { is_error = true,
        result = "no" }),
        act.text("Could not.") },
    { label = "an edit that was refused", act.with(act.edit("a.c"), { denied = "no" }),
        act.text("Could not.") },
    { label = "an edit of the turn before", act.edit("a.c"), act.text("Done."),
        act.user("Why?"), act.text("Because.") },
}
