-- Runs specs with busted, in the full-library state that `perilune test` makes for them. Not
-- part of the sandbox.

-- Nothing is loaded from the folder where the command happens to run.
local function without_here(path)
    local kept = {}
    for entry in path:gmatch("[^;]+") do
        if entry:sub(1, 1) == "/" then kept[#kept + 1] = entry end
    end
    return table.concat(kept, ";")
end

local function is_missing(problem)
    return tostring(problem):find("module 'busted.core' not found", 1, true) ~= nil
end

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t" }

local function quoted(text)
    return '"' .. text:gsub('[%c"\\]', function(c)
        return ESCAPES[c] or ("\\u%04x"):format(c:byte())
    end) .. '"'
end

-- One line a test, as it ends: {"name":...,"status":...,"message":...}.
local function print_json_lines(busted)
    local messages = {}
    local function keep(element, _, message)
        messages[element] = type(message) == "string" and message or tostring(message)
        return nil, true
    end
    busted.subscribe({ "failure", "it" }, keep)
    busted.subscribe({ "error", "it" }, keep)
    busted.subscribe({ "error", "file" }, function(element, _, message)
        io.write(('{"name":%s,"status":"error","message":%s}\n'):format(
            quoted(tostring(element.name)), quoted(tostring(message))))
        return nil, true
    end)
    busted.subscribe({ "test", "end" }, function(element, parent, status)
        local name = element.name
        while parent and parent.name and parent.descriptor ~= "file" do
            name, parent = parent.name .. " " .. name, busted.context.parent(parent)
        end
        local message = messages[element]
        io.write(('{"name":%s,"status":%s%s}\n'):format(quoted(name), quoted(status),
            message and ',"message":' .. quoted(message) or ""))
        return nil, true
    end)
end

---@param roots string[]     files and folders
---@param output string      a busted output handler, or "json-lines"
---@param search function    finds perilune.* modules; goes before all other searchers
---@return integer? failed   nil: busted is not installed
return function(roots, output, search)
    package.path, package.cpath = without_here(package.path), without_here(package.cpath)
    table.insert(package.loaders, 2, search)
    local found, core = pcall(require, "busted.core")
    if not found then
        if is_missing(core) then return nil end
        error(core, 0)
    end
    local busted = core()
    require("busted")(busted)
    local failed = 0
    busted.subscribe({ "error" }, function()
        failed = failed + 1
        return nil, true
    end)
    busted.subscribe({ "failure" }, function()
        failed = failed + 1
        return nil, true
    end)
    if output == "json-lines" then
        print_json_lines(busted)
    else
        require("busted.modules.output_handler_loader")()(busted, output, {
            defaultOutput = output, language = "en", arguments = {},
        })
    end
    require("busted.luajit")() -- ffi stays loaded when busted resets its environment
    local load_files = require("busted.modules.test_file_loader")(busted, { "lua" })
    load_files(roots, { "_spec%.lua$" }, { excludes = {}, recursive = true })
    require("busted.execute")(busted)(1, {})
    busted.publish({ "exit" })
    return failed
end
