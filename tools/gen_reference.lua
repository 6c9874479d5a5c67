-- Makes docs/reference/observer-api.md of the annotations: lua/meta for what the host binds,
-- lua/perilune for what authors require; and the table of transitions in
-- docs/reference/lifecycle.md of the one in core/pairing; and the ways to each agent in
-- docs/reference/dialects.md of what the dialects state. Nothing is written twice. Usage:
-- luajit tools/gen_reference.lua [--check] [ROOT]; --check compares instead of writing, and
-- fails on a difference.

local OUTPUT = "docs/reference/observer-api.md"
local META = { "lua/meta/observer.lua", "lua/meta/turn.lua", "lua/meta/policy.lua",
    "lua/meta/scene.lua" }
local MODULES = { "match", "changes", "paths", "shell", "runs", "results", "claims", "history",
    "plan", "wishes", "seen", "secrets", "recall", "text", "testing", "scenes" }

local function read(path)
    local file = io.open(path, "rb")
    if not file then return nil end
    local text = file:read("*a")
    file:close()
    return text
end

-- The type at the start of `text` and what is behind it: a type ends at two blanks, or where
-- its brackets are closed and a blank is followed by no operator.
local function split_type(text)
    local depth, at = 0, 1
    while at <= #text do
        local c = text:sub(at, at)
        if c == "(" or c == "{" or c == "<" then depth = depth + 1 end
        if c == ")" or c == "}" or c == ">" then depth = depth - 1 end
        local is_end = c == " " and depth == 0 and not text:find("^ *[|]", at)
            and not text:find("[|:,] *$", 1) and not text:sub(1, at):find("[|:,] $")
        if is_end then return text:sub(1, at - 1), text:sub(at):match("^%s*(.-)%s*$") end
        at = at + 1
    end
    return text, ""
end

local function cell(text)
    return (text:gsub("|", "\\|"))
end

local function code(text)
    return text == "" and "" or "`" .. cell(text) .. "`"
end

-- Classes and aliases in annotations, in order.
local function parse_types(text)
    local entries, open, doc = {}, nil, {}
    for line in (text .. "\n"):gmatch("([^\n]*)\n") do
        local class = line:match("^%-%-%-@class%s+([%w_.]+)")
        local alias, meaning = line:match("^%-%-%-@alias%s+([%w_.]+)%s*(.*)$")
        local name, rest = line:match("^%-%-%-@field%s+([%w_]+%??)%s+(.*)$")
        local word, remark = line:match('^%-%-%-|%s*("[^"]*")%s*#?%s*(.*)$')
        local prose = line:match("^%-%-%-%s?([^@|].*)$")
        if class or alias then
            open = { name = class or alias, doc = table.concat(doc, " "), fields = {},
                meaning = meaning ~= "" and meaning or nil, is_alias = alias ~= nil }
            entries[#entries + 1], doc = open, {}
            local beside = class and line:match("^%-%-%-@class%s+[%w_.]+%s+([^%s:].*)$")
            if beside then open.doc = open.doc .. (open.doc == "" and "" or " ") .. beside end
        elseif name and open then
            open.fields[#open.fields + 1] = { name = name, text = rest }
        elseif word and open then
            open.fields[#open.fields + 1] = { name = word, text = remark }
        elseif line:find("^%-%-%-%s%s+") and open and #open.fields > 0 then
            local last = open.fields[#open.fields]
            last.text = last.text .. " " .. line:match("^%-%-%-%s+(.*)$")
        elseif prose then
            doc[#doc + 1] = prose
        else
            open, doc = nil, {}
        end
    end
    return entries
end

local function write_types(out, entries)
    for _, entry in ipairs(entries) do
        out[#out + 1] = "### " .. entry.name
        out[#out + 1] = ""
        if entry.doc ~= "" then
            out[#out + 1] = entry.doc
            out[#out + 1] = ""
        end
        if entry.meaning then
            out[#out + 1] = "`" .. entry.meaning .. "`"
            out[#out + 1] = ""
        end
        if #entry.fields > 0 then
            local words = entry.is_alias
            out[#out + 1] = words and "| word | means |" or "| field | type | |"
            out[#out + 1] = words and "|---|---|" or "|---|---|---|"
            for _, field in ipairs(entry.fields) do
                local kind, what = split_type(field.text)
                out[#out + 1] = words
                    and ("| %s | %s |"):format(code(field.name), cell(field.text))
                    or ("| `%s` | %s | %s |"):format(field.name, code(kind), cell(what))
            end
            out[#out + 1] = ""
        end
    end
end

-- The functions of a module: their doc lines, parameters and results.
local function parse_functions(text)
    local found, doc, params, returns = {}, {}, {}, {}
    for line in (text .. "\n"):gmatch("([^\n]*)\n") do
        local prose = line:match("^%-%-%- (.*)$")
        local param = line:match("^%-%-%-@param%s+(.*)$")
        local result = line:match("^%-%-%-@return%s+(.*)$")
        local name, args = line:match("^function M%.([%w_]+)%(([^)]*)%)")
        local value = line:match("^M%.([%w_]+) =")
        if param then
            params[#params + 1] = param
        elseif result then
            returns[#returns + 1] = result
        elseif prose then
            doc[#doc + 1] = prose
        elseif (name or value) and #doc > 0 then
            found[#found + 1] = { name = name or value, args = args,
                doc = table.concat(doc, " "), params = params, returns = returns }
            doc, params, returns = {}, {}, {}
        elseif not line:find("^%-%-%-") then
            doc, params, returns = {}, {}, {}
        end
    end
    return found
end

local function write_module(out, name, text)
    local intro = {}
    for line in text:gmatch("([^\n]*)\n") do
        local prose = line:match("^%-%-%s?(.*)$")
        if not prose or line:find("^%-%-%-") or prose:find("^%s*$") then break end
        intro[#intro + 1] = prose
    end
    out[#out + 1] = "### perilune." .. name
    out[#out + 1] = ""
    out[#out + 1] = table.concat(intro, " ")
    out[#out + 1] = ""
    for _, fn in ipairs(parse_functions(text)) do
        local call = fn.args and ("%s.%s(%s)"):format(name, fn.name, fn.args)
            or name .. "." .. fn.name
        out[#out + 1] = ("* `%s`: %s"):format(call, fn.doc)
        for _, result in ipairs(fn.returns) do
            local kind, what = split_type(result)
            out[#out + 1] = ("  Gives %s%s."):format(code(kind):gsub("\\|", "|"),
                what ~= "" and " (" .. what .. ")" or "")
        end
    end
    out[#out + 1] = ""
    local types = parse_types(text)
    local shown = {}
    for _, entry in ipairs(types) do
        if #entry.fields > 0 then shown[#shown + 1] = entry end
    end
    write_types(out, shown)
end

local function generate(root)
    local out = {
        "# The API of observers, policies and specs",
        "",
        "Made by `luajit tools/gen_reference.lua` of the annotations in `lua/meta/` and",
        "`lua/perilune/`; change those. How to write one: [guide](../guide/observers.md).",
        "",
        "## What an author writes and is given",
        "",
    }
    for _, path in ipairs(META) do
        write_types(out, parse_types(assert(read(root .. "/" .. path), path)))
    end
    out[#out + 1] = "## What an observer may require"
    out[#out + 1] = ""
    out[#out + 1] = "All but `perilune.testing` and `perilune.scenes`, which are for specs."
    out[#out + 1] = ""
    for _, name in ipairs(MODULES) do
        local path = "lua/perilune/" .. name .. ".lua"
        write_module(out, name, assert(read(root .. "/" .. path), path))
    end
    return (table.concat(out, "\n"):gsub("\n+$", "\n"))
end

-- The table of transitions: states and causes by their words, and where each row leads.
local function transitions(root)
    local source = assert(read(root .. "/core/pairing/registry.c"))
    local head = assert(read(root .. "/core/pairing/registry.h"))
    local words, causes, order, rows = {}, {}, {}, {}
    for name, word in head:gmatch('X%(([A-Z]+), "([a-z]+)"%)') do
        words[name], words[name:sub(1, 1)] = word, word
        order[#order + 1] = name
    end
    for word in source:gmatch('%[PERI_CAUSE_[A-Z_]+%] = {"([^"]+)"') do
        causes[#causes + 1] = word
    end
    for name, list in source:gmatch("%[PERI_PAIRING_([A-Z]+)%] = {([A-Z, ]+)}") do
        local row = { words[name] }
        for to in list:gmatch("[A-Z]+") do
            row[#row + 1] = to == "NO" and "refused" or assert(words[to], to)
        end
        assert(#row == #causes + 1, "a row for each state, a column for each cause")
        rows[name] = "| " .. table.concat(row, " | ") .. " |"
    end
    local out = { "| from | " .. table.concat(causes, " | ") .. " |",
        "|---|" .. ("---|"):rep(#causes) }
    for _, name in ipairs(order) do out[#out + 1] = assert(rows[name], name) end
    return table.concat(out, "\n") .. "\n"
end

local LIFECYCLE = "docs/reference/lifecycle.md"
local DIALECTS = "docs/reference/dialects.md"

-- The page `path` with one table replaced: the lines from `| HEAD |` on.
local function with_table(root, path, head, text)
    local page = assert(read(root .. "/" .. path))
    local first = page:find("| " .. head .. " |[^\n]*\n|[^\n]*\n")
    assert(first, path .. " has no table that begins with " .. head)
    local last = first
    while page:sub(last, last) == "|" do last = page:find("\n", last, true) + 1 end
    return page:sub(1, first - 1) .. text .. page:sub(last)
end

-- What a dialect file states, without the core: `dialect` hands it back.
local function dialect_of(root, name)
    local chunk = assert(loadfile(("%s/lua/perilune/dialects/%s.lua"):format(root, name)))
    setfenv(chunk, setmetatable({ dialect = function(t) return t end }, { __index = _G }))
    return chunk()
end

-- `EVENT.ANSWER`, with what is known of it where that is not simply "ok".
local function way_cell(channels, way)
    local event, answer = way:match("^([^.]+)%.(.+)$")
    local known = {}
    for at, answers in pairs(channels) do
        local tool = at:match("^" .. event:gsub("%p", "%%%0") .. ":(.+)$")
        local reach = (at == event or tool) and answers[answer]
        if reach and tool then known[#known + 1] = tool .. ": " .. reach end
        if reach and not tool and reach ~= "ok" then table.insert(known, 1, reach) end
    end
    table.sort(known)
    return ("`%s`%s"):format(way, #known > 0 and " (" .. table.concat(known, ", ") .. ")" or "")
end

-- A row for each lane of each dialect that states lanes.
local function lanes(root)
    local order = dofile(root .. "/lua/perilune/lanes.lua")
    local out = { "| dialect | lane | ways, in the order in which they are taken |",
        "|---|---|---|" }
    for _, name in ipairs({ "claude_hooks", "claude_stream", "codex_hooks", "codex_exec",
        "pi_json", "gemini_stream", "opencode_run" }) do
        local one = dialect_of(root, name)
        local checked = one.lanes.checked
        local shown = one.name .. (checked and ", tried with " .. checked or "")
        for _, lane in ipairs(order.LANES) do
            local ways, cells = one.lanes[lane], {}
            for _, way in ipairs(type(ways) == "table" and ways or { ways }) do
                cells[#cells + 1] = way_cell(one.lanes.channels, way)
            end
            if order.INSTEAD[lane] then
                local text = #cells > 0 and table.concat(cells, ", ") or "none"
                out[#out + 1] = ("| %s | %s | %s |"):format(shown, lane, text)
                shown = ""
            end
        end
    end
    return table.concat(out, "\n") .. "\n"
end

local check = arg[1] == "--check"
local root = arg[check and 2 or 1] or "."
local failed = false
package.path = root .. "/lua/?.lua;" .. package.path
for path, text in pairs({
    [OUTPUT] = generate(root),
    [LIFECYCLE] = with_table(root, LIFECYCLE, "from", transitions(root)),
    [DIALECTS] = with_table(root, DIALECTS, "dialect", lanes(root)),
}) do
    if not check then
        local file = assert(io.open(root .. "/" .. path, "wb"))
        file:write(text)
        file:close()
    elseif read(root .. "/" .. path) ~= text then
        print(path .. " is not what the code says: run luajit tools/gen_reference.lua")
        failed = true
    end
end
os.exit(failed and 1 or 0)
