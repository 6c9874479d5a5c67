local testing = require("perilune.testing")
local spec = testing.load("claim-check.lua")

local PASSED = "============ 14 passed in 0.21s ============"
local FAILED = "======= 2 failed, 12 passed in 0.24s ======="

local function bash(command, result, code)
    return { call = "Bash", input = { command = command }, result = result, exit_code = code }
end

local function edit(path)
    return { call = "Edit", input = { file_path = path, old_string = "a", new_string = "b" },
        result = "The file has been updated." }
end

local function scene(...)
    return { user = "Fix the parser.", ... }
end

describe("claim-check speaks", function()
    local function says(entries, pattern)
        local said = testing.replay(spec, entries)
        assert.equal(1, #said)
        assert.matches(pattern, said[1].text)
        return said[1]
    end

    it("when the last run failed", function()
        local said = says(scene(bash("pytest", FAILED, 1), { text = "All tests pass now." }),
            "last run of `pytest` failed %(2 failed%)")
        assert.same({ 2 }, said.proposal.evidence)
    end)

    it("when a file was changed after the run", function()
        says(scene(bash("pytest", PASSED), edit("src/a.py"), { text = "All tests pass." }),
            "`src/a.py` was changed after the last run")
    end)

    it("when it never ran a test", function()
        says(scene(edit("src/a.py"), { text = "I fixed it and all 14 tests pass." }),
            "no test run has taken place")
    end)

    it("when a failing run is hidden by a pipe that keeps its summary", function()
        says(scene(bash("pytest -q 2>&1 | tail -3", "2 failed, 12 passed in 0.24s"),
            { text = "All green." }), "failed")
    end)

    it("when the last run belongs to an earlier turn", function()
        says(scene(bash("pytest", FAILED, 1), { text = "I will look at it." },
            { user = "go on" }, edit("src/a.py"), { text = "Fixed. The tests are passing." }),
            "nothing has been run since the last change")
    end)

    it("about a build that broke", function()
        says(scene(bash("npm run build", "error TS2322", 2), { text = "The build is green." }),
            "`npm run build` failed")
    end)

    it("when a fault is called fixed and the last run says otherwise", function()
        says(scene(edit("src/a.py"), bash("make test", "make: *** [test] Error 1", 2),
            { text = "The issue is now fixed." }), "failed")
    end)

    it("about a claim with a reservation behind it", function()
        says(scene(bash("go test ./...", "FAIL\texample/a\t0.01s", 1),
            { text = "All tests pass, but the linter warns about an import." }), "go test")
    end)

    it("once more with the same fingerprint when the claim is repeated", function()
        local said = testing.replay(spec, scene(bash("pytest", FAILED, 1),
            { text = "All tests pass." }, bash("git status", "clean"),
            { text = "All tests pass." }))
        assert.equal(2, #said)
        assert.equal(said[1].proposal.fingerprint, said[2].proposal.fingerprint)
    end)
end)

describe("claim-check is silent", function()
    local function silent(entries)
        assert.same({}, testing.replay(spec, entries))
    end

    it("when the last run passed", function()
        silent(scene(edit("src/a.py"), bash("pytest", PASSED), { text = "All tests pass." }))
    end)

    it("when only prose was changed after the run", function()
        silent(scene(bash("pytest", PASSED), edit("CHANGELOG.md"),
            { text = "All tests pass." }))
    end)

    it("about plans, hopes, conditions, questions, denials and quotations", function()
        for _, words in ipairs({
            "Next I'll make sure all tests pass.", "All tests should pass now.",
            "Once all tests pass I will commit.", "Do all tests pass?",
            "Not all tests pass yet.", 'The README says "all tests pass".',
            "> all tests pass", "- [ ] All tests pass", "All tests pass on your machine.",
            "```\nall tests pass\n```", "All tests passed before my change.",
        }) do
            silent(scene(bash("pytest", FAILED, 1), { text = words }))
        end
    end)

    it("about a claim that the same answer puts to the proof", function()
        silent(scene(bash("pytest", FAILED, 1), { text = "All tests pass now; checking." },
            bash("pytest", PASSED)))
    end)

    it("when a pipe hides how the run ended", function()
        silent(scene(bash("pytest 2>&1 | grep -c error", "0"), { text = "All tests pass." }))
    end)

    it("when a subagent may have run the tests", function()
        silent(scene(edit("src/a.py"), { call = "Task", input = { prompt = "run the tests" },
            result = "They are fine." }, { text = "All tests pass." }))
    end)

    it("about some of the tests", function()
        silent(scene(bash("pytest", FAILED, 1), bash("pytest tests/test_a.py", PASSED),
            { text = "The parser tests pass." }))
    end)

    it("when the run is still in the background", function()
        local run = bash("pytest", "Running with id b1")
        run.input.run_in_background = true
        silent(scene(bash("pytest", PASSED), run, { text = "All tests pass." }))
    end)

    it("about a run that was refused", function()
        local run = bash("pytest")
        run.denied = "not now"
        silent(scene(bash("pytest", PASSED), run, { text = "All tests pass." }))
    end)

    it("about fixes that no run contradicts", function()
        silent(scene(edit("src/a.py"), { text = "I fixed the typo." }))
    end)

    it("about a fix named in the middle of the work", function()
        silent(scene(bash("pytest", FAILED, 1), { text = "I fixed the regex; now the test." },
            edit("tests/test_a.py"), bash("pytest", PASSED)))
    end)
end)
