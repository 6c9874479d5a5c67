package.path = "tests/support/?.lua;" .. package.path
local act = require("acts")
local changes = require("perilune.changes")

local function of(call)
    call.name = call.name or call.call
    return changes.of(call)
end

describe("perilune.changes", function()
    it("reads replacements of several tools", function()
        local found = of(act.edit("a.c", "x", "y"))
        assert.same({ { path = "a.c", kind = "edit", old = "x", new = "y" } }, found)
        found = of({ call = "edit", input = { path = "b", oldText = "1", newText = "2" },
            result = "ok" })
        assert.equal("2", found[1].new)
        found = of({ call = "MultiEdit", input = { file_path = "c", edits = {
            { old_string = "1", new_string = "2" }, { old_string = "3", new_string = "4" } } },
            result = "ok" })
        assert.equal(2, #found)
        assert.equal("3", found[2].old)
    end)

    it("reads a whole file as new text", function()
        assert.same({ { path = "n", kind = "write", old = "", new = "text" } },
            of(act.write("n")))
    end)

    it("reads patches of several files, in any wrapping", function()
        local patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n z\n"
            .. "*** Add File: b\n+new\n*** Delete File: c\n*** End Patch"
        local shell = act.bash("apply_patch <<'EOF'\n" .. patch .. "\nEOF")
        for _, call in ipairs({ { call = "apply_patch", input = patch, result = "ok" },
            { call = "apply_patch", input = { input = patch }, result = "ok" }, shell }) do
            local found = of(call)
            assert.equal(3, #found)
            assert.same({ "edit", "add", "delete" },
                { found[1].kind, found[2].kind, found[3].kind })
            assert.same({ "x", "y" }, { found[1].old, found[1].new })
            assert.equal("new", found[2].new)
        end
    end)

    it("takes a line that went and began with `-- ` for no head of a patch", function()
        local codex = "*** Begin Patch\n*** Update File: a\n@@\n--- why\n-x\n+y\n*** End Patch"
        local diff = "--- a/a\n+++ b/a\n@@ -1,2 +1 @@\n--- why\n-x\n+y\n"
        for _, patch in ipairs({ codex, "*** \n" .. diff }) do
            assert.same({ { path = "a", kind = "edit", old = "-- why\nx", new = "y" } },
                of({ call = "apply_patch", input = patch, result = "ok" }))
        end
    end)

    it("reads removals by the shell, and none that are only quoted", function()
        assert.equal(2, #of(act.bash("rm -f a b")))
        assert.equal("t", of(act.bash("git rm t"))[1].path)
        assert.equal(0, #of(act.bash("git rm --cached t")))
        assert.equal(0, #of(act.bash("echo 'rm a'")))
    end)

    local function told(command)
        local out = {}
        for i, change in ipairs(of(act.bash(command))) do
            out[i] = ("%s %s%s -%s +%s"):format(change.kind, change.path,
                change.to and " to " .. change.to or "", change.old, change.new)
        end
        return table.concat(out, "; ")
    end

    it("reads what sed and perl do in place", function()
        assert.equal("edit a -x*y +q/r", told([[sed -i 's|^x\*y$|q/r|g' a]]))
        assert.equal("edit a -f(x) +g(f(x))", told([[sed -i.bak -E 's/f\(x\)/g(&)/' a]]))
        assert.equal("edit a -x +; edit b -x +", told("gsed -i '/x/d' a b"))
        assert.equal("insert a - +new", told("sed -i '3i new' a"))
        assert.equal("edit a -u +v", told("perl -0pi -e 's/u/v/' a"))
        assert.equal("", told("sed 's/x/y/' a"))
        assert.equal("", told("sed -i 's/x' a"))
    end)

    it("reads what is written where the line shows it", function()
        assert.equal("write a - +x\ny", told("cat > a <<'EOF'\nx\ny\nEOF"))
        assert.equal("append a - +x", told("echo x >> a"))
        assert.equal("append a - +x", told("tee -a a <<EOF\nx\nEOF"))
        assert.equal("write a - +", told("> a"))
        assert.equal("", told("make > a 2>&1; echo x > /dev/null"))
    end)

    it("reads moves, restores and patches, each where a `cd` puts it", function()
        assert.equal("move d/a to d/b - +", told("cd d && mv a b"))
        assert.equal("move a to d/a - +; move b to d/b - +", told("git mv a b d"))
        assert.equal("restore a - +; restore b - +", told("git checkout HEAD~2 -- a b"))
        assert.equal("restore a - +", told("git restore a"))
        assert.equal("", told("git restore --staged a; git checkout main"))
        assert.equal("delete t/*_test.c - +", told("find t -name '*_test.c' -delete"))
        assert.equal("edit a.c -x +y; delete d - +", told("git apply <<'EOF'\n--- a/a.c\n"
            .. "+++ b/a.c\n@@ -1 +1 @@\n-x\n+y\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\nEOF"))
    end)

    it("gives nothing for what failed or was refused", function()
        assert.equal(0, #of(act.with(act.edit("a"), { is_error = true })))
        assert.equal(0, #of(act.with(act.edit("a"), { denied = true })))
        assert.equal(0, #of(act.read("a")))
    end)

    it("tells the lines that came and went from those that stayed", function()
        local added, removed = changes.lines({ old = "a\n  b\nc\na", new = "b\nd\na" })
        assert.same({ "d" }, added)
        assert.same({ "c", "a" }, removed)
    end)
end)
