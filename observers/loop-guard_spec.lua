local testing = require("perilune.testing")
local spec = testing.load("loop-guard.lua")

local function bash(command, result, code)
    return { call = "Bash", input = { command = command }, result = result, exit_code = code }
end

local function read(path, result)
    return { call = "Read", input = { file_path = path }, result = result or "int main;" }
end

local function edit(path, old, new)
    return { call = "Edit", input = { file_path = path, old_string = old, new_string = new },
        result = "The file has been updated." }
end

local RED = "FAILED (failures=1)\nRan 4 tests in 0.0%ds"

local function scene(...)
    return { user = "Make the tests pass.", ... }
end

describe("loop-guard speaks", function()
    local function says(entries, pattern, times)
        local said = testing.replay(spec, entries)
        assert.equal(times or 1, #said)
        assert.matches(pattern, said[#said].text)
        return said
    end

    it("at the third call with the same failing result", function()
        local said = says(scene(bash("make", "no rule", 2), bash("make", "no rule", 2),
            bash("make", "no rule", 2)), "`make` was run 3 times")
        assert.same({ 2, 4, 6 }, said[1].proposal.evidence)
    end)

    it("though the runs took different times", function()
        says(scene(bash("make test", RED:format(1), 1), bash("make test", RED:format(2), 1),
            bash("make test", RED:format(7), 1)), "same result")
    end)

    it("though the model describes the call in other words each time", function()
        local entries = scene()
        for i = 1, 3 do
            entries[i] = bash("make", "no rule", 2)
            entries[i].input.description = "Attempt " .. i
        end
        says(entries, "3 times")
    end)

    it("when changes in between never move a failure", function()
        says(scene(bash("make test", RED:format(1), 1), edit("a.c", "1", "2"),
            bash("make test", RED:format(1), 1), edit("a.c", "2", "3"),
            bash("make test", RED:format(1), 1)), "did not reach the cause")
    end)

    it("when the same file is read a third time and nothing was changed", function()
        says(scene(read("a.c"), bash("ls", "a.c"), read("a.c"), bash("pwd", "/"), read("a.c")),
            "Read of `a.c`")
    end)

    it("when two calls take turns", function()
        says(scene(read("a.c"), bash("./run", "segfault", 139), read("a.c"),
            bash("./run", "segfault", 139)), "taking turns")
    end)

    it("when an edit is made, undone and made again", function()
        says(scene(edit("a.c", "x < 1", "x <= 1"), bash("make", "ok 1"),
            edit("a.c", "x <= 1", "x < 1"), bash("make -s", "ok 2"),
            edit("a.c", "x < 1", "x <= 1")), "back and forth")
    end)

    it("again at the sixth call, as a blocker, and not in between", function()
        local entries = scene()
        for i = 1, 7 do entries[i] = bash("make", "no rule", 2) end
        local said = says(entries, "6 times", 2)
        assert.equal("blocker", said[2].proposal.severity)
        assert.not_equal(said[1].proposal.fingerprint, said[2].proposal.fingerprint)
    end)

    it("of parallel calls of one answer too", function()
        local entries = scene(read("a.c"), read("a.c"), read("a.c"))
        entries[2].parallel, entries[3].parallel = true, true
        says(entries, "3 times")
    end)
end)

describe("loop-guard is silent", function()
    local function silent(entries)
        assert.same({}, testing.replay(spec, entries))
    end

    it("at the second call", function()
        silent(scene(bash("make", "no rule", 2), bash("make", "no rule", 2)))
    end)

    it("when the result changes", function()
        silent(scene(bash("make test", "3 failed", 1), bash("make test", "2 failed", 1),
            bash("make test", "1 failed", 1), bash("make test", "4 passed", 0)))
    end)

    it("about a check that passes again after each change", function()
        local lint = bash("make lint", "clean")
        silent(scene(lint, edit("a.c", "1", "2"), lint, edit("a.c", "2", "3"), lint))
    end)

    it("about waiting for a job", function()
        local poll = { call = "BashOutput", input = { bash_id = "b1" }, result = "running" }
        local sleep, view = bash("sleep 5; cat log", "-"), bash("gh run view 7", "queued")
        silent(scene(poll, poll, poll, sleep, sleep, sleep, view, view, view))
    end)

    it("about the same command in three turns", function()
        silent(scene(bash("git status", "clean"), { text = "Done." }, { user = "again" },
            bash("git status", "clean"), { text = "Done." }, { user = "again" },
            bash("git status", "clean")))
    end)

    it("about an edit that is made and undone once", function()
        silent(scene(edit("a.c", "run()", "log(); run()"), bash("make", "1"),
            edit("a.c", "log(); run()", "run()")))
    end)

    it("about the same edit in other files", function()
        silent(scene(edit("a.c", "x", "y"), edit("b.c", "x", "y"), edit("c.c", "x", "y")))
    end)

    it("about other arguments of one program", function()
        silent(scene(bash("grep -n foo a.c", ""), bash("grep -n bar a.c", ""),
            bash("grep -n baz a.c", "")))
    end)

    it("about calls taking turns whose results differ", function()
        silent(scene(read("a.c", "1"), bash("make", "e1", 1), read("a.c", "2"),
            bash("make", "e2", 1)))
    end)

    it("about calls that never gave a result", function()
        silent(scene(bash("make"), bash("make"), bash("make")))
    end)
end)
