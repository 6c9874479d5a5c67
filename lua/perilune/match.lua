-- What an observer asks of a call: which command it ran, which files it changed, whether two
-- calls are the same. Knows the tool names of the agents we read; an unknown tool is neither a
-- shell nor an editor.
local shell = require("perilune.shell")
local text = require("perilune.text")

local M = {}

local SHELL_TOOLS = {
    Bash = true, bash = true, shell = true, local_shell = true, exec_command = true,
    unified_exec = true, run_shell_command = true, execute_command = true,
    run_command = true, run_terminal_cmd = true, terminal = true, command_execution = true,
}

local EDIT_TOOLS = {
    Edit = true, Write = true, MultiEdit = true, NotebookEdit = true, edit = true,
    write = true, write_file = true, replace = true, str_replace = true, edit_file = true,
    create_file = true, apply_patch = true, str_replace_based_edit_tool = true, patch = true,
}

-- Tools that hand work to another agent, whose calls we do not see here.
local DELEGATES = { Task = true, Agent = true, task = true, spawn_agent = true }

-- Calls that are meant to be repeated until something changes.
local POLLS = {
    BashOutput = true, TaskOutput = true, wait = true, wait_agent = true, Monitor = true,
    write_stdin = true, KillShell = true, TaskStop = true, TaskGet = true, TaskList = true,
    sleep = true, watch = true, ps = true, top = true, jobs = true, ping = true, kubectl = true,
    pgrep = true, journalctl = true, lsof = true, ss = true, netstat = true,
}

-- Verbs by which programs are asked how far something is.
local ASKS = {
    gh = { run = true, checks = true }, systemctl = { status = true, ["is-active"] = true },
    docker = { ps = true, logs = true, inspect = true }, podman = { ps = true, logs = true },
    ["docker-compose"] = { ps = true, logs = true },
}

-- Files whose change cannot break a build or a test.
local PROSE = {
    md = true, txt = true, rst = true, adoc = true, log = true, png = true, jpg = true,
    svg = true, gif = true, pdf = true, gitignore = true,
}

local KEY_MAX_DEPTH = 8
-- Longer results are the same only if they are equal: to settle them would cost too much.
local SETTLED_MAX_BYTES = 4096

--- True if `call` ran and was not refused.
---@param call perilune.Call
---@return boolean
function M.happened(call)
    return call.result ~= nil and not call.denied
end

--- True if `call` ran and did not work.
---@param call perilune.Call
---@return boolean
function M.failed(call)
    if not M.happened(call) then return false end
    if call.exit_code then return call.exit_code ~= 0 end
    return call.is_error == true
end

--- Where the activity that this observer has not seen yet begins.
---@param turn perilune.Turn
---@return integer seq
function M.fresh_from(turn)
    local first = turn.items[1]
    return first and first.seq or math.huge
end

--- The command line a shell call runs, or nil for any other tool.
---@param call perilune.Call | perilune.Item
---@return string?
function M.command(call)
    if not SHELL_TOOLS[call.name] then return nil end
    local input = call.input
    if type(input) == "string" then return input end
    local command = type(input) == "table" and (input.command or input.cmd)
    if type(command) == "string" then return command end
    if type(command) ~= "table" then return nil end
    local words = {}
    for i, word in ipairs(command) do words[i] = tostring(word) end
    -- An argument vector such as { "bash", "-lc", "make test" }: its last word is the line.
    if #words >= 3 and words[#words - 1]:find("^%-%a*c$") then return words[#words] end
    return table.concat(words, " ")
end

-- Several questions in a row are about one call: its line is read once.
local read_line, read_commands

--- The simple commands of a shell call (perilune.shell); empty for any other tool. Not to be
--- changed.
---@param call perilune.Call | perilune.Item
---@return perilune.ShellCommand[]
function M.commands(call)
    local command = M.command(call)
    if not command then return {} end
    if command ~= read_line then
        read_line, read_commands = command, shell.commands(command)
    end
    return read_commands
end

--- True if `call` is of a tool that changes files.
---@param call perilune.Call | perilune.Item
---@return boolean
function M.is_editor(call)
    return EDIT_TOOLS[call.name] == true
end

--- True if `call` hands work to another agent.
---@param call perilune.Call
---@return boolean
function M.delegates(call)
    return DELEGATES[call.name] == true
end

local function asks(command)
    local operands = shell.operands(command.args)
    local verbs = ASKS[command.name]
    for i = 1, verbs and 2 or 0 do -- `docker compose logs`, `gh pr checks`
        if verbs[operands[i]] then return true end
    end
    if command.name == "tail" then return (operands[#operands] or ""):find("%.log$") ~= nil end
    return command.name == "aws" and (operands[2] or ""):find("^describe") ~= nil
end

--- True if `call` waits for something: repeating it is no loop.
---@param call perilune.Call
---@return boolean
function M.polls(call)
    if POLLS[call.name] then return true end
    local found = false
    shell.each(M.commands(call), function(command)
        found = found or POLLS[command.name] == true or asks(command)
    end)
    return found
end

-- Paths in the head lines of a patch: `*** Update File: a.c`, `+++ b/a.c`.
local function patch_paths(patch, out)
    for path in patch:gmatch("%*%*%* %a+ File: ([^\n]+)") do out[#out + 1] = path end
    for path in patch:gmatch("\n%+%+%+ b/([^\n\t]+)") do out[#out + 1] = path end
end

local function tool_paths(call, out)
    local input = call.input
    if type(input) == "string" then
        patch_paths(input, out)
    elseif type(input) == "table" then
        local patch = input.patch or input.input
        local path = input.file_path or input.path or input.notebook_path or input.filename
        for _, change in ipairs(input) do -- a list of changes, each with its path
            if type(change) == "table" and type(change.path) == "string" then
                out[#out + 1] = change.path
            end
        end
        if type(path) == "string" then
            out[#out + 1] = path
        elseif type(patch) == "string" then
            patch_paths(patch, out)
        end
    end
end

-- Files that a shell command plainly changes: `sed -i`, output sent to a file, `git apply`.
local function shell_paths(call, out)
    shell.each(M.commands(call), function(command)
        for _, path in ipairs(command.writes) do out[#out + 1] = path end
        local args, operands = command.args, shell.operands(command.args)
        local in_place = shell.has_flag(args, "i") or (args[1] or ""):find("^%-i")
        if (command.name == "sed" or command.name == "perl") and in_place then
            for i = 2, #operands do out[#out + 1] = operands[i] end
        elseif command.name == "tee" then
            for _, path in ipairs(operands) do out[#out + 1] = path end
        elseif command.name == "patch" or (command.name == "git" and args[1] == "apply") then
            out[#out + 1] = "a patch"
        end
    end)
end

--- The files `call` changed, as far as it says so itself; empty if it failed or was refused.
---@param call perilune.Call
---@return string[]
function M.edits(call)
    local out = {}
    if not M.happened(call) or M.failed(call) then return out end
    if EDIT_TOOLS[call.name] then
        -- A tool that also views files says which it does.
        local verb = type(call.input) == "table" and call.input.command
        if verb ~= "view" then tool_paths(call, out) end
    elseif SHELL_TOOLS[call.name] then
        shell_paths(call, out)
    end
    return out
end

--- True if a change of `path` can change what tests and builds say: a file of the workspace
--- that is not prose.
---@param path string
---@param cwd string?
---@return boolean
function M.is_source(path, cwd)
    if path:find("^/dev/") then return false end
    local outside = path:find("^[/~]") and (not cwd or path:sub(1, #cwd + 1) ~= cwd .. "/")
    if outside and (cwd or path:find("^/tmp/")) then return false end
    local name = path:match("[^/]*$")
    if name:find("^[A-Z]+$") and not name:find("^[CGM]") then return false end -- LICENSE
    return not PROSE[(name:match("%.(%w+)$") or ""):lower()]
end

--- The first source file among those `call` changed, or nil.
---@param call perilune.Call
---@param cwd string?
---@return string?
function M.source_edit(call, cwd)
    for _, path in ipairs(M.edits(call)) do
        if M.is_source(path, cwd) then return path end
    end
    return nil
end

local function encode(value, depth, out)
    if type(value) ~= "table" then
        out[#out + 1] = type(value) == "string" and ("%q"):format(value) or tostring(value)
        return
    end
    local keys = {}
    for key in pairs(value) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    out[#out + 1] = "{"
    for _, key in ipairs(depth < KEY_MAX_DEPTH and keys or {}) do
        -- What a model says about its call does not change what the call does.
        if key ~= "description" then
            out[#out + 1] = tostring(key) .. "="
            encode(value[key], depth + 1, out)
            out[#out + 1] = ";"
        end
    end
    out[#out + 1] = "}"
end

--- A text that is equal for calls of one tool with one input, whatever the order of fields.
---@param call perilune.Call | perilune.Item
---@return string
function M.key(call)
    local out = { call.name or "", ":" }
    encode(call.input, 1, out)
    return table.concat(out)
end

-- What stands for a word that begins with a digit: durations, times of day and addresses differ
-- from run to run though nothing happened.
local function settled_word(word)
    if word:find("^%d+%.?%d*[mun]?s$") or word:find("^%d%d:%d%d:%d%d") then return "T" end
    if word:find("^0x%x+$") then return "A" end
    return word
end

--- A result without its durations, times of day and addresses.
---@param result string
---@return string
function M.settled(result)
    if result:find(" second", 1, true) then result = result:gsub("[%d.]+ second",
        "T second") end
    return (result:gsub("%d[%w.:]*", settled_word))
end

--- True if both calls ended alike.
---@param a perilune.Call
---@param b perilune.Call
---@return boolean
function M.same_result(a, b)
    if not a.result or not b.result then return false end
    if (a.denied or false) ~= (b.denied or false) then return false end
    local one, other = a.result, b.result
    if one == other then return true end
    return #one <= SETTLED_MAX_BYTES and #other <= SETTLED_MAX_BYTES
        and M.settled(one) == M.settled(other)
end

--- How to name a call in a sentence: its command or file, quoted, on one line.
---@param call perilune.Call | perilune.Item
---@param max integer?  code points, 60 if absent
---@return string
function M.title(call, max)
    local command = M.command(call)
    if command then return "`" .. text.line(command, max or 60) .. "`" end
    local input = type(call.input) == "table" and call.input or {}
    local object = input.file_path or input.path or input.pattern or input.url or input.query
    if type(object) ~= "string" then return call.name or "a call" end
    return call.name .. " of `" .. text.line(object, max or 60) .. "`"
end

return M
