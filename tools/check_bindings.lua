-- Compares the annotations of lua/meta with what the C bindings know, field by field, so that a
-- field added, renamed or removed on one side alone fails the build. Reads the sources as text.
-- Usage: luajit tools/check_bindings.lua [--self-test | ROOT]

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
        'add_lines%(L, "([%w_]+)"' }) do
        for name in (body or ""):gmatch(form) do names[#names + 1] = name end
    end
    return set(names)
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

local function check(root)
    local failed = 0
    local function report(line)
        failed = failed + 1
        print(line)
    end
    for _, pair in ipairs(PAIRS) do
        local class, meta = pair[1], read(root .. "/lua/meta/" .. pair[2] .. ".lua")
        local bound = pair[4](read(root .. "/" .. SCRIPT .. pair[3]), pair[5])
        compare(class, annotated(meta, class), bound, report)
    end
    print(("%d classes compared, %d faults"):format(#PAIRS, failed))
    return failed == 0
end

local function self_test()
    local quiet = function() end
    local meta = annotated("---@class a.B\n---@field one string  x\n---@field two string\n\n"
        .. "---@class a.C\n---@field three string\n", "a.B")
    assert(meta.one and meta.two and not meta.three, "annotations are read")
    local source = 'static const field f[] = {\n {"one", push},\n {"two", push},\n {0},\n};'
    assert(compare("a.B", meta, of_array(source, "f[] ="), quiet), "equal sides pass")
    assert(not compare("a.B", { one = true }, of_array(source, "f[] ="), quiet),
        "a field that is bound alone is noticed")
    assert(not compare("a.B", { one = true, two = true, x = true },
        of_array(source, "f[] ="), quiet), "a field that is annotated alone is noticed")
    assert(not compare("a.B", meta, of_array(source, "g[] ="), quiet),
        "a binding that is gone is noticed")
    print("check_bindings: self-test passed")
    return true
end

os.exit((arg[1] == "--self-test" and self_test or check)(arg[1] or ".") and 0 or 1)
