-- Reads a shell command line the way a shell would split it, so that an observer judges what is
-- run and not what is merely quoted, echoed or commented. It never expands: variables and globs
-- stay as written. Length, depth and number of commands are bounded, bad quoting ends quietly.
local reader = require("perilune.shell_reader")

local M = {}

local MAX_BYTES = 8192
local MAX_DEPTH = reader.MAX_DEPTH

-- Words that may stand before a command without being one.
local RESERVED = {}
for word in ("if then elif else fi do done while until esac ! { }"):gmatch("%S+") do
    RESERVED[word] = true
end

-- Programs that run the rest of their line, and those of their options that take a value.
local WRAPPERS = {
    sudo = "ugpCDhRT", doas = "uC", env = "uSC", timeout = "ks", nice = "n", ionice = "cn",
    nohup = "", time = "fo", command = "", builtin = "", exec = "a", stdbuf = "ioe",
    setsid = "", xargs = "IiLlnPsdEa", npx = "pc", bunx = "", busybox = "",
}

local SHELLS = { sh = true, bash = true, zsh = true, dash = true, ksh = true }

---@class perilune.ShellCommand
---@field words string[]                 as written, assignments and wrappers included
---@field name string                    the program, without its folder
---@field args string[]                  what follows it
---@field sep string?                    what ends it: "&&" "||" ";" "|" "&"; nil at the end
---@field writes string[]                files its output is sent to
---@field appends string[]               those of `writes` that it is added to
---@field reads string[]                 files its input comes from; the text of a `<<<`
---@field inner perilune.ShellCommand[]  commands substituted into it: $(..), `..`, <(..)
---@field fed table[]                    here-documents: each with its `lines`
---@field text string?                   what a `bash -c` runs, already split in its place

-- Where the words go on after a wrapper such as `sudo -u root` or `timeout -k 5 60`.
local function skip_wrapper(words, at)
    local name = words[at]
    local valued = WRAPPERS[name]
    at = at + 1
    while words[at] and words[at]:find("^%-") do
        local option = words[at]
        at = at + 1
        if option == "--" then break end
        local letter = option:match("^%-(%a)$")
        if letter and valued:find(letter, 1, true) then at = at + 1 end
    end
    if name == "timeout" then at = at + 1 end
    return at
end

-- The index of the program among `words`.
local function program_at(words)
    local at = 1
    while words[at] do
        local word = words[at]
        if RESERVED[word] or word:find("^[%a_][%w_]*%+?=") then
            at = at + 1
        elseif word == "command" and (words[at + 1] or ""):find("^%-[vV]") then
            return at -- asks for a program, runs none
        elseif WRAPPERS[word] and words[at + 1] then
            at = skip_wrapper(words, at)
        else
            return at
        end
    end
    return nil
end

-- The text that `bash -c TEXT`, `su USER -c TEXT` or `bash <<EOF` runs, or nil.
local function shell_text(command)
    local name, args = command.name, command.args
    if not SHELLS[name] and name ~= "su" then return nil end
    local valued = false
    for i, arg in ipairs(args) do
        if arg:find("^%-%a*c$") then return args[i + 1] end
        if not arg:find("^%-") and not valued and name ~= "su" then return nil end
        valued = arg:find("^[-+]%a*o$") ~= nil -- `-o pipefail`
    end
    local document = command.fed[1]
    return document and table.concat(document.lines, "\n")
end

local function settle(command)
    local at = program_at(command.words)
    command.args = {}
    command.name = at and (command.words[at]:match("([^/]+)/*$") or command.words[at]) or ""
    for i = (at or #command.words) + 1, #command.words do
        command.args[#command.args + 1] = command.words[i]
    end
    return command
end

local function expand(commands, depth, out)
    for _, command in ipairs(commands) do
        settle(command)
        command.inner = expand(command.inner, depth + 1, {})
        local idle = command.name == "" and #command.writes == 0
        local text = shell_text(command)
        if text and depth < MAX_DEPTH then
            local nested = expand(reader.parse(text, depth + 1), depth + 1, {})
            for i, inner in ipairs(nested) do
                if i == #nested then inner.sep = inner.sep or command.sep end
                out[#out + 1] = inner
            end
            command.text = text
        end
        if #command.inner > 0 or not (text or idle) then out[#out + 1] = command end
    end
    return out
end

--- The simple commands of a command line in order; `bash -c` and its like are looked into.
---@param text string
---@return perilune.ShellCommand[]
function M.commands(text)
    return expand(reader.parse(text:sub(1, MAX_BYTES), 1), 1, {})
end

--- Calls `visit` with every command of `commands` and those substituted into them.
---@param commands perilune.ShellCommand[]
---@param visit fun(command: perilune.ShellCommand, index: integer, list: table)
function M.each(commands, visit)
    for i, command in ipairs(commands) do
        visit(command, i, commands)
        M.each(command.inner, visit)
    end
end

--- True if one of `args` is a short option with `letter`, such as `-rf` for "f", or is `long`.
---@param args string[]
---@param letter string?
---@param long string?
---@return boolean
function M.has_flag(args, letter, long)
    for _, arg in ipairs(args) do
        if arg == "--" then return false end
        if long and arg == long then return true end
        local letters = arg:match("^%-(%a+)$")
        if letter and letters and letters:find(letter, 1, true) then return true end
    end
    return false
end

--- The arguments that are no options.
---@param args string[]
---@return string[]
function M.operands(args)
    local out, all = {}, false
    for _, arg in ipairs(args) do
        if all or not arg:find("^%-") then
            out[#out + 1] = arg
        elseif arg == "--" then
            all = true
        end
    end
    return out
end

return M
