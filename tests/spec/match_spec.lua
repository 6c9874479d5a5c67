local match = require("perilune.match")
local plan = require("perilune.plan")
local text = require("perilune.text")

local function bash(command)
    return { name = "Bash", input = { command = command }, result = "" }
end

describe("perilune.match", function()
    it("reads the command line of every kind of shell tool", function()
        assert.equal("make", match.command({ name = "bash", input = { command = "make" } }))
        assert.equal("make", match.command({ name = "exec_command", input = { cmd = "make" } }))
        assert.equal("make -s", match.command({ name = "shell",
            input = { command = { "bash", "-lc", "make -s" } } }))
        assert.equal("make", match.command({ name = "shell", input = "make" }))
        assert.is_nil(match.command({ name = "Read", input = { command = "make" } }))
    end)

    it("names the files a call changed", function()
        assert.same({ "a.c" }, match.edits({ name = "Write", input = { file_path = "a.c" },
            result = "ok" }))
        assert.same({ "a.c", "b.c" }, match.edits({ name = "apply_patch", result = "ok",
            input = "*** Begin Patch\n*** Update File: a.c\n*** Add File: b.c\n" }))
        assert.same({ "a.c" }, match.edits(bash("sed -i 's/x/y/' a.c")))
        assert.same({ "b.c" }, match.edits(bash("cat <<E > b.c\nx\nE")))
        assert.same({}, match.edits(bash("sed 's/x/y/' a.c")))
        assert.same({}, match.edits({ name = "Edit", input = { file_path = "a.c" },
            result = "no match", is_error = true }))
    end)

    it("tells source from prose and from scratch files", function()
        for path, expected in pairs({ ["src/a.py"] = true, ["Makefile"] = true,
            ["/w/a.c"] = true, ["README.md"] = false, ["LICENSE"] = false,
            ["/tmp/a.py"] = false,
            ["/elsewhere/a.c"] = false, ["/dev/null"] = false }) do
            assert.equal(expected, match.is_source(path, "/w"), path)
        end
    end)

    it("finds calls equal whatever the order and the description", function()
        local a = { name = "Bash", input = { command = "ls", timeout = 5,
            description = "One" } }
        local b = { name = "Bash", input = { timeout = 5, command = "ls",
            description = "Two" } }
        assert.equal(match.key(a), match.key(b))
        b.input.timeout = 6
        assert.not_equal(match.key(a), match.key(b))
    end)

    it("overlooks durations, times and addresses, but not counts", function()
        local function same(a, b) return match.same_result({ result = a }, { result = b }) end
        assert.is_true(same("2 failed in 0.21s", "2 failed in 1.3s"))
        assert.is_true(same("at 10:20:30 <0x7f01>", "at 11:21:31 <0x7f9a>"))
        assert.is_false(same("2 failed in 0.21s", "1 failed in 0.21s"))
        assert.is_false(match.same_result({}, {}))
    end)

    it("quotes a call on one line", function()
        assert.equal("`make test`", match.title(bash("make\n test")))
        assert.equal("Read of `a.c`", match.title({ name = "Read",
            input = { file_path = "a.c" } }))
        assert.equal("Odd", match.title({ name = "Odd", input = "x" }))
    end)
end)

describe("perilune.text", function()
    it("cuts at code points", function()
        assert.equal("äö…", text.clip("äöüß", 3))
        assert.equal("äöü", text.clip("äöü", 3))
        assert.equal("", text.clip("", 3))
    end)

    it("puts a text on one line", function()
        assert.equal("a b c", text.line("  a\n\tb  c ", 10))
    end)

    it("hashes alike what is alike", function()
        assert.equal(text.hash("abc"), text.hash("abc"))
        assert.not_equal(text.hash("abc"), text.hash("abd"))
        assert.matches("^%x%x%x%x%x%x%x%x$", text.hash(("x"):rep(99999)))
        assert.equal("0b885c8e", text.hash("abc")) -- as it stands in people's saved states
        assert.equal("a997b7d2", text.hash("abcdefghijk"))
    end)

    it("measures how much of one text another covers", function()
        assert.equal(1, text.covered("add a test", "Added: add one more test"))
        assert.equal(0.5, text.covered("add docs", "add tests"))
        assert.equal(0, text.covered("", "anything"))
    end)
end)

describe("perilune.plan", function()
    it("follows a list that is written as a whole", function()
        local steps = plan.after({}, { name = "TodoWrite", input = { todos = {
            { content = "Write the changelog entry", status = "completed" },
            { content = "Add tests", status = "pending" } } } })
        assert.is_true(plan.has_done(steps, "changelog entry"))
        assert.is_false(plan.has_done(steps, "add tests"))
    end)

    it("follows tasks that are made and ticked off one by one", function()
        local steps = plan.after({}, { name = "TaskCreate", input = { subject = "Add tests" },
            result = "Task #3 created successfully: Add tests" })
        assert.is_false(plan.has_done(steps, "add tests"))
        steps = plan.after(steps, { name = "TaskUpdate",
            input = { taskId = "3", status = "completed" } })
        assert.is_true(plan.has_done(steps, "add tests"))
    end)

    it("is bounded", function()
        local todos = {}
        for i = 1, 500 do todos[i] = { content = ("x"):rep(500), status = "pending" } end
        local steps = plan.after({}, { name = "TodoWrite", input = { todos = todos } })
        assert.equal(24, #steps)
        assert.is_true(#steps[1].text <= 62)
    end)
end)
