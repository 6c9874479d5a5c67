-- Keeps the layers of docs/design/architecture.md: reads every #include of core/ and cli/ and
-- reports those that are not allowed, with file:line, what and why; and files of one folder
-- that call each other in a circle. `--self-test` proves it would notice.
-- Usage: luajit tools/check_layers.lua [--self-test | ROOT]

-- Left to right: a file may include what has a smaller number. Equal numbers are siblings that
-- do not know each other.
local RANK = {
    base = 1, model = 2,
    ingest = 3, pairing = 3, tap = 3, gate = 3, digest = 3, runtime = 3, policy = 3,
    delivery = 3, ledger = 3,
    script = 4, io = 4,
    ["host/told"] = 5, ["host/written"] = 6, ["host/admit"] = 7, ["host/run"] = 8,
    ["host/read"] = 9, ["host/status"] = 10, host = 11,
    cli = 12,
}

-- What all files of the host share, and what it is made of: everyone of them may include it,
-- and it includes the types that it holds.
local SHARED = "host/types.h"

-- Headers of other projects, and the only place that may include each.
local FOREIGN = {
    { header = "^lua%.h$", place = "core/script/" },
    { header = "^lauxlib%.h$", place = "core/script/" },
    { header = "^lualib%.h$", place = "core/script/" },
    { header = "^luajit%.h$", place = "core/script/" },
    { header = "^uv%.h$", place = "core/io/" },
    { header = "^uv/", place = "core/io/" },
    { header = "^curl/", place = "core/io/" },
    { header = "^zlib%.h$", place = "core/io/unpack.c" },
    { header = "^zstd", place = "core/io/unpack.c" },
    { header = "cJSON%.h$", place = "core/base/json_tree.c" },
    { header = "^yaml%.h$", place = "core/base/yaml.c" },
    { header = "^sqlite3%.h$", place = "core/ledger/" },
    { header = "^pcre2%.h$", place = "core/base/regex.c" },
}

-- Verbs that show what an embedder can do: they see the public header only.
local PUBLIC_ONLY = { "cli/cmd_run.c", "cli/cmd_replay.c", "cli/cmd_status.c" }

-- The layer of a file of the project, or nil.
local function layer_of_file(path)
    local folder = path:match("^core/(host/[^/]+)/") or path:match("^core/([^/]+)/")
    if folder then return folder end
    if path:match("^core/[^/]+$") then return "host" end
    if path:match("^cli/") then return "cli" end
end

-- The layer a quoted #include asks for; "public" for include/perilune.
local function layer_of_header(header, from)
    if header:match("^perilune/") then return "public" end
    local folder = header:match("^(host/[^/]+)/") or header:match("^([^/]+)/")
    if folder then return folder end
    return layer_of_file(from) == "cli" and "cli" or "host"
end

local function foreign_fault(path, header)
    for _, rule in ipairs(FOREIGN) do
        if header:match(rule.header) and path:sub(1, #rule.place) ~= rule.place then
            return "only " .. rule.place .. " may include it"
        end
    end
end

local function layer_fault(path, header)
    local mine, theirs = layer_of_file(path), layer_of_header(header, path)
    if theirs == "public" or theirs == mine then return nil end
    local in_host = mine:match("^host") and theirs:match("^host")
    if in_host and (header == SHARED or path == "core/" .. SHARED) then return nil end
    local my_rank, their_rank = RANK[mine], RANK[theirs]
    if not my_rank then return "core/" .. mine .. "/ is not one of the layers" end
    if not their_rank then return "'" .. theirs .. "' is not one of the layers" end
    if my_rank == their_rank then
        return mine .. " and " .. theirs .. " are siblings: neither may know the other"
    end
    if their_rank > my_rank then return theirs .. " stands right of " .. mine end
end

-- Why `path` may not include `header`, or nil if it may. `quoted`: "x.h", not <x.h>.
local function fault_of(path, header, quoted)
    local foreign = foreign_fault(path, header)
    if foreign or not quoted then return foreign end
    return layer_fault(path, header)
end

local function read(path)
    local file = io.open(path, "rb")
    if not file then return nil end
    local text = file:read("*a")
    file:close()
    return text
end

-- Every #include of a text as { line, header, quoted }.
local function includes_of(text)
    local found, number = {}, 0
    for line in (text .. "\n"):gmatch("(.-)\n") do
        number = number + 1
        local open, header = line:match('^%s*#%s*include%s*([<"])([^>"]+)[>"]')
        if header then
            found[#found + 1] = { line = number, header = header, quoted = open == '"' }
        end
    end
    return found
end

-- ---- Circles

-- C without comments and texts, so that what is left are names in use.
local function code_of(text)
    text = text:gsub("/%*.-%*/", " "):gsub("\\.", ""):gsub('"[^"\n]*"', '""')
    return (text:gsub("//[^\n]*", ""))
end

-- Notes the functions with a name of the project's that a file defines; the shape is
-- clang-format's.
local function add_definitions(path, code, owner)
    for head in code:gmatch("\n([%a][^\n;{}#]-%b())%s*{") do
        local name = head:match("([%w_]+)%s*%b()$")
        local own = name and name:match("^%l+_") and not head:match("^static")
        if own then owner[name] = path end
    end
end

-- Which files of one folder use what others define: { path -> { path -> a name } }.
local function calls_in(root, paths)
    local code, owner, calls = {}, {}, {}
    for _, path in ipairs(paths) do
        code[path] = "\n" .. code_of(read(root .. "/" .. path))
        add_definitions(path, code[path], owner)
    end
    for _, path in ipairs(paths) do
        calls[path] = {}
        for name in code[path]:gmatch("[%a_][%w_]*") do
            local other = owner[name]
            if other and other ~= path then calls[path][other] = name end
        end
    end
    return calls
end

local function sorted_keys(map)
    local keys = {}
    for key in pairs(map) do keys[#keys + 1] = key end
    table.sort(keys)
    return keys
end

-- "a.c calls x() of b.c, b.c calls y() of a.c" for the first circle that is met; or nil.
local function circle_among(calls)
    local done, on_way, way = {}, {}, {}
    local function visit(path)
        on_way[path], way[#way + 1] = #way + 1, path
        for _, other in ipairs(sorted_keys(calls[path])) do
            if on_way[other] then return on_way[other] end
            local start = not done[other] and visit(other)
            if start then return start end
        end
        on_way[path], way[#way] = nil, nil
        done[path] = true
    end
    for _, path in ipairs(sorted_keys(calls)) do
        local start = not done[path] and visit(path)
        if start then
            local steps = {}
            for at = start, #way do
                local other = way[at + 1] or way[start]
                steps[#steps + 1] = way[at] .. " calls " .. calls[way[at]][other] .. "()"
            end
            return way[start] .. ":1: a circle: " .. table.concat(steps, ", ")
        end
    end
end

local function circle_faults(root, files, faults)
    local folders = {}
    for _, path in ipairs(files) do
        local folder = path:match("^(.*)/[^/]*%.c$")
        if folder then
            folders[folder] = folders[folder] or {}
            table.insert(folders[folder], path)
        end
    end
    for _, folder in ipairs(sorted_keys(folders)) do
        faults[#faults + 1] = circle_among(calls_in(root, folders[folder]))
    end
end

-- Follows the cli headers a verb includes; reports each step that leaves the public header.
local function public_faults(root, path, verb, seen, faults)
    local text = read(root .. "/" .. path)
    if not text or seen[path] then return end
    seen[path] = true
    for _, include in ipairs(includes_of(text)) do
        if include.quoted and not include.header:match("^perilune/") then
            local header = include.header:gsub("^cli/", "")
            if read(root .. "/cli/" .. header) then
                public_faults(root, "cli/" .. header, verb, seen, faults)
            else
                faults[#faults + 1] = ('%s:%d: "%s": %s may see the public header only'):format(
                    path, include.line, include.header, verb)
            end
        end
    end
end

local function files_below(root)
    local list = {}
    local find = io.popen("cd '" .. root .. "' && find core cli -name '*.[ch]' | sort")
    for path in find:lines() do list[#list + 1] = path end
    find:close()
    return list
end

-- All faults of a tree, one text each.
local function check(root)
    local faults, files = {}, files_below(root)
    for _, path in ipairs(files) do
        for _, include in ipairs(includes_of(read(root .. "/" .. path))) do
            local why = fault_of(path, include.header, include.quoted)
            if why then
                local place = ("%s:%d: "):format(path, include.line)
                faults[#faults + 1] = place .. include.header .. ": " .. why
            end
        end
    end
    circle_faults(root, files, faults)
    for _, verb in ipairs(PUBLIC_ONLY) do public_faults(root, verb, verb, {}, faults) end
    return faults, #files
end

-- A small tree with one violation of each kind, and files that obey.
local SAMPLE = {
    ["core/base/good.c"] = '#include "base/good.h"\n#include "perilune/base.h"\n',
    ["core/base/up.c"] = '\n#include "model/turn.h"\n',
    ["core/tap/sibling.c"] = '#include "digest/digest.h"\n',
    ["core/tap/lua.c"] = "#include <lua.h>\n",
    ["core/policy/db.h"] = "  #  include <sqlite3.h>\n",
    ["core/base/map.c"] = "#include <cjson/cJSON.h>\n",
    ["core/base/json_tree.c"] = "#include <cjson/cJSON.h>\n",
    ["core/script/loop.c"] = "#include <uv.h>\n",
    ["core/odd/odd.c"] = '#include "base/str.h"\n',
    ["core/io/host.c"] = '#include "host.h"\n',
    ["core/host/types.h"] = '#include "host/run/run.h"\n',
    ["core/host/told/told.h"] = '#include "host/types.h"\n#include "host/run/run.h"\n',
    ["core/host/run/run.h"] = '#include "host/told/told.h"\n',
    ["core/gate/a.c"] = "int gate_a(\n    void) {\n    return gate_b();\n}\n",
    ["core/gate/b.c"] = "int gate_b(void) {\n    return gate_c(); // not gate_a()\n}\n",
    ["core/gate/c.c"] = "static int a(void) {\n    return gate_a();\n}\n" ..
        "int gate_c(void) {\n    return a();\n}\n",
    ["core/gate/d.c"] = 'int gate_d(void) {\n    return use(gate_a, "gate_e");\n}\n',
    ["core/gate/e.c"] = "int gate_e(void) {\n    return gate_d();\n}\n",
    ["cli/cmd_run.c"] = '#include "view.h"\n',
    ["cli/view.h"] = '#include <stddef.h>\n#include "base/str.h"\n',
}
local EXPECTED = {
    "cli/view.h:2", "core/base/map.c:1", "core/base/up.c:2", "core/gate/a.c:1",
    "core/host/told/told.h:2", "core/io/host.c:1",
    "core/odd/odd.c:1", "core/policy/db.h:1", "core/script/loop.c:1", "core/tap/lua.c:1",
    "core/tap/sibling.c:1",
}

local function write_sample(root)
    for path, text in pairs(SAMPLE) do
        os.execute("mkdir -p '" .. root .. "/" .. path:match("(.*)/") .. "'")
        local file = assert(io.open(root .. "/" .. path, "w"))
        file:write(text)
        file:close()
    end
end

local function self_test()
    local root = os.tmpname()
    os.remove(root)
    write_sample(root)
    local places = {}
    for _, fault in ipairs((check(root))) do places[#places + 1] = fault:match("^[^:]+:%d+") end
    os.execute("rm -rf '" .. root .. "'")
    table.sort(places)
    local got, want = table.concat(places, "\n"), table.concat(EXPECTED, "\n")
    if got == want then return true end
    print("expected faults at:\n" .. want .. "\nfound:\n" .. got)
    return false
end

if arg[1] == "--self-test" then os.exit(self_test() and 0 or 1) end
local faults, count = check(arg[1] or ".")
for _, fault in ipairs(faults) do print(fault) end
print(("%d files, %d faults"):format(count, #faults))
os.exit(#faults == 0 and count > 0 and 0 or 1)
