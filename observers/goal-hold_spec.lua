local testing = require("perilune.testing")
local spec = testing.load("goal-hold.lua")

local PASSED = "14 passed in 0.21s"

local function bash(command, result, code)
    return { call = "Bash", input = { command = command }, result = result, exit_code = code }
end

local function edit(path)
    return { call = "Edit", input = { file_path = path, old_string = "a", new_string = "b" },
        result = "The file has been updated." }
end

local function todos(...)
    local list = {}
    for i, words in ipairs({ ... }) do
        list[i] = { content = words, status = "completed", activeForm = words }
    end
    return { call = "TodoWrite", input = { todos = list },
        result = "Todos have been modified." }
end

local function goal(...)
    return { text = "Ship the date fix", check = "make test", items = { ... } }
end

local function scene(declared, ...)
    return { user = "Ship it.", goal = declared, ... }
end

describe("goal-hold vetoes the stop", function()
    local function holds(entries, pattern)
        local said = testing.replay(spec, entries)
        assert.equal(1, #said)
        assert.matches(pattern, said[1].proposal.veto)
        return said[1].proposal
    end

    it("while an item is open", function()
        holds(scene(goal({ text = "write the changelog", done = false }), edit("a.py"),
            bash("make test", PASSED), { text = "Done." }), "still open: write the changelog")
    end)

    it("while the check has not been run", function()
        holds(scene(goal(), edit("a.py"), { text = "Done." }), "`make test` has not been run")
    end)

    it("while the check failed", function()
        holds(scene(goal(), bash("make test", "2 failed in 0.2s", 2), { text = "Done." }),
            "`make test` failed when it was last run")
    end)

    it("when a source file was changed after the check", function()
        holds(scene(goal(), bash("make test", PASSED), edit("src/a.py"), { text = "Done." }),
            "not been run since `src/a.py` was changed")
    end)

    it("when it only says that it is done", function()
        holds(scene(goal({ text = "add a test" }), { text = "Everything is complete." }),
            "add a test")
    end)

    it("with one fingerprint however the reasons change", function()
        local declared = goal({ text = "add a test" }, { text = "add a changelog entry" })
        local first = holds(scene(declared, edit("a.py"), { text = "Done." }), "add a test")
        local second = holds(scene(declared, edit("a.py"), todos("add a test"),
            bash("make test", PASSED), { text = "Done." }), "open: add a changelog entry%.")
        assert.equal(first.fingerprint, second.fingerprint)
    end)

    it("within 300 characters however long the items are", function()
        local long = ("really "):rep(60)
        holds(scene(goal({ text = long }, { text = long }, { text = long }), edit("a.py"),
            { text = "Done." }), "1 more")
    end)
end)

describe("goal-hold lets the agent stop", function()
    local function free(entries)
        assert.same({}, testing.replay(spec, entries))
    end

    it("without a goal", function()
        free(scene(nil, edit("a.py"), { text = "Done." }))
    end)

    it("when all items are done and the check passed", function()
        free(scene(goal({ text = "add a test", done = true }), edit("a.py"),
            bash("cd . && make test", PASSED), { text = "Done." }))
    end)

    it("when its own plan has the items ticked off", function()
        free(scene(goal({ text = "add a regression test" }), edit("a.py"),
            todos("Add a regression test for leap days"), bash("make test", PASSED),
            { text = "Done." }))
    end)

    it("in the middle of a turn", function()
        free(scene(goal({ text = "add a test" }), edit("a.py"), bash("ls", "a.py")))
    end)

    it("when it asks the user something", function()
        free(scene(goal({ text = "add a test" }), edit("a.py"),
            { text = "Two readings are possible. Which one do you want?" }))
    end)

    it("after mere talk", function()
        free(scene(goal({ text = "add a test" }), { text = "The parser splits at the dash." }))
    end)

    it("when a pipe hides how the check ended", function()
        free(scene(goal(), edit("a.py"), bash("make test | tail -1", "bye"),
            { text = "Done." }))
    end)

    it("when only prose was changed after the check", function()
        free(scene(goal(), edit("a.py"), bash("make test", PASSED), edit("README.md"),
            { text = "Done." }))
    end)

    it("when nothing was changed at all", function()
        free(scene(goal(), bash("ls", "a.py"), { text = "Done." }))
    end)
end)
