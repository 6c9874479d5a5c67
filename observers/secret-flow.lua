-- perilune-api: 1
-- Tells when a secret the agent has read leaves the place where it was kept: sent by a command
-- that talks to another machine, or committed. Remembers marks of what was read, never the
-- secret, and never quotes one. A secret used through a variable has not been shown to it.
local changes = require("perilune.changes")
local match = require("perilune.match")
local paths = require("perilune.paths")
local secrets = require("perilune.secrets")
local seen = require("perilune.seen")
local shell = require("perilune.shell")
local text = require("perilune.text")

local SENDERS = {
    curl = true, wget = true, nc = true, ncat = true, netcat = true, ssh = true, scp = true,
    rsync = true, ftp = true, sftp = true, http = true, https = true, xh = true, telnet = true,
}
local FETCH_TOOLS = { WebFetch = true, web_fetch = true, fetch = true, WebSearch = true,
    web_search = true }
-- Options that send the file or the text behind their `=`.
local UPLOADS = { ["post-file"] = true, ["body-file"] = true, ["upload-file"] = true,
    data = true, ["data-binary"] = true, ["data-urlencode"] = true, form = true }
-- Options whose file stays here.
local KEEPS = { ["--exclude"] = true, ["--exclude-from"] = true, ["--cert"] = true,
    ["--key"] = true, ["--cacert"] = true, ["--netrc-file"] = true, ["-E"] = true }
local INTERPRETERS = { python = true, python3 = true, node = true, ruby = true, perl = true,
    php = true, deno = true, bun = true }
local PACKERS = { tar = true, gzip = true, xz = true, zip = true, openssl = true }
local READ_PROGRAMS = { cat = true, head = true, tail = true, less = true, bat = true,
    grep = true,
    sed = true, awk = true, printenv = true, env = true, base64 = true, xxd = true,
        strings = true }

local VALUE_MAX = 400
local SENT_MAX_BYTES = 16384
local MAX_MARKS = 120

local function reads_secret_file(call)
    local input = type(call.input) == "table" and call.input or {}
    local path = input.file_path or input.path
    if type(path) == "string" and not match.is_editor(call) and secrets.is_file(path) then
        return true
    end
    local found = false
    shell.each(match.commands(call), function(command)
        if not READ_PROGRAMS[command.name] then return end
        found = found or command.name == "printenv" or command.name == "env"
        for _, operand in ipairs(shell.operands(command.args)) do
            found = found or secrets.is_file(operand)
        end
    end)
    return found
end

-- Marks what a result shows. Of other files only keys of known form count, and only where the
-- call reads: what a test prints is no secret.
local function learn(call, state)
    if not match.happened(call) or not reads_secret_file(call) then return end
    for _, secret in ipairs(secrets.values(call.result)) do
        state.marks = seen.add(state.marks, secret, MAX_MARKS)
    end
end

local MAX_PIECES = 400

-- Whole words, the values of `key=value`, the parts of a path: a secret may stand as any.
local function shows_mark(words, marks)
    if not marks then return false end
    words = words:sub(1, SENT_MAX_BYTES)
    for _, form in ipairs({ "[%w_+/=.~-]+", "[%w_+/.~-]+", "[%w_+=~-]+" }) do
        local count = 0
        for piece in words:gmatch(form) do
            if #piece >= secrets.MIN_BYTES and #piece <= VALUE_MAX then
                count = count + 1
                if count > MAX_PIECES then break end
                if seen.has(marks, piece) then return true end
            end
        end
    end
    return false
end

local function is_local(words)
    return words:find("localhost", 1, true) or words:find("127.0.0.1", 1, true)
        or words:find("[::1]", 1, true)
end

local function quoted(file)
    return "`" .. text.line(paths.base(file), 40) .. "`"
end

-- The secret file that a word of a sender uploads, or nil.
local function uploaded(command, word, option)
    local name, value = word:match("^%-%-([%w-]+)=@?(.+)$")
    if name then return UPLOADS[name] and secrets.is_file(value) and value or nil end
    local is_key = command.name:find("^s") and option == "-i" -- ssh's own key is not sent
    local file = word:match("=?@(.+)$") or word
    if is_key or KEEPS[option or ""] or not secrets.is_file(file) then return nil end
    local attached = word:find("^%-%a@") -- `-d@.env`
    local uploads = word:find("@", 1, true) or command.name == "scp" or command.name == "rsync"
        or option == "-T" or option and UPLOADS[option:sub(3)]
    return (attached or not word:find("^%-")) and uploads and file or nil
end

-- The secret file that a command substituted into it prints, or that it reads: `$(cat .env)`,
-- `< .env`.
local function taken_in(command)
    for _, file in ipairs(command.reads) do
        if secrets.is_file(file) then return file end
    end
    for _, inner in ipairs(command.inner) do
        for _, operand in ipairs(shell.operands(inner.args)) do
            if READ_PROGRAMS[inner.name] and secrets.is_file(operand) then return operand end
        end
    end
    return nil
end

-- What a sender's arguments carry: a file (`@.env`, `scp .env host:`), or a value.
local function carries(command, state)
    for i, word in ipairs(command.args) do
        local file = uploaded(command, word, command.args[i - 1])
        if file then return quoted(file) end
    end
    local file = taken_in(command)
    if file then return quoted(file) end
    if shows_mark(table.concat(command.args, " "),
        state.marks) then return "a secret it has read" end
    return nil
end

-- `cat .env | curl ...`: what flows into a sender. A filter may take what matters out of the
-- whole environment, a packer does not.
local function flows_in(list, index, state)
    local at, whole = index, true
    while at > 1 and list[at - 1].sep == "|" do
        at = at - 1
        local name, args = list[at].name, list[at].args
        if whole and (name == "env" or name == "printenv") and not args[1] then
            return "its whole environment"
        end
        whole = whole and (PACKERS[name] or name == "base64")
        for _, operand in ipairs(shell.operands(args)) do
            if (READ_PROGRAMS[name] or PACKERS[name]) and secrets.is_file(operand) then
                return quoted(operand)
            end
        end
        if shows_mark(table.concat(args, " "), state.marks) then
            return "a secret it has read"
        end
    end
    return nil
end

-- `python3 -c CODE` that names a server and holds a secret.
local function sends_in_code(command)
    local code = table.concat(command.args, " ")
    local inline = shell.has_flag(command.args, "c") or shell.has_flag(command.args, "e")
    return inline and code:find("https?://") and not is_local(code)
end

-- Programs with verbs of their own that publish files, or what is written on their line.
local function published(command, state)
    local operands = shell.operands(command.args)
    local writes = command.name == "gh" and operands[1] ~= "secret" and operands[1] ~= "auth"
    if writes and shows_mark(table.concat(command.args, " "), state.marks) then
        return "a secret it has read"
    end
    local publishes = command.name == "gh" and operands[1] == "gist" and operands[2] == "create"
        or command.name == "aws" and operands[1] == "s3" and operands[2] ~= "ls"
        or command.name == "gsutil" and operands[1] == "cp"
    for i = 3, publishes and #operands or 0 do
        if secrets.is_file(operands[i]) then return quoted(operands[i]) end
    end
    return nil
end

local function sent_by(command, list, index, state)
    if SENDERS[command.name] and not is_local(table.concat(command.args, " ")) then
        return flows_in(list, index, state) or carries(command, state)
    elseif INTERPRETERS[command.name] and state.marks and sends_in_code(command) then
        return shows_mark(table.concat(command.args, " "), state.marks)
            and "a secret it has read" or nil
    end
    return published(command, state)
end

-- Keys made up for tests are no secrets.
local function is_fixture(path)
    return paths.is_test(path) or path:find("fixture", 1, true) ~= nil
        or path:find("testdata", 1, true) ~= nil
end

local function check_git(command, state)
    local operands = shell.operands(command.args)
    if shell.has_flag(command.args, "n", "--dry-run") then return nil end
    if operands[1] == "add" or operands[1] == "stage" then
        for i = 2, #operands do
            if secrets.is_file(operands[i]) and not is_fixture(operands[i]) then
                return "`" .. text.line(operands[i], 60) .. "` was added to git", "add"
            end
        end
    elseif operands[1] == "commit" and state.written then
        return "a secret written to `" .. text.line(state.written, 60) .. "` was committed",
            "commit"
    end
    return nil
end

local function judge_commands(call, state)
    local what, rule
    shell.each(match.commands(call), function(command, index, list)
        if what then return end
        if command.name == "git" then
            what, rule = check_git(command, state)
        else
            local sent = sent_by(command, list, index, state)
            if sent then
                what, rule = ("`%s` sent %s to another machine"):format(command.name, sent),
                    "send"
            end
        end
    end)
    return what, rule
end

local function judge(call, state)
    if not match.happened(call) then return nil end
    if FETCH_TOOLS[call.name] and type(call.input) == "table" then
        local words = tostring(call.input.url or "") .. " " .. tostring(call.input.query or "")
        if shows_mark(words, state.marks) then
            return "`" .. call.name .. "` sent a secret it has read to another machine", "send"
        end
    end
    for _, change in ipairs(changes.of(call)) do
        local is_kept = secrets.is_file(change.path) or paths.is_scratch(change.path)
        if not is_kept and shows_mark(change.new,
            state.marks) then state.written = change.path end
    end
    -- A commit that failed committed nothing; what was sent is sent even if the answer is no.
    local what, rule = judge_commands(call, state)
    if rule ~= "send" and match.failed(call) then return nil end
    if rule == "commit" then state.written = nil end
    return what, rule
end

---@type perilune.ObserverSpec
return {
    name = "secret-flow",
    description = "Notices a secret that was read and then sent elsewhere or committed.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 95,
    severity = "blocker",
    observe = function(turn, ctx)
        local from, found = match.fresh_from(turn), nil
        for _, call in ipairs(turn.calls()) do
            if call.seq >= from then
                local what, rule = judge(call, ctx.state)
                if what and not found then
                    found = {
                        advise = what:gsub("^%l", string.upper)
                            .. ". Tell the user; the secret may have to be replaced.",
                        fingerprint = "secret:" .. rule .. ":" .. text.hash(what),
                        evidence = { call.seq },
                    }
                end
                learn(call, ctx.state)
            end
        end
        return found
    end,
}
