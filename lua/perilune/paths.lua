-- Compares paths as an agent writes them: absolute or relative to a folder, with `.` and `..`.
-- Nothing is looked up: a link is a name like any other.
local M = {}

local SCRATCH = { "/tmp/", "/var/tmp/", "/dev/", "/private/tmp/", "/private/var/folders/" }

--- `path` as an absolute path without `.` and `..`. nil if it climbs above its root, holds a
--- variable, or is relative and `folder` is not known.
---@param path string
---@param folder string?  what a relative path starts from
---@return string?
function M.normal(path, folder)
    if path:find("[$`]") then return nil end
    if path:sub(1, 1) ~= "/" and path:sub(1, 1) ~= "~" then
        if not folder then return nil end
        path = folder .. "/" .. path
    end
    local parts = {}
    for part in path:gmatch("[^/]+") do
        if part == ".." then
            if #parts == 0 then return nil end
            parts[#parts] = nil
        elseif part ~= "." then
            parts[#parts + 1] = part
        end
    end
    local home = parts[1] == "~"
    return (home and "" or "/") .. table.concat(parts, "/")
end

--- True if `path` is `folder` or lies in it; both absolute.
---@param path string
---@param folder string
---@return boolean
function M.within(path, folder)
    return path == folder or path:sub(1, #folder + 1) == folder .. "/"
end

--- True for what nobody keeps: temporary folders and devices.
---@param path string  absolute
---@return boolean
function M.is_scratch(path)
    for _, folder in ipairs(SCRATCH) do
        if (path .. "/"):sub(1, #folder) == folder then return true end
    end
    return false
end

--- `path` without `folder` in front, for sentences.
---@param path string
---@param folder string?
---@return string
function M.short(path, folder)
    if folder and #path > #folder and M.within(path, folder) then
        return path:sub(#folder + 2)
    end
    return path
end

--- The last part of a path.
---@param path string
---@return string
function M.base(path)
    return path:match("([^/]+)/*$") or path
end

local TEST_NAMES = {
    "^test_", "_test%.", "^tests?%.", "%.test%.", "%.spec%.", "_spec%.", "^spec_",
    "^%u%w*Tests?%.%a+$", "^%u%w*Spec%.%a+$", "^conftest%.py$", "%.bats$",
}

--- True if a file of this name holds tests.
---@param path string
---@return boolean
function M.is_test(path)
    local name = M.base(path)
    for _, pattern in ipairs(TEST_NAMES) do
        if name:find(pattern) then return true end
    end
    local folders = "/" .. path:lower()
    return folders:find("/tests?/") ~= nil or folders:find("/__tests__/", 1, true) ~= nil
        or folders:find("/specs?/") ~= nil
end

return M
