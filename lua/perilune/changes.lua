-- What the editing calls of an agent did to files, as texts: which lines went and which came.
-- Reads the calls' own inputs, never a file: a whole file written has no old text.
local match = require("perilune.match")
local shell = require("perilune.shell")

local M = {}

local MAX_CHANGES = 40
local MAX_LINES = 600

---@class perilune.Change
---@field path string
---@field kind "edit" | "write" | "add" | "delete"   write: a whole file, perhaps a new one
---@field old string    the lines that went; "" where they are not known
---@field new string

local function add(out, path, kind, old, new)
    if type(path) == "string" and path ~= "" and #out < MAX_CHANGES then
        out[#out + 1] = { path = path, kind = kind, old = old or "", new = new or "" }
    end
end

local function as_text(value)
    return type(value) == "string" and value or nil
end

local KINDS = { Add = "add", Delete = "delete", Update = "edit" }

-- `*** Update File: a.c` and the lines below it, or a unified diff.
local function of_patch(patch, out)
    local path, kind, old, new = nil, nil, {}, {}
    local function close()
        add(out, path, kind, table.concat(old, "\n"), table.concat(new, "\n"))
        path, old, new = nil, {}, {}
    end
    local lines = 0
    for line in patch:gmatch("[^\n]*") do
        lines = lines + 1
        if lines > MAX_LINES then break end
        local verb, file = line:match("^%*%*%* (%a+) File: (.+)$")
        local unified = line:match("^%+%+%+ b?/?([^\t]+)")
        if KINDS[verb] or unified then
            close()
            path, kind = file or unified, KINDS[verb] or "edit"
        elseif line:find("^%-%-%- ") then -- the head of a unified diff
            close()
        elseif line:find("^%-") then
            old[#old + 1] = line:sub(2)
        elseif line:find("^%+") then
            new[#new + 1] = line:sub(2)
        end
    end
    close()
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

local function of_tool(input, out)
    local path = input.file_path or input.path or input.notebook_path or input.filename
    local old = as_text(input.old_string) or as_text(input.oldText) or as_text(input.old_str)
    local new = as_text(input.new_string) or as_text(input.newText) or as_text(input.new_str)
    if type(input.edits) == "table" then
        for _, one in ipairs(input.edits) do
            if type(one) == "table" then
                add(out, path, "edit", as_text(one.old_string) or as_text(one.oldText),
                    as_text(one.new_string) or as_text(one.newText))
            end
        end
    elseif old or new then
        add(out, path, "edit", old, new)
    else
        local content = as_text(input.content) or as_text(input.file_text)
        if content then add(out, path, "write", nil, content) end
    end
end

local function of_shell(call, out)
    shell.each(match.commands(call), function(command)
        local args, operands = command.args, shell.operands(command.args)
        local first = 1
        local removes = command.name == "rm" or command.name == "unlink"
        if command.name == "git" and operands[1] == "rm"
            and not shell.has_flag(args, nil, "--cached") then
            removes, first = true, 2
        end
        for i = first, removes and #operands or 0 do add(out, operands[i], "delete") end
    end)
end

--- What `call` did to files; empty if it failed or was refused.
---@param call perilune.Call
---@return perilune.Change[]
function M.of(call)
    local out = {}
    if not match.happened(call) or match.failed(call) then return out end
    local patch = patch_of(call)
    if patch then
        of_patch(patch, out)
    elseif match.command(call) then
        of_shell(call, out)
    elseif match.is_editor(call) and type(call.input) == "table" then
        of_tool(call.input, out)
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
