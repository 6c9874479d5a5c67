-- Commands that throw away work or data which nothing brings back: uncommitted changes, a
-- remote branch, volumes, databases, what a cloud holds. Only plain cases; what names a test, a
-- sandbox or a preview is taken for one.
local shell = require("perilune.shell")

local M = {}

---@class perilune.Loss
---@field why string    what it does, behind "`command` "
---@field asked string  a word of a user who wanted it
---@field also string[]?  and others
---@field rule string

local WORK = "throws away whatever was not committed"
local DATA = "destroys data that no commit brings back"

local ASKED_TO_DISCARD = { "discard", "revert", "undo", "throw away", "start over", "drop" }

local function has(list, word)
    for _, one in ipairs(list) do
        if one == word then return true end
    end
    return false
end

-- What is done by verb alone: program, words in order, an option that must be there.
local DATA_VERBS = {
    { "terraform", { "destroy" } }, { "tofu", { "destroy" } }, { "pulumi", { "destroy" } },
    { "dropdb", {} }, { "gh", { "repo", "delete" } }, { "aws", { "s3", "rb" }, "--force" },
    { "aws", { "s3", "rm" }, "--recursive" }, { "kubectl", { "delete", "namespace" } },
    { "kubectl", { "delete", "ns" } }, { "kubectl", { "delete", "pvc" } },
    { "docker", { "volume", "rm" } }, { "docker", { "volume", "prune" } },
    { "docker", { "system", "prune" }, "--volumes" }, { "docker", { "compose", "down" }, "-v" },
    { "docker", { "compose", "down" }, "--volumes" }, { "docker-compose", { "down" }, "-v" },
    { "docker-compose", { "down" }, "--volumes" }, { "prisma", { "migrate", "reset" } },
    { "prisma", { "db", "push" }, "--force-reset" }, { "rails", { "db:drop" } },
    { "rails", { "db:reset" } }, { "rake", { "db:drop" } }, { "redis-cli", { "flushall" } },
    { "redis-cli", { "flushdb" } }, { "crontab", {}, "-r" },
}

-- Clients whose text after one of these options, or as an operand, is SQL.
local SQL = { psql = true, mysql = true, mariadb = true, sqlite3 = true, ["sqlplus"] = true }

local HARMLESS = { "test", "tmp", "temp", "sandbox", "scratch", "preview", "%f[%w]ci%f[%W]",
    ":memory:", "dummy", "example" }

local function names_harmless(command)
    local line = table.concat(command.words, " "):lower()
    for _, word in ipairs(HARMLESS) do
        if line:find(word) then return true end
    end
    return false
end

local function begins_with(operands, verbs)
    local at = 1
    for _, operand in ipairs(operands) do
        if verbs[at] and operand:lower() == verbs[at] then at = at + 1 end
    end
    return at > #verbs
end

local function of_sql(command)
    local text = " " .. table.concat(command.args, " "):lower() .. " "
    for _, document in ipairs(command.fed) do
        text = text .. table.concat(document.lines, " "):lower() .. " "
    end
    return text:find("%sdrop%s+database%s") or text:find("[%s;\"]drop%s+schema%s")
        or text:find("[%s;\"]drop%s+table%s") or text:find("[%s;\"]truncate%s+%w")
        or (text:find("[%s;\"]delete%s+from%s+[%w._]+%s*[;\"]?%s*$") ~= nil)
end

local function of_data(command)
    local operands = shell.operands(command.args)
    for _, entry in ipairs(DATA_VERBS) do
        if command.name == entry[1] and begins_with(operands, entry[2])
            and (not entry[3] or has(command.args, entry[3])) then
            return true
        end
    end
    return SQL[command.name] and of_sql(command)
end

-- The whole of the folder, not a file named in it.
local function is_everything(operands, from)
    for i = from, #operands do
        if operands[i] == "." or operands[i] == ":/" or operands[i] == "*" then return true end
    end
    return false
end

local function of_git(verb, args)
    local operands = shell.operands(args)
    if verb == "reset" then return has(args, "--hard") and WORK or nil end
    if verb == "clean" then
        local forced = shell.has_flag(args, "f", "--force") or shell.has_flag(args, "x")
        local tries = shell.has_flag(args, "n", "--dry-run")
        local whole = not operands[1] or is_everything(operands, 1)
        return forced and not tries and whole and "removes files that git does not keep" or nil
    end
    if verb == "checkout" or verb == "restore" then
        local staged = shell.has_flag(args, "S", "--staged")
            and not shell.has_flag(args, "W", "--worktree")
        return not staged and is_everything(operands, 1) and WORK or nil
    end
    if verb == "stash" then
        local drops = operands[1] == "drop" or operands[1] == "clear"
        return drops and "drops work that was put aside" or nil
    end
    return nil
end

--- What git's `verb` with `args` throws away; nil if nothing. Of its remote: a branch.
---@param verb string?
---@param args string[]
---@return perilune.Loss?
function M.of_git(verb, args)
    if verb == "push" then
        local operands = shell.operands(args)
        local deletes = shell.has_flag(args, "d", "--delete")
        for i = 2, #operands do deletes = deletes or operands[i]:find("^:.") ~= nil end
        if not deletes or shell.has_flag(args, "n", "--dry-run") then return nil end
        return { why = "deletes a branch or tag of the remote", asked = "delete",
            rule = "push-delete" }
    end
    local why = of_git(verb, args)
    return why and { why = why, asked = verb, also = ASKED_TO_DISCARD,
        rule = "discard" } or nil
end

--- What another command destroys; nil if nothing.
---@param command perilune.ShellCommand
---@return perilune.Loss?
function M.of_command(command)
    if names_harmless(command) or not of_data(command) then return nil end
    local verb = shell.operands(command.args)[1] or command.name
    local is_sql = SQL[command.name]
    return { why = DATA, asked = is_sql and "drop" or verb, rule = "data" }
end

--- True if a call kept, or showed to be kept, what a later one would throw away.
---@param call perilune.Call
---@param commands perilune.ShellCommand[]
---@return boolean
function M.is_kept(call, commands)
    local kept = false
    shell.each(commands, function(command)
        if command.name ~= "git" then return end
        local operands = shell.operands(command.args)
        local verb, noun = operands[1], operands[2]
        local puts_aside = verb == "stash" and (not noun or noun == "push" or noun == "save")
        local is_clean = verb == "status"
            and (call.result or ""):find("working tree clean", 1, true) ~= nil
        kept = kept or puts_aside or verb == "commit" or is_clean
    end)
    return kept
end

return M
