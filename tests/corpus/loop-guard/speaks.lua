local act = require("acts")

local function three(...)
    local scene = {}
    for _ = 1, 3 do
        for _, entry in ipairs({ ... }) do scene[#scene + 1] = entry end
    end
    return scene
end

local function label(name, says, scene)
    scene.label, scene.says = name, says
    return scene
end

local red = act.bash("make test", "FAILED (failures=1)", 1)

return {
    label("a failing command three times", "run 3 times", three(act.bash("make", "no rule",
        2))),
    label("a file read three times", "Read of `a%.c`", three(act.read("a.c", "int a;"))),
    label("a failure that changes never move", "did not reach the cause",
        { red, act.edit("a.c", "1", "2"), red, act.edit("a.c", "2", "3"), red }),
    label("two calls taking turns", "taking turns", { act.read("a.c", "x"), act.bash("./run",
        "s", 1),
        act.read("a.c", "x"), act.bash("./run", "s", 1) }),
    label("an edit made, undone, made again", "back and forth", { act.edit("a.c", "x", "y"),
        act.bash("make", "1"), act.edit("a.c", "y", "x"), act.bash("make -s", "2"),
        act.edit("a.c", "x", "y") }),
    label("a search without a hit, repeated", "3 times",
        three(act.bash("grep -rn foo src", "", 1))),
    label("failures that differ in their time", "same result",
        { act.bash("make t", "fail in 0.1s", 1), act.bash("make t", "fail in 0.2s", 1),
            act.bash("make t", "fail in 0.3s", 1) }),
    label("a refused call made again and again", "3 times",
        three(act.with(act.bash("deploy"), { denied = "not allowed" }))),
}
