-- Runs `perilune gate` once for every row of a table and compares verdict, exit code and reason. A row
-- may bring its settings files, an agent definition, a config, a managed file and a mode; the folder they
-- are written to is made anew for each. Usage: luajit table.lua PROGRAM TABLE FOLDER
package.path = (arg[0]:match("^(.*)/[^/]*$") or ".") .. "/../support/?.lua;" .. package.path
local json = require("json")

local program, table_file, folder = arg[1], arg[2], arg[3]
local passed, failed = 0, 0

local function quote(text)
    return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function run(command)
    local pipe = assert(io.popen(command .. "; echo \"|$?\""))
    local text = pipe:read("*a")
    pipe:close()
    local out, code = text:match("^(.*)|(%d+)\n$")
    return out, tonumber(code)
end

local function write(path, text)
    os.execute("mkdir -p " .. quote(path:match("^(.*)/")))
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
end

local places = {
    user = "/home/.claude/settings.json",
    project = "/project/.claude/settings.json",
    ["local"] = "/project/.claude/settings.local.json",
    given = "/given.json",
    managed = "/managed-settings.json",
}

-- Writes what the row brings along; returns the options that name it.
local function lay_out(row)
    os.execute("rm -rf " .. quote(folder) .. "; mkdir -p " .. quote(folder .. "/project"))
    local options = {}
    for place, text in pairs(row.settings or {}) do write(folder .. places[place], text) end
    for _, place in ipairs({ "given", "managed" }) do
        if (row.settings or {})[place] then
            options[#options + 1] = "--settings " .. quote(folder .. places[place])
        end
    end
    if row.agent then write(folder .. "/home/.claude/agents/worker.md", row.agent) end
    if row.config then write(folder .. "/home/.config/perilune/config.yaml", row.config) end
    if row.managed then
        write(folder .. "/managed.yaml", row.managed)
        options[#options + 1] = "--managed " .. quote(folder .. "/managed.yaml")
    end
    if row.mode then options[#options + 1] = "--mode " .. row.mode end
    return table.concat(options, " ")
end

local function ask(row)
    local home = folder .. "/home"
    return run(("env -u CLAUDE_CONFIG_DIR HOME=%s XDG_CONFIG_HOME=%s XDG_STATE_HOME=%s %s gate --json "
        .. "--agent worker --observer %s --project %s %s 2>%s"):format(quote(home),
        quote(home .. "/.config"), quote(home .. "/state"), quote(program),
        row.observer or "reviewer", quote(folder .. "/project"), lay_out(row),
        quote(folder .. ".err")))
end

local function problem(row)
    local out, code = ask(row)
    local ok, said = pcall(json.decode, out)
    if not ok then return "no JSON, exit " .. code .. ": " .. out end
    local wanted = row.verdict == "allow" and 0 or 1
    if said.verdict ~= row.verdict then
        return ("verdict %s, wanted %s (%s)"):format(said.verdict, row.verdict, tostring(said.reason))
    end
    if code ~= wanted then return "exit " .. code end
    if said.step ~= row.step then return "decided by " .. tostring(said.step) end
    if row.reason and not (said.reason or ""):find(row.reason, 1, true) then
        return "reason: " .. tostring(said.reason)
    end
    if #said.steps ~= 6 then return "not six steps" end
end

for line in io.lines(table_file) do
    local row = json.decode(line)
    local fault = problem(row)
    passed = passed + (fault and 0 or 1)
    failed = failed + (fault and 1 or 0)
    if fault then print("not ok - " .. row.name .. "\n    " .. fault) end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
