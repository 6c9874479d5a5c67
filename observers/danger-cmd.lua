-- perilune-api: 1
-- Tells when the agent ran a command that can destroy work or open the machine: `rm -rf` beyond
-- the workspace, a forced push, skipped hooks, a download piped into a shell, rights for
-- everyone. It reads command lines as a shell would, so that a quoted or echoed one is no
-- command, and it is silent where the user asked for exactly that.
local match = require("perilune.match")
local paths = require("perilune.paths")
local shell = require("perilune.shell")
local text = require("perilune.text")

local FETCHERS = { curl = true, wget = true, fetch = true }
local INTERPRETERS = {
    sh = true, bash = true, zsh = true, dash = true, ksh = true, python = true,
    python3 = true, perl = true, ruby = true, node = true, eval = true, source = true,
    ["."] = true,
}
-- Options of git itself that take a value: `git -C dir push`.
local GIT_VALUED = {
    ["-C"] = true, ["-c"] = true, ["--git-dir"] = true, ["--work-tree"] = true,
}

-- Why removing `target` in `folder` is dangerous, or nil. What holds a variable is unknown,
-- but for the home folder.
local function removal(target, folder, cwd)
    if target:find("^~") or target:find("^%$HOME") or target:find("^%${HOME}") then
        return "the home folder"
    end
    if target:find("[$`]") then return nil end
    if target == "/" or target == "/*" then return "the whole disk" end
    local bare = target:gsub("/%*$", "")
    local path = paths.normal(bare == "" and "/" or bare, folder)
    if not path then return folder and "outside the workspace" or nil end
    if not cwd or paths.is_scratch(path) then return nil end
    if path == cwd then return "the whole workspace" end
    if path == cwd .. "/.git" then return "the repository's history" end
    return not paths.within(path, cwd) and "outside the workspace" or nil
end

local function check_rm(command, place)
    local args = command.args
    local recursive = shell.has_flag(args, "r", "--recursive") or shell.has_flag(args, "R")
    if not recursive or not shell.has_flag(args, "f", "--force") then return nil end
    for _, target in ipairs(shell.operands(args)) do
        local what = removal(target, place.folder, place.cwd)
        if what then
            return { why = "removes what lies beyond recovery: " .. what, asked = target,
                rule = "rm", severity = "blocker" }
        end
    end
    return nil
end

-- The verb of a git command and the arguments behind it.
local function git_verb(args)
    local at = 1
    while args[at] and args[at]:find("^%-") do
        at = at + (GIT_VALUED[args[at]] and 2 or 1)
    end
    local rest = {}
    for i = at + 1, #args do rest[#rest + 1] = args[i] end
    return args[at], rest
end

local function is_forced(args)
    if shell.has_flag(args, "f", "--force") then return true end
    for i, operand in ipairs(shell.operands(args)) do
        if i > 1 and operand:find("^%+") then return true end -- a `+branch` refspec
    end
    return false
end

local function check_git(command)
    local verb, args = git_verb(command.args)
    if verb == "push" and not shell.has_flag(args, "n", "--dry-run") and is_forced(args) then
        return { why = "overwrites the remote branch; --force-with-lease would at least notice"
            .. " somebody else's commits", asked = "force", rule = "force-push",
            severity = "blocker" }
    end
    local hooks = verb == "commit" or verb == "push" or verb == "merge" or verb == "rebase"
    if hooks and (shell.has_flag(args, nil, "--no-verify")
        or (verb == "commit" and shell.has_flag(args, "n"))) then
        return { why = "skips the hooks that guard this repository", asked = "no-verify",
            rule = "no-verify" }
    end
    return nil
end

local function check_chmod(command)
    local operands = shell.operands(command.args)
    local mode = operands[1] or ""
    local open = mode:find("^0?777$") or mode:find("^[ugoa]*[oa][ugoa]*[+=][rx]*w")
        or mode:find("^%+?a[+=]rwx")
    local target = operands[2]
    if not open or not target or paths.is_scratch(target) then return nil end
    return { why = "lets every user of the machine change these files", asked = "chmod",
        rule = "chmod" }
end

local function fetches(commands)
    for _, command in ipairs(commands) do
        if FETCHERS[command.name] or fetches(command.inner) then return true end
    end
    return false
end

-- `curl X | sh`, `sh -c "$(curl X)"`, `bash <(curl X)`.
local function check_piped(command, list, index)
    if not INTERPRETERS[command.name] then return nil end
    local before = index
    while before > 1 and list[before - 1].sep == "|" do before = before - 1 end
    local piped = false
    for i = before, index - 1 do piped = piped or FETCHERS[list[i].name] end
    -- `python -c CODE` and the like read the data, they do not run it.
    local reads = #shell.operands(command.args) > 0 or shell.has_flag(command.args, "c")
        or shell.has_flag(command.args, "e") or shell.has_flag(command.args, "m")
    if not (piped and not reads) and not fetches(command.inner) then return nil end
    return { why = "runs what a server sends without anyone having read it", asked = "curl",
        rule = "curl-sh", severity = "blocker" }
end

local RULES = { rm = check_rm, git = check_git, chmod = check_chmod }

-- Follows `cd`, so that a relative path is judged where it is used.
local function move(place, command)
    local target = shell.operands(command.args)[1]
    if not target or target:find("[$`~*]") or target == "-" then
        place.folder = nil
    else
        place.folder = paths.normal(target, place.folder)
    end
end

local function first_danger(call, cwd)
    local place, found = { folder = cwd, cwd = cwd }, nil
    shell.each(match.commands(call), function(command, index, list)
        if command.name == "cd" then move(place, command) end
        local rule = RULES[command.name]
        local danger = rule and rule(command, place) or check_piped(command, list, index)
        if danger and (not found or danger.severity and not found.severity) then
            found = danger
        end
    end)
    return found
end

-- The user's own words name the thing and do not forbid it.
local function was_asked(danger, turn)
    local words, asked = (turn.last_user or ""):lower(), danger.asked:lower()
    -- A target such as `/` or `~` stands in any sentence with a path.
    if #asked < 4 or not words:find(asked, 1, true) then return false end
    local spaced = " " .. words:gsub("[’']", ""):gsub("[^%w]+", " ") .. " "
    for _, no in ipairs({ " dont ", " do not ", " never ", " not ", " without ", " avoid " }) do
        if spaced:find(no, 1, true) then return false end
    end
    return true
end

---@type perilune.ObserverSpec
return {
    name = "danger-cmd",
    description = "Tells when a command destroyed work, skipped a guard or opened the machine.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 90,
    severity = "concern",
    observe = function(turn)
        local from = match.fresh_from(turn)
        for _, call in ipairs(turn.calls()) do
            local danger = call.seq >= from and not call.denied
                and first_danger(call, turn.cwd)
            if danger and not was_asked(danger, turn) then
                return {
                    advise = ("%s %s. Tell the user what it did."):format(
                        match.title(call, 80), danger.why),
                    fingerprint = "danger:" .. danger.rule .. ":" .. text.hash(match.key(call)),
                    severity = danger.severity,
                    evidence = { call.seq },
                }
            end
        end
        return nil
    end,
}
