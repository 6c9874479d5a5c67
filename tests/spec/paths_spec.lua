local paths = require("perilune.paths")

describe("perilune.paths", function()
    it("makes a path absolute and plain", function()
        for path, whole in pairs({
            ["a.c"] = "/w/a.c", ["./a/../b.c"] = "/w/b.c", ["/x//y/./z"] = "/x/y/z",
            ["../o"] = "/o", ["~/x"] = "~/x", ["/"] = "/", ["."] = "/w",
        }) do
            assert.equal(whole, paths.normal(path, "/w"))
        end
    end)

    it("gives nil for what cannot be known", function()
        for _, path in ipairs({ "$HOME/x", "`pwd`/x", "../../x", "/.." }) do
            assert.is_nil(paths.normal(path, "/w"))
        end
        assert.is_nil(paths.normal("a.c"))
    end)

    it("tells what lies in a folder from what only begins like it", function()
        assert.is_true(paths.within("/w", "/w"))
        assert.is_true(paths.within("/w/a", "/w"))
        assert.is_false(paths.within("/wide/a", "/w"))
        assert.is_true(paths.is_scratch("/tmp"))
        assert.is_false(paths.is_scratch("/tmpfiles/x"))
    end)

    it("shortens for sentences", function()
        assert.equal("a/b.c", paths.short("/w/a/b.c", "/w"))
        assert.equal("/o/b.c", paths.short("/o/b.c", "/w"))
        assert.equal("/w", paths.short("/w", "/w"))
    end)

    it("knows a test by its name or its folder", function()
        for _, path in ipairs({ "tests/a.py", "src/a_test.go", "a.spec.ts", "x/__tests__/b.js",
            "test_a.py", "FooTest.java", "spec/a.rb", "lib/a_spec.lua", "conftest.py" }) do
            assert.is_true(paths.is_test(path), path)
        end
        for _, path in ipairs({ "src/latest.py", "contest/a.c", "src/attest.ts", "testing.md",
            "src/Testimony.java", "specular/a.c" }) do
            assert.is_false(paths.is_test(path), path)
        end
    end)
end)
