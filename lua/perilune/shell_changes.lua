-- What shell commands do to files, as far as their line shows it: `sed -i`, here-documents,
-- `echo >>`, `git apply` of a patch it carries, `mv`, `rm`, `git checkout -- FILE`. A regular
-- expression stands for the line it was written to find.
local patches = require("perilune.patches")
local paths = require("perilune.paths")
local shell = require("perilune.shell")

local M = {}

-- A regular expression as the text it most likely meets.
local function as_text(regex)
    return (regex:gsub("^%^", ""):gsub("%$$", ""):gsub("\\n", "\n"):gsub("\\[sS][*+]?", " ")
        :gsub("\\(.)", "%1"):gsub("%.%*", ""))
end

-- The two parts of `s/A/B/` whose delimiter stands at `at`, or nil.
local function substitution(script, at)
    local delimiter, parts, part = script:sub(at, at), {}, {}
    local i = at + 1
    while i <= #script and #parts < 2 do
        local c = script:sub(i, i)
        if c == "\\" and script:sub(i + 1, i + 1) ~= delimiter then
            part[#part + 1] = script:sub(i, i + 1)
            i = i + 1
        elseif c == "\\" then
            i = i + 1
            part[#part + 1] = delimiter
        elseif c == delimiter then
            parts[#parts + 1] = table.concat(part)
            part = {}
        else
            part[#part + 1] = c
        end
        i = i + 1
    end
    if #parts < 2 then return nil end
    local old = as_text(parts[1])
    local new = parts[2]:gsub("\\n", "\n"):gsub("&", (old:gsub("%%", "%%%%")))
        :gsub("\\%d", ""):gsub("\\(.)", "%1")
    return old, new
end

-- What one script of sed or perl does: kind, lines that go, lines that come. nil: no script.
local function of_script(script)
    local address, rest = script:match("^%s*(/[^/]*/)%s*(.*)$")
    if not address then address, rest = script:match("^%s*([%d,$]*)%s*(.*)$") end
    local at = rest:match("^s()[^%w%s]")
    if at then
        local old, new = substitution(rest, at)
        if old then return "edit", old, new end
        return nil
    end
    local text = rest:match("^[ia]\\?%s*(.+)$")
    if address ~= "" and text then return "insert", "", (text:gsub("\\n", "\n")) end
    text = rest:match("^c\\?%s*(.+)$")
    if address ~= "" and text then return "edit", as_text(address:sub(2, -2)), text end
    if address ~= "" and rest == "d" then
        return "edit", address:find("^/") and as_text(address:sub(2, -2)) or "", ""
    end
    return nil
end

local function is_in_place(command)
    for _, arg in ipairs(command.args) do
        if arg:find("^%-[%w]*i") or arg:find("^%-%-in%-place") then return true end
    end
    return false
end

local function of_editor(command, add)
    if not is_in_place(command) then return end
    local files, edits = {}, {}
    for _, operand in ipairs(shell.operands(command.args)) do
        local kind, old, new = of_script(operand)
        if kind then
            edits[#edits + 1] = { kind, old, new }
        elseif operand ~= "" then -- the `''` of `sed -i ''`
            files[#files + 1] = operand
        end
    end
    for _, file in ipairs(files) do
        for _, edit in ipairs(edits) do add(file, edit[1], edit[2], edit[3]) end
    end
end

-- What a command prints, where its line shows that; nil where it does not.
local function printed(command)
    local name = command.name
    if command.fed[1] and (name == "cat" or name == "tee") then
        return table.concat(command.fed[1].lines, "\n")
    end
    if name == "echo" or name == "printf" then
        return (table.concat(shell.operands(command.args), " "):gsub("\\n", "\n"))
    end
    if name == "" or name == ":" or name == "true" then return "" end
    return nil
end

local function of_writes(command, add)
    local text = printed(command)
    local files, appends = command.writes, command.appends
    if command.name == "tee" then
        files = shell.operands(command.args)
        appends = shell.has_flag(command.args, "a", "--append") and files or {}
    end
    local adds = {}
    for _, path in ipairs(appends) do adds[path] = true end
    for _, path in ipairs(text and files or {}) do
        local kind = adds[path] and "append" or "write"
        if not path:find("^/dev/") then add(path, kind, "", text) end
    end
end

local function of_move(operands, first, add)
    local to = operands[#operands]
    local into = #operands > first + 1 or (to or ""):find("/$")
    for i = first, #operands - 1 do
        local from = operands[i]
        local place = into and to:gsub("/$", "") .. "/" .. paths.base(from) or to
        add(from, "move", nil, nil, place)
    end
end

local function of_removal(operands, first, add)
    for i = first, #operands do add(operands[i], "delete") end
end

-- `find tests -name 'test_*.py' -delete`
local function of_find(args, add)
    local name, removes
    for i, arg in ipairs(args) do
        if arg == "-name" or arg == "-iname" then name = args[i + 1] end
        local runs = arg == "-exec" and args[i + 1] or ""
        removes = removes or arg == "-delete" or runs:find("%f[%w]rm$")
    end
    if removes and name and args[1] then add(args[1] .. "/" .. name, "delete") end
end

-- Files that are put back to what git has: what stood in them is gone.
local function of_restore(operands, args, add)
    local behind = operands[1] == "restore" and not shell.has_flag(args, "S", "--staged")
    for i, arg in ipairs(args) do
        if behind and i > 1 and not arg:find("^%-") then add(arg, "restore") end
        behind = behind or (arg == "--" and operands[1] == "checkout")
    end
end

local function of_git(command, add)
    local args, operands = command.args, shell.operands(command.args)
    local verb = operands[1]
    if verb == "rm" and not shell.has_flag(args, nil, "--cached") then
        of_removal(operands, 2, add)
    elseif verb == "mv" then
        of_move(operands, 2, add)
    elseif verb == "checkout" or verb == "restore" then
        of_restore(operands, args, add)
    elseif verb == "apply" and command.fed[1] then
        patches.each(table.concat(command.fed[1].lines, "\n"), add)
    end
end

local BY_NAME = {
    sed = of_editor, gsed = of_editor, perl = of_editor, git = of_git,
    rm = function(command, add) of_removal(shell.operands(command.args), 1, add) end,
    mv = function(command, add) of_move(shell.operands(command.args), 1, add) end,
    find = function(command, add) of_find(command.args, add) end,
    patch = function(command, add)
        if command.fed[1] then patches.each(table.concat(command.fed[1].lines, "\n"), add) end
    end,
    truncate = function(command, add)
        local operands = shell.operands(command.args)
        if operands[1] == "0" and operands[2] then add(operands[2], "write", "", "") end
    end,
}
BY_NAME.unlink = BY_NAME.rm

--- Calls `add` for every file that `command` changes.
---@param command perilune.ShellCommand
---@param add fun(path: string, kind: string, old: string?, new: string?, to: string?)
function M.each(command, add)
    local of = BY_NAME[command.name]
    if of then of(command, add) end
    of_writes(command, add)
end

return M
