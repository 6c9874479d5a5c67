-- What the editing calls of an agent did to files, as texts: which lines went and which came.
-- Reads the calls' own inputs, never a file: a whole file written has no old text.
local match = require("perilune.match")
local patches = require("perilune.patches")
local shell = require("perilune.shell")
local shell_changes = require("perilune.shell_changes")

local M = {}

local MAX_CHANGES = 40
local MAX_LINES = 600

---@class perilune.Change
---@field path string
---@field kind "edit" | "insert" | "append" | "write" | "add" | "delete" | "move" | "restore"
---             write: a whole file, perhaps a new one; restore: back to what git has
---@field old string    the lines that went; "" where they are not known
---@field new string
---@field to string?    of a move

-- A function that appends one more change to `out`.
local function adder(out)
    return function(path, kind, old, new, to)
        if type(path) == "string" and path ~= "" and #out < MAX_CHANGES then
            out[#out + 1] = { path = path, kind = kind, old = old or "", new = new or "",
                to = to }
        end
    end
end

local function as_text(value)
    return type(value) == "string" and value or nil
end

-- The patch an `apply_patch` of any shape carries, or nil.
local function patch_of(call)
    local input = call.input
    local command = match.command(call)
    local patch = command and command:find("*** Begin Patch", 1, true) and command
        or type(input) == "string" and input
        or type(input) == "table" and (as_text(input.patch) or as_text(input.input))
    return patch and patch:find("*** ", 1, true) and patch or nil
end

local function of_tool(input, add)
    local path = input.file_path or input.path or input.notebook_path or input.filename
    local old = as_text(input.old_string) or as_text(input.oldText) or as_text(input.old_str)
    local new = as_text(input.new_string) or as_text(input.newText) or as_text(input.new_str)
    if type(input.edits) == "table" then
        for _, one in ipairs(input.edits) do
            if type(one) == "table" then
                add(path, "edit", as_text(one.old_string) or as_text(one.oldText),
                    as_text(one.new_string) or as_text(one.newText))
            end
        end
    elseif old or new then
        add(path, "edit", old, new)
    else
        local content = as_text(input.content) or as_text(input.file_text)
        if content then add(path, "write", nil, content) end
    end
end

-- Where `cd DIR` leads from `folder`; nil: nowhere that is known.
local function folder_after(command, folder)
    local target = shell.operands(command.args)[1]
    if not target or target:find("[$`~*]") or target == "-" then return nil end
    return (target:find("^/") or not folder) and target or folder .. "/" .. target
end

local function of_shell(call, add)
    local folder
    local function placed(path)
        if not folder or not path or path:find("^[/~$]") then return path end
        return folder .. "/" .. path
    end
    shell.each(match.commands(call), function(command)
        if command.name == "cd" then folder = folder_after(command, folder) end
        shell_changes.each(command, function(path, kind, old, new, to)
            add(placed(path), kind, old, new, placed(to))
        end)
    end)
end

--- What `call` did to files; empty if it failed or was refused.
---@param call perilune.Call
---@return perilune.Change[]
function M.of(call)
    local out = {}
    local add = adder(out)
    if not match.happened(call) or match.failed(call) then return out end
    local patch = patch_of(call)
    if patch then
        patches.each(patch, add)
    elseif match.command(call) then
        of_shell(call, add)
    elseif match.is_editor(call) and type(call.input) == "table" then
        of_tool(call.input, add)
    end
    return out
end

local function lines_of(text)
    local lines = {}
    for line in text:gmatch("[^\n]+") do
        if #lines == MAX_LINES then break end
        local bare = line:match("^%s*(.-)%s*$")
        if bare ~= "" then lines[#lines + 1] = bare end
    end
    return lines
end

local function missing_from(lines, others)
    local left, out = {}, {}
    for _, line in ipairs(others) do left[line] = (left[line] or 0) + 1 end
    for _, line in ipairs(lines) do
        if (left[line] or 0) > 0 then left[line] = left[line] - 1 else out[#out + 1] = line end
    end
    return out
end

--- The lines a change brought and those it took, trimmed; what stands on both sides is neither.
---@param change perilune.Change
---@return string[] added
---@return string[] removed
function M.lines(change)
    local old, new = lines_of(change.old), lines_of(change.new)
    return missing_from(new, old), missing_from(old, new)
end

return M
