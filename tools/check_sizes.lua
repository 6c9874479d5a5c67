-- Sizes of functions and files: the places to think about, a line of totals, and a failure for
-- what no longer reads well. Relies on the shape clang-format gives: a function opens with a
-- line in column 1 that ends in ") {" and closes with "}" in column 1.
-- Usage: luajit tools/check_sizes.lua

local AIM = { fn = 40, c = 300, lua = 300 }  -- lines; above: listed
local LIMIT = { fn = 80, c = 600, lua = 400 } -- lines; above: failure

local function lines_of(path)
    local list = {}
    for line in io.lines(path) do list[#list + 1] = line end
    return list
end

-- Appends { name, path, line, size } for each function of a C file to `functions`.
local function add_functions(path, lines, functions)
    local head, opened
    for number, line in ipairs(lines) do
        if not opened and line:match("^[%a_].*%(") and not line:match("^typedef") then
            head = { name = line:match("([%w_]+)%("), line = number }
        end
        if head and not opened and line:match("%) {$") then opened = head end
        if not opened and line:match(";$") then head = nil end
        if opened and line == "}" then
            opened.path, opened.size = path, number - opened.line + 1
            functions[#functions + 1] = opened
            head, opened = nil, nil
        end
    end
end

local function by_size(a, b)
    if a.size ~= b.size then return a.size > b.size end
    return a.path .. (a.name or "") < b.path .. (b.name or "")
end

-- The value below which `share` of the sorted (largest first) list lies.
local function quantile(list, share)
    return #list > 0 and list[math.max(1, math.ceil(#list * (1 - share)))].size or 0
end

local function share_within(list, limit)
    local count = 0
    for _, entry in ipairs(list) do
        if entry.size <= limit then count = count + 1 end
    end
    return #list > 0 and 100 * count / #list or 100
end

-- Lists what is over its aim; returns how many are over their limit.
local function report(list, aim, limit)
    local over = 0
    for _, entry in ipairs(list) do
        local name = entry.name and (" " .. entry.name) or ""
        local place = entry.line and (":" .. entry.line) or ""
        if entry.size > limit then over = over + 1 end
        if entry.size > aim then
            print(("%s%s%s: %d lines (%s)"):format(entry.path, place, name, entry.size,
                entry.size > limit and "over the limit of " .. limit or "aim: " .. aim))
        end
    end
    return over
end

local function collect()
    local functions, c_files, lua_files = {}, {}, {}
    local find = io.popen("find core cli exec include tools tests lua policies observers "
        .. "-type f -name '*.[ch]' -o -type f -name '*.lua' | sort")
    for path in find:lines() do
        local lines = lines_of(path)
        local files = path:match("%.lua$") and lua_files or c_files
        files[#files + 1] = { path = path, size = #lines }
        if path:match("%.[ch]$") then add_functions(path, lines, functions) end
    end
    find:close()
    return functions, c_files, lua_files
end

local functions, c_files, lua_files = collect()
for _, list in ipairs({ functions, c_files, lua_files }) do table.sort(list, by_size) end
local over = report(functions, AIM.fn, LIMIT.fn) + report(c_files, AIM.c, LIMIT.c)
    + report(lua_files, AIM.lua, LIMIT.lua)
print(("C functions %d: median %d, p90 %d lines; %.0f %% within %d"):format(#functions,
    quantile(functions, 0.5), quantile(functions, 0.9), share_within(functions, AIM.fn),
    AIM.fn))
print(("files: %d C, %d Lua"):format(#c_files, #lua_files))
os.exit(over == 0 and #functions > 0 and 0 or 1)
