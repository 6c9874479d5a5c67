local results = require("perilune.results")
local runs = require("perilune.runs")

local function of(command, result, code)
    return runs.of({ name = "Bash", input = { command = command }, result = result,
        exit_code = code })
end

describe("perilune.results", function()
    for output, expected in pairs({
        ["=== 2 failed, 14 passed in 0.31s ==="] = { 14, 2 },
        ["14 passed, 1 warning in 0.3s"] = { 14, 0 },
        ["==== 1 error in 0.10s ===="] = { 0, 1 },
        ["Tests:       1 failed, 12 passed, 13 total"] = { 12, 1 },
        ["      Tests  1 failed | 12 passed (13)"] = { 12, 1 },
        ["  12 passing (34ms)\n  1 failing"] = { 12, 1 },
        ["ok  \texample/a\t0.01s\nFAIL\texample/b\t0.02s"] = { 1, 1 },
        ["test result: ok. 3 passed; 0 failed; 0 ignored\n"
            .. "test result: FAILED. 1 passed; 2 failed; 0 ignored"] = { 4, 2 },
        ["92% tests passed, 1 tests failed out of 12"] = { 11, 1 },
        ["5 successes / 1 failure / 1 error / 0 pending : 0.1 seconds"] = { 5, 2 },
        ["Ran 5 tests in 0.002s\n\nOK"] = { 5, 0 },
        ["FAILED (failures=1, errors=2)"] = { 0, 3 },
        ["12 examples, 1 failure"] = { 11, 1 },
        ["OK (12 tests, 30 assertions)"] = { 12, 0 },
        ["Tests run: 5, Failures: 1, Errors: 1, Skipped: 0"] = { 3, 2 },
        ["Failed!  - Failed:     1, Passed:    11, Skipped: 0"] = { 11, 1 },
        ["# pass 12\n# fail 1"] = { 12, 1 },
        ["\27[31m1 failed\27[0m, 2 passed in 0.1s"] = { 2, 1 },
    }) do
        it("reads " .. output:gsub("%c", " "), function()
            local counts = results.counts(output)
            assert.same({ passed = expected[1], failed = expected[2] }, counts)
        end)
    end

    it("guesses nothing from other text", function()
        assert.is_nil(results.counts("3 files changed, 2 insertions"))
        assert.is_nil(results.counts(("x 1\n"):rep(20000)))
    end)
end)

describe("perilune.runs", function()
    for command, kind in pairs({
        ["pytest -q"] = "test", ["python3 -m pytest tests"] = "test", ["make test"] = "test",
        ["cd a && npm run test:unit"] = "test", ["npx vitest run"] = "test",
        ["go test ./..."] = "test", ["cargo nextest run"] = "test", ["ctest -j2"] = "test",
        ["poetry run pytest"] = "test", ["./gradlew check"] = "test", ["node --test"] = "test",
        ["make test-unit"] = "test", ["bundle exec rspec"] = "test", ["mvn -q verify"] = "test",
        ["make"] = "build", ["cmake --build build"] = "build", ["npm run build"] = "build",
        ["cargo build --release"] = "build", ["npx tsc --noEmit"] = "build",
        ["./dev check"] = "maybe", ["python run_tests.py"] = "maybe",
        ["bash ci/test.sh"] = "maybe",
    }) do
        it("knows " .. command, function() assert.equal(kind, of(command, "").kind) end)
    end

    for _, command in ipairs({ "ls tests", "cat test_a.py", "git commit -m 'make test'",
        "command -v pytest", "grep -rn pytest .", "echo make test", "make clean",
        "pip list" }) do
        it("does not take " .. command .. " for a run", function()
            assert.is_nil(of(command, ""))
        end)
    end

    for name, case in pairs({
        ["a plain success"] = { "make test", "bye", 0, "passed" },
        ["a plain failure"] = { "make test", "make: *** Error 1", 2, "failed" },
        ["a success at the end of a chain"] = { "cd a && make test", "bye", 0, "passed" },
        ["a failure behind ;"] = { "make clean; make test", "bye", 2, "failed" },
        ["a failure forgiven by || true"] = { "make test || true", "bye", 0, "unknown" },
        ["a result behind a pipe"] = { "make test | tail -2", "bye", 0, "unknown" },
        ["counts behind a pipe"] = { "pytest | tail -2", "1 failed in 0.1s", 0, "failed" },
        ["a failure that may belong to a later command"] =
            { "make test && make lint", "bye", 1, "unknown" },
        ["green counts with a red status"] =
            { "pytest && lint", "3 passed in 0.1s", 1, "unknown" },
        ["a run that timed out"] =
            { "make test", "Command timed out after 2m", 143, "unknown" },
        ["a result that never came"] = { "make test", nil, nil, "unknown" },
    }) do
        it("judges " .. name, function()
            assert.equal(case[4], of(case[1], case[2], case[3]).verdict)
        end)
    end

    it("does not count a run that found no tests", function()
        assert.equal("maybe", of("pytest tests/none.py", "no tests ran in 0.01s", 5).kind)
    end)

    it("finds a goal's check among other commands", function()
        local call = { name = "Bash", input = { command = "cd a && make test V=1" },
            result = "" }
        assert.equal("passed", runs.check(call, "make test"))
        assert.is_nil(runs.check(call, "make lint"))
        call.exit_code = 2
        assert.equal("failed", runs.check(call, "make test"))
    end)
end)
