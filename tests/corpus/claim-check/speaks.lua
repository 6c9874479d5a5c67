local act = require("acts")
local RED = act.bash("pytest", "===== 2 failed, 12 passed in 0.2s =====", 1)
local GREEN = act.bash("pytest", "===== 14 passed in 0.2s =====")

return {
    { label = "after a failed run", says = "failed %(2 failed%)", RED,
        act.text("All tests pass now.") },
    { label = "after a change behind the run", says = "was changed after the last run", GREEN,
        act.edit("src/a.py"), act.text("All tests pass.") },
    { label = "without any run", says = "no test run has taken place", act.edit("src/a.py"),
        act.text("I fixed it and all 14 tests pass.") },
    { label = "a failure hidden by a pipe that keeps its summary", says = "failed",
        act.bash("pytest -q 2>&1 | tail -3", "2 failed, 12 passed in 0.2s"),
        act.text("All green.") },
    { label = "a run of the turn before", says = "nothing has been run since", RED,
        act.text("I will look."), act.user("go on"), act.edit("src/a.py"),
        act.text("Fixed. The tests are passing.") },
    { label = "a broken build", says = "`npm run build` failed",
        act.bash("npm run build", "error TS2322", 2), act.text("The build is green.") },
    { label = "a fault called fixed", says = "failed", act.edit("src/a.py"),
        act.bash("make test", "make: *** [test] Error 1", 2),
            act.text("The issue is now fixed.") },
    { label = "a reservation behind it", says = "go test",
        act.bash("go test ./...", "FAIL\texample/a\t0.01s", 1),
        act.text("All tests pass, but the linter warns.") },
}
