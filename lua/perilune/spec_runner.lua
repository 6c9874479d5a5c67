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

---@param roots string[]     files and folders
---@param output string      a busted output handler
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
    require("busted.modules.output_handler_loader")()(busted, output, {
        defaultOutput = output, language = "en", arguments = {},
    })
    require("busted.luajit")() -- ffi stays loaded when busted resets its environment
    local load_files = require("busted.modules.test_file_loader")(busted, { "lua" })
    load_files(roots, { "_spec%.lua$" }, { excludes = {}, recursive = true })
    require("busted.execute")(busted)(1, {})
    busted.publish({ "exit" })
    return failed
end
