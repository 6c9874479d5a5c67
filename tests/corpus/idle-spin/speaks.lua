local act = require("acts")

local function searches(count, result)
    local scene = { user = "Find out why the report is empty." }
    for i = 1, count do scene[i] = act.bash("grep -rn word" .. i .. " src", result or "", 1) end
    return scene
end

local function label(name, says, scene)
    scene.label, scene.says = name, says
    return scene
end

local listing = searches(0)
for i = 1, 6 do listing[i] = act.bash("ls dir" .. i,
    "ls: cannot access: No such file or directory", 2) end
-- The first failure is news.
listing[7] = act.bash("ls dir7", "ls: cannot access: No such file or directory", 2)

local reread = searches(0)
for i = 1, 8 do reread[i] = act.bash("sed -n 1,9p a.c | head -" .. i, "int main(void);") end

local globs = searches(0)
for i = 1, 8 do
    globs[i] = { call = "Glob", input = { pattern = "**/" .. i .. ".c" },
        result = "No files found" }
end

local denied = searches(0)
for i = 1, 8 do
    denied[i] = { call = "Bash", input = { command = "deploy " .. i },
        denied = "Permission to use Bash has been denied." }
end

local timed = searches(0)
for i = 1, 8 do timed[i] = act.bash("./try --seed " .. i,
    ("gave up after %d.2 seconds"):format(i), 1) end

local late = searches(0)
late[1] = act.edit("src/report.c")
for i = 2, 9 do late[i] = act.bash("grep -n name" .. i .. " src/report.c", "", 1) end

return {
    label("six searches that find nothing", "6 steps in a row", searches(6)),
    label("one error for every name tried", "6 steps", listing),
    label("the same lines read in eight ways", "found nothing new", reread),
    label("globs without a hit", "6 steps", globs),
    label("refusals of one kind", "nothing new", denied),
    label("failures that differ in their time only", "6 steps", timed),
    label("a stretch that begins after an edit", "6 steps", late),
}
