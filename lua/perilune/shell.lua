-- Reads a shell command line the way a shell would split it, so that an observer judges what is
-- run and not what is merely quoted, echoed or commented. It never expands: variables and globs
-- stay as written. Length, depth and number of commands are bounded, bad quoting ends quietly.
local M = {}

local MAX_BYTES = 8192
local MAX_DEPTH = 4
local MAX_COMMANDS = 200

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
---@field inner perilune.ShellCommand[]  commands substituted into it: $(..), `..`, <(..)
---@field text string?                   what a `bash -c` runs, already split in its place

---@class perilune.ShellReader
local Reader = {}
Reader.__index = Reader

-- `nested`: stops at the bracket that closes it.
local function reader_new(text, at, depth, nested)
    return setmetatable({
        text = text, at = at, depth = depth, nested = nested, open = 0, out = {},
        words = {}, writes = {}, inner = {}, heredocs = {},
        word = nil, target = nil,
    }, Reader)
end

function Reader:add(piece)
    self.word = (self.word or "") .. piece
end

function Reader:end_word()
    local word = self.word
    self.word = nil
    if not word then return end
    if self.target == "write" then
        self.writes[#self.writes + 1] = word
    elseif self.target == "heredoc" then
        self.heredocs[#self.heredocs + 1] = word
    elseif not self.target then
        self.words[#self.words + 1] = word
    end
    self.target = nil
end

function Reader:end_command(sep)
    self:end_word()
    self.target = nil
    if #self.words > 0 or #self.writes > 0 then
        if #self.out < MAX_COMMANDS then
            self.out[#self.out + 1] =
                { words = self.words, writes = self.writes, inner = self.inner, sep = sep }
        end
        self.words, self.writes, self.inner = {}, {}, {}
    elseif sep and #self.out > 0 and self.out[#self.out].sep == nil then
        self.out[#self.out].sep = sep
    end
end

-- The position of the bracket that closes the one before `from`. Only a guess, for what is
-- nested too deep to be read: quotes hide brackets, here-documents are not known.
local function closing(text, from)
    local depth, at = 1, from
    while true do
        at = text:find("[()'\"\\]", at)
        if not at then return #text + 1 end
        local c = text:sub(at, at)
        if c == "\\" then
            at = at + 1
        elseif c == "'" or c == '"' then
            at = text:find(c, at + 1, true) or #text
        else
            depth = depth + (c == "(" and 1 or -1)
            if depth == 0 then return at end
        end
        at = at + 1
    end
end

local function parse(text, depth)
    local reader = reader_new(text, 1, depth, false)
    if depth <= MAX_DEPTH then reader:run() end
    return reader.out
end

-- `$(` or `<(` of two bytes: what follows is a command line of its own.
function Reader:substitute()
    local from = self.at
    local nested = reader_new(self.text, from + 2, self.depth + 1, true)
    if nested.depth <= MAX_DEPTH then
        nested:run()
    else
        nested.at = closing(self.text, nested.at)
    end
    for _, command in ipairs(nested.out) do
        self.inner[#self.inner + 1] = command
    end
    self:add(self.text:sub(from, nested.at))
    self.at = nested.at + 1
end

function Reader:backtick()
    local stop = self.text:find("`", self.at + 1, true) or #self.text + 1
    for _, command in ipairs(parse(self.text:sub(self.at + 1, stop - 1), self.depth + 1)) do
        self.inner[#self.inner + 1] = command
    end
    self:add(self.text:sub(self.at, stop))
    self.at = stop + 1
end

-- At a `$` or a backtick.
function Reader:dollar()
    local text, at = self.text, self.at
    if text:sub(at, at) == "`" then
        self:backtick()
    elseif text:sub(at, at + 2) == "$((" then
        local stop = closing(text, at + 2)
        self:add(text:sub(at, stop))
        self.at = stop + 1
    elseif text:sub(at, at + 1) == "$(" then
        self:substitute()
    else
        self:add("$")
        self.at = at + 1
    end
end

function Reader:double_quoted()
    self:add("")
    self.at = self.at + 1
    while true do
        local from, to = self.text:find('^[^"\\$`]+', self.at)
        if from then
            self:add(self.text:sub(from, to))
            self.at = to + 1
        end
        local c = self.text:sub(self.at, self.at)
        if c == "" then return end
        if c == '"' then
            self.at = self.at + 1
            return
        elseif c == "\\" then
            self:add(self.text:sub(self.at + 1, self.at + 1))
            self.at = self.at + 2
        else
            self:dollar()
        end
    end
end

function Reader:single_quoted()
    local stop = self.text:find("'", self.at + 1, true) or #self.text + 1
    self:add(self.text:sub(self.at + 1, stop - 1))
    self.at = stop + 1
end

-- `<`, `>` and all that begins with them.
function Reader:redirect()
    local text, at = self.text, self.at
    if text:find("^[<>]%(", at) then return self:substitute() end
    if self.word and self.word:find("^%d+$") then self.word = nil end -- the 2 of `2>`
    self:end_word()
    local op = text:match("^<<<", at) or text:match("^<<%-?", at) or text:match("^>>", at)
        or text:match("^[<>]&%-?%d*", at) or text:match("^>|", at) or text:sub(at, at)
    self.at = at + #op
    if op:find("^[<>]&[%d-]") then return end
    if op == "<<" or op == "<<-" then
        self.target = "heredoc"
    else
        self.target = op:sub(1, 1) == ">" and "write" or "read"
    end
end

-- At a line's end: what follows is the text of here-documents, not commands.
function Reader:skip_heredocs()
    for _, word in ipairs(self.heredocs) do
        repeat
            local stop = self.text:find("\n", self.at, true) or #self.text + 1
            local line = self.text:sub(self.at, stop - 1):gsub("^\t+", "")
            self.at = stop + 1
        until line == word or self.at > #self.text
    end
    self.heredocs = {}
end

-- Counts brackets; true at the one that ends a nested reader's text.
function Reader:bracket(op)
    if op == "(" then
        self.open = self.open + 1
    elseif op == ")" then
        if self.nested and self.open == 0 then return true end
        self.open = math.max(self.open - 1, 0)
    end
    return false
end

-- At one of `|&;()` or a line's end; true if it ended a nested reader's text.
function Reader:operator()
    local text, at = self.text, self.at
    if text:find("^&>", at) then
        self.at = at + 1
        return self:redirect()
    end
    local op = text:match("^&&", at) or text:match("^||", at) or text:match("^|&", at)
        or text:match("^;;", at) or text:sub(at, at)
    if self:bracket(op) then return true end
    self.at = at + #op
    if op == "\n" or op == ";;" then
        self:end_command(";")
    elseif op == "(" or op == ")" then
        self:end_command(nil)
    else
        self:end_command(op == "|&" and "|" or op)
    end
    if op == "\n" then self:skip_heredocs() end
    return false
end

-- At a byte that is special outside quotes; true at the end of a nested reader's text.
function Reader:special(c)
    if c == "#" and self.word then
        self:add("#")
        self.at = self.at + 1
    elseif c == "#" then
        self.at = self.text:find("\n", self.at, true) or #self.text + 1
    elseif c == "'" then
        self:single_quoted()
    elseif c == '"' then
        self:double_quoted()
    elseif c == "\\" then
        local following = self.text:sub(self.at + 1, self.at + 1)
        if following ~= "\n" then self:add(following) end
        self.at = self.at + 2
    elseif c == "$" or c == "`" then
        self:dollar()
    elseif c == "<" or c == ">" then
        self:redirect()
    elseif c ~= "\n" and c:find("%s") then
        self:end_word()
        self.at = self.at + 1
    else
        return self:operator()
    end
    return false
end

function Reader:run()
    local text = self.text
    while self.at <= #text do
        local from, to = text:find("^[^%s'\"\\$`<>|&;()#]+", self.at)
        if from then
            self:add(text:sub(from, to))
            self.at = to + 1
        end
        local c = text:sub(self.at, self.at)
        if c ~= "" and self:special(c) then break end
    end
    self:end_command(nil)
end

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

-- The text that `bash -c TEXT` runs, or nil.
local function shell_text(name, args)
    if not SHELLS[name] then return nil end
    for i, arg in ipairs(args) do
        if arg:find("^%-%a*c$") then return args[i + 1] end
        if not arg:find("^%-") then return nil end
    end
    return nil
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
        local text = shell_text(command.name, command.args)
        if text and depth < MAX_DEPTH then
            local nested = expand(parse(text, depth + 1), depth + 1, {})
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
    return expand(parse(text:sub(1, MAX_BYTES), 1), 1, {})
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
