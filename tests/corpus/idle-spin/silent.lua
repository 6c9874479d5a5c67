local act = require("acts")

local function label(name, scene)
    scene.label = name
    scene.user = "Find out why the report is empty."
    return scene
end

local function each(count, make)
    local scene = {}
    for i = 1, count do scene[i] = make(i) end
    return scene
end

local two_turns = each(4, function(i) return act.bash("grep a" .. i .. " x", "", 1) end)
two_turns[5] = act.text("Nothing there.")
two_turns[6] = act.user("look again")
for i = 7, 10 do two_turns[i] = act.bash("grep b" .. i .. " x", "", 1) end

local broken = each(5, function(i) return act.bash("grep a" .. i .. " x", "", 1) end)
broken[6] = act.edit("src/a.c")
for i = 7, 11 do broken[i] = act.bash("grep b" .. i .. " x", "", 1) end

return {
    label("reading one file after another", each(20, function(i)
        return act.read("src/" .. i .. ".c", "int f" .. i .. "(void);")
    end)),
    label("five searches without a hit", each(5, function(i)
        return act.bash("grep word" .. i .. " src", "", 1)
    end)),
    label("edits whose results read alike", each(12, function(i)
        return act.edit("src/a.c", "x" .. i, "y" .. i)
    end)),
    label("waiting for a build", each(12, function(i)
        return act.bash("sleep " .. i .. "; tail -1 log", "running")
    end)),
    label("waiting for a background job", each(12, function()
        return { call = "BashOutput", input = { bash_id = "b1" }, result = "" }
    end)),
    label("two short stretches in two turns", two_turns),
    label("two stretches with an edit between", broken),
    label("subagents that report alike", each(8, function(i)
        return { call = "Task", input = { prompt = "look at " .. i }, result = "done" }
    end)),
    label("counts that go down", each(8, function(i)
        return act.bash("make test", (20 - i) .. " failed", 1)
    end)),
}
