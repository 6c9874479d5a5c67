-- Compares the annotations of lua/meta with what the C bindings know and with what the test kit
-- hands out, field by field, so that a field added, renamed or removed on one side alone fails
-- the build; and the parameters of functions in lua/perilune with their annotations. Reads the
-- sources as text and runs the kit.
-- Usage: luajit tools/check_bindings.lua [--self-test | ROOT]

package.path = (arg[0]:match("^(.*/)") or "./") .. "?.lua;" .. package.path
local kit = require("kit_shapes")

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

local function set(list)
    local out = {}
    for _, name in ipairs(list) do out[name] = true end
    return out
end

-- The fields of `---@class NAME` in annotations.
local function annotated(meta, class)
    local found, inside = {}, false
    for line in (meta .. "\n"):gmatch("([^\n]*)\n") do
        local name = line:match("^%-%-%-@class ([%w_.]+)")
        if name then inside = name == class end
        local field = inside and line:match("^%-%-%-@field ([%w_]+)")
        if field then found[field] = true end
        if not line:find("^%-%-%-") then inside = false end
    end
    return found
end

-- The text between the braces that follow `head`.
local function block(source, head)
    local from = source:find(head, 1, true)
    if not from then return nil end
    return source:match("%b{}", from)
end

-- How a source names fields: an array of { "name", ... }, or calls that set them.
local function of_array(source, array)
    local body, names = block(source, array), {}
    for name in (body or ""):gmatch('{"([%w_]+)"') do names[#names + 1] = name end
    return set(names)
end

local function of_setters(source, fn)
    local body, names = block(source, fn), {}
    for _, form in ipairs({ 'lua_setfield%(L, %-%d, "([%w_]+)"%)', 'set_%w+%(L, "([%w_]+)"',
        'add_lines%(L, "([%w_]+)"', 'lua_pushliteral%(L, "([%w_]+)"%)' }) do
        for name in (body or ""):gmatch(form) do names[#names + 1] = name end
    end
    return set(names)
end

-- Setters of a part of a function: from one piece of text to another.
local function of_part(source, part)
    local from = source:find(part[1], 1, true)
    local to = from and source:find(part[2], from, true)
    return to and of_setters("head {" .. source:sub(from, to - 1) .. "}", "head") or {}
end

local function of_two(source, functions)
    local out = of_setters(source, functions[1])
    for name in pairs(of_setters(source, functions[2])) do out[name] = true end
    return out
end

local function of_words(source, array)
    local body, names = block(source, array), {}
    for name in (body or ""):gmatch('WORD%("([%w_]+)"%)') do names[#names + 1] = name end
    for name in (body or ""):gmatch('{"([%w_]+)", %d+}') do names[#names + 1] = name end
    return set(names)
end

-- The table constructor of a text of Lua inside a source.
local function of_constructor(source, text)
    local body, names = block(source, text), {}
    for name in (body or ""):gmatch("([%w_]+) = ") do names[#names + 1] = name end
    return set(names)
end

local SCRIPT = "core/script/"
-- { class, annotations, source, reader, where in the source }
local PAIRS = {
    { "perilune.Turn", "turn", "bind_turn.c", of_array, "turn_fields[] =" },
    { "perilune.Item", "turn", "bind_item.c", of_array, "item_fields[] =" },
    { "perilune.Call", "turn", "bind_item.c", of_array, "call_fields[] =" },
    { "perilune.File", "turn", "bind_files.c", of_setters, "static void add_use(" },
    { "perilune.Usage", "turn", "bind_turn.c", of_setters, "static void push_usage(" },
    { "perilune.Recall", "turn", "bind_turn.c", of_setters, "static void push_recall(" },
    { "perilune.ObserverSpec", "observer", "observer_load.c", of_array, "} keys[] =" },
    { "perilune.Companion", "observer", "markdown_load.c", of_words,
        "static void check_companion(" },
    { "perilune.Proposal", "observer", "lua_runtime.c", of_words, "draft_keys[] =" },
    { "perilune.Ctx", "observer", "lua_runtime.c", of_part,
        { "set_str(L, \"observer\"", "if (!last->text.ptr", also = "last" } },
    { "perilune.Outcome", "observer", "lua_runtime.c", of_part,
        { "set_str(L, \"text\", last", 'lua_setfield(L, -2, "last")' } },
    { "perilune.Goal", "turn", "bind_turn.c", of_part,
        { "peri__str_push(L, goal->text)", "lua_createtable(L, (int)goal->item_count",
            also = "items" } },
    { "perilune.GoalItem", "turn", "bind_turn.c", of_part,
        { "lua_createtable(L, 0, 2); // goal items item", "lua_rawseti(L, -2, (int)i + 1)" } },
    { "perilune.Policy", "policy", "policy_load.c", of_words, "policy_keys[] =" },
    { "perilune.Budget", "policy", "policy_fold.c", of_words, "budget_keys[] =" },
    { "perilune.Verdict", "policy", "policy_fold.c", of_words, "verdict_keys[] =" },
    { "perilune.Dropped", "policy", "policy_fold.c", of_part,
        { "static void take_dropped(", "static void take_kept(", also = "reason" } },
    { "perilune.Limits", "policy", "bind_facts.c", of_setters, "static void push_limits(" },
    { "perilune.VetoCounts", "policy", "bind_facts.c", of_part,
        { 'set_number(L, "key"', "return" } },
    { "perilune.LocalTime", "policy", "bind_facts.c", of_two,
        { "static void push_local_time(", "static void set_date(" } },
    { "perilune.PolicyCtx", "policy", "bind_facts.c", of_array, "ctx_fields[] =" },
    { "perilune.PolicyProposal", "policy", "bind_facts.c", of_constructor, "maker[] =" },
}

local function compare(class, meta, bound, report)
    local ok = true
    if not next(bound) then
        report(class .. ": the binding was not found; is this checker out of date?")
        return false
    end
    for name in pairs(bound) do
        if not meta[name] then
            ok = false
            report(("%s.%s is bound but not annotated in lua/meta"):format(class, name))
        end
    end
    for name in pairs(meta) do
        if not bound[name] then
            ok = false
            report(("%s.%s is annotated but not bound"):format(class, name))
        end
    end
    return ok
end

-- What a source binds of a class. `also`: a field that it sets apart from the others.
local function bound_by(pair, source)
    local where = pair[5]
    local names = pair[4](source, where)
    if next(names) and type(where) == "table" and where.also then names[where.also] = true end
    return names
end

-- Parameters and annotations of the functions of a module, which must be the same.
local function check_parameters(path, source, report)
    local noted, documented = {}, false
    for line in (source .. "\n"):gmatch("([^\n]*)\n") do
        local name, list = line:match("^function M[.:]([%w_]+)%(([^)]*)%)")
        local note = line:match("^%-%-%-@param ([%w_]+)")
        if note then noted[#noted + 1] = note end
        documented = documented or line:find("^%-%-%- ?[^@]") ~= nil
        if name then
            local named = table.concat(noted, ", ")
            if named ~= list:gsub("%s*,%s*", ", ") or not documented then
                report(("%s: %s(%s) is annotated as (%s)"):format(path, name, list, named))
            end
        end
        if not line:find("^%-%-%-") then noted, documented = {}, false end
    end
end

local function modules_of(root)
    local list = assert(io.popen("ls '" .. root .. "'/lua/perilune/*.lua"))
    local paths = {}
    for path in list:lines() do paths[#paths + 1] = path end
    list:close()
    return paths
end

-- The class of a shape, which may name where it was seen behind a comma.
local function class_of(shape)
    return shape:match("^[%w_.]+")
end

local META_OF = {}
for _, pair in ipairs(PAIRS) do META_OF[pair[1]] = pair[2] end

local function meta_of(root, class)
    return annotated(read(root .. "/lua/meta/" .. META_OF[class] .. ".lua"), class)
end

local function check(root)
    local failed, shapes = 0, 0
    local function report(line)
        failed = failed + 1
        print(line)
    end
    for _, pair in ipairs(PAIRS) do
        local bound = bound_by(pair, read(root .. "/" .. SCRIPT .. pair[3]))
        compare(pair[1], meta_of(root, pair[1]), bound, report)
    end
    for shape, fields in pairs(kit.of(root)) do
        shapes = shapes + 1
        compare("the kit's " .. shape, meta_of(root, class_of(shape)), fields, report)
    end
    for _, path in ipairs(modules_of(root)) do check_parameters(path, read(path), report) end
    print(("%d classes compared, %d shapes of the kit, %d faults")
        :format(#PAIRS, shapes, failed))
    return failed == 0
end

-- `text` with the word `name` renamed where it names a field.
local function renamed(text, name)
    return (text:gsub('"' .. name .. '"', '"' .. name .. '_x"')
        :gsub("([%s{,\"])" .. name .. " = ", "%1" .. name .. "_x = "))
end

-- Each field of each binding, renamed in the source, must be noticed.
local function test_bindings(root, quiet)
    local drifts = 0
    for _, pair in ipairs(PAIRS) do
        local source, meta = read(root .. "/" .. SCRIPT .. pair[3]), meta_of(root, pair[1])
        local apart = type(pair[5]) == "table" and pair[5].also
        for name in pairs(bound_by(pair, source)) do
            if name ~= apart then
                local drifted = bound_by(pair, renamed(source, name))
                assert(not compare(pair[1], meta, drifted, quiet), pair[1] .. "." .. name)
                drifts = drifts + 1
            end
        end
    end
    return drifts
end

-- Where the kit writes each class.
local KIT_SOURCES = {
    ["perilune.Turn"] = { "scenes", "dropped" }, ["perilune.Item"] = { "scenes", "call_id" },
    ["perilune.Call"] = { "scenes", "call_id" }, ["perilune.Usage"] = { "scenes", "context" },
    ["perilune.PolicyProposal"] = { "testing", "severity" },
    ["perilune.PolicyCtx"] = { "testing", "run_state" },
    ["perilune.PolicyCtx, of a chain"] = { "chain", "new_input" },
    ["perilune.LocalTime"] = { "virtual_clock", "month" },
    ["perilune.VetoCounts, of a chain"] = { "chain_books", "session" },
    ["perilune.Limits, of a chain"] = { "chain", "veto_budget" },
}

local function test_kit(root, quiet)
    local drifts = 0
    for shape, place in pairs(KIT_SOURCES) do
        local shapes = kit.of(root, function(module, text)
            return module == "perilune." .. place[1] and renamed(text, place[2]) or text
        end)
        assert(not compare(shape, meta_of(root, class_of(shape)), shapes[shape], quiet), shape)
        drifts = drifts + 1
    end
    return drifts
end

local function self_test(root)
    local quiet, noticed = function() end, 0
    local meta = annotated("---@class a.B\n---@field one string  x\n---@field two string\n\n"
        .. "---@class a.C\n---@field three string\n", "a.B")
    assert(meta.one and meta.two and not meta.three, "annotations are read")
    assert(not compare("a.B", { one = true, two = true, x = true }, meta, quiet),
        "a field that is annotated alone is noticed")
    assert(not compare("a.B", meta, {}, quiet), "a binding that is gone is noticed")
    check_parameters("m", "--- Does.\n---@param a string\nfunction M.f(a, b)\n",
        function() noticed = noticed + 1 end)
    check_parameters("m", "--- Does.\n---@param a string\nfunction M.f(a)\n", error)
    assert(noticed == 1, "a parameter without annotation is noticed")
    print(("check_bindings: %d drifts of bindings and %d of the kit are noticed")
        :format(test_bindings(root, quiet), test_kit(root, quiet)))
    return true
end

local is_self_test = arg[1] == "--self-test"
local root = arg[is_self_test and 2 or 1] or "."
os.exit((is_self_test and self_test or check)(root) and 0 or 1)
