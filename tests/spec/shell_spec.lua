local shell = require("perilune.shell")

local function names(text)
    local out = {}
    shell.each(shell.commands(text), function(command)
        out[#out + 1] = command.name .. (#command.args > 0 and "(" or "")
            .. table.concat(command.args, ",") .. (#command.args > 0 and ")" or "")
    end)
    return table.concat(out, " ")
end

describe("perilune.shell", function()
    for text, expected in pairs({
        ["cd x && make test 2>&1 | tail -5"] = "cd(x) make(test) tail(-5)",
        ["FOO=1 sudo -u root timeout -k 5 60 rm -rf 'a b'"] = "rm(-rf,a b)",
        ["echo \"git push --force\" # rm -rf /"] = "echo(git push --force)",
        ["cat > a.py <<'EOF'\nrm -rf /\nEOF\npython a.py &"] = "cat python(a.py)",
        ["bash -lc 'git push -f && ls' || true"] = "git(push,-f) ls true",
        ["if [ -f a ]; then (cd b; pytest -q); fi"] = "[(-f,a,]) cd(b) pytest(-q)",
        ["command -v pytest"] = "command(-v,pytest)",
        ["find . -name '*.o' | xargs -n 1 rm -rf"] = "find(.,-name,*.o) rm(-rf)",
        ["a=$((1+(2))) x"] = "x",
        ["f() { rm -rf /; }"] = "f rm(-rf,/)",
        ["/usr/bin/make -j2"] = "make(-j2)",
        ["x 'unterminated"] = "x(unterminated)",
        ["one \\\n two"] = "one(two)",
        [""] = "",
    }) do
        it("splits " .. text:gsub("\n", "\\n"), function()
            assert.equal(expected, names(text))
        end)
    end

    it("looks into substitutions and keeps apart what follows them", function()
        local text = "git commit -m \"$(cat <<'EOF'\nit's (fine\nEOF\n)\" && git push"
        local commands = shell.commands(text)
        assert.equal(2, #commands)
        assert.equal("cat", commands[1].inner[1].name)
        assert.same({ "push" }, commands[2].args)
    end)

    it("names the files output is sent to", function()
        assert.same({ "a.log" }, shell.commands("make >a.log 2>&1")[1].writes)
        assert.same({}, shell.commands("make 2>&1 >&2 <in")[1].writes)
    end)

    it("says how commands are joined", function()
        local commands = shell.commands("a | b && c || d; e &")
        local seps = {}
        for i, command in ipairs(commands) do seps[i] = command.sep end
        assert.same({ "|", "&&", "||", ";", "&" }, seps)
    end)

    it("stays within bounds on hostile lines", function()
        for _, text in ipairs({ ("$("):rep(9000), ("("):rep(9000), ("`"):rep(9001),
            ("a;"):rep(20000), ("\\"):rep(9001), ("<<E "):rep(4000), ("\"$("):rep(5000) }) do
            assert.is_true(#shell.commands(text) <= 200)
        end
    end)

    it("finds flags before the end of options only", function()
        assert.is_true(shell.has_flag({ "-rf", "x" }, "f"))
        assert.is_true(shell.has_flag({ "--force" }, "f", "--force"))
        assert.is_false(shell.has_flag({ "--", "-f" }, "f"))
        assert.same({ "x", "-f" }, shell.operands({ "-r", "x", "--", "-f" }))
    end)
end)
