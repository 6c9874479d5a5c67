-- Splits the text of a shell command line into simple commands: quotes, substitutions,
-- redirections and here-documents are told apart, nothing is expanded. What the words of a
-- command mean is perilune.shell's.
local M = {}

local MAX_DEPTH = 4
local MAX_COMMANDS = 200

---@class perilune.ShellReader
local Reader = {}
Reader.__index = Reader

-- `nested`: stops at the bracket that closes it.
local function reader_new(text, at, depth, nested)
    return setmetatable({
        text = text, at = at, depth = depth, nested = nested, open = 0, out = {},
        words = {}, writes = {}, appends = {}, reads = {}, inner = {}, fed = {}, heredocs = {},
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
    if self.target == "write" or self.target == "append" then
        self.writes[#self.writes + 1] = word
        if self.target == "append" then self.appends[#self.appends + 1] = word end
    elseif self.target == "read" then
        self.reads[#self.reads + 1] = word
    elseif self.target == "heredoc" then
        local document = { word = word, lines = {} }
        self.heredocs[#self.heredocs + 1] = document
        self.fed[#self.fed + 1] = document
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
            self.out[#self.out + 1] = { words = self.words, writes = self.writes,
                appends = self.appends, reads = self.reads, inner = self.inner,
                fed = self.fed, sep = sep }
        end
        self.words, self.writes, self.appends, self.reads = {}, {}, {}, {}
        self.inner, self.fed = {}, {}
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
        local writes = op == ">>" and "append" or "write"
        self.target = op:sub(1, 1) == ">" and writes or "read"
    end
end

-- At a line's end: what follows is the text of here-documents, not commands.
function Reader:skip_heredocs()
    for _, document in ipairs(self.heredocs) do
        repeat
            local stop = self.text:find("\n", self.at, true) or #self.text + 1
            local line = self.text:sub(self.at, stop - 1):gsub("^\t+", "")
            self.at = stop + 1
            local ends = line == document.word
            if not ends then document.lines[#document.lines + 1] = line end
        until ends or self.at > #self.text
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

--- The simple commands of `text`; none below a depth of four.
---@param text string
---@param depth integer  1 at the top
---@return table[]
M.parse = parse

M.MAX_DEPTH = MAX_DEPTH

return M
