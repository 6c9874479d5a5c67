-- perilune-api: 1
-- Tells when the agent ran a command that can destroy work or open the machine: `rm -rf` beyond
-- the workspace, a forced push, skipped hooks, a download piped into a shell, rights for
-- everyone, uncommitted work or data thrown away. It reads command lines as a shell would, so
-- that a quoted or echoed one is no command, and it is silent where the user asked for exactly
-- that.
local losses = require("perilune.losses")
local match = require("perilune.match")
local paths = require("perilune.paths")
local shell = require("perilune.shell")
local text = require("perilune.text")

local FETCHERS = { curl = true, wget = true, fetch = true }
local SHELLS = {
    sh = true, bash = true, zsh = true, dash = true, ksh = true, source = true, ["."] = true,
}
local INTERPRETERS = {
    sh = true, bash = true, zsh = true, dash = true, ksh = true, python = true,
    python3 = true, perl = true, ruby = true, node = true, eval = true, source = true,
    ["."] = true,
}
-- Options of git itself that take a value: `git -C dir push`.
local GIT_VALUED = {
    ["-C"] = true, ["-c"] = true, ["--git-dir"] = true, ["--work-tree"] = true,
}

-- Verbs of git that run hooks.
local HOOKED = { commit = true, push = true, merge = true, rebase = true, am = true }

-- What is put for `~`, `$HOME` and `$PWD`: the folder, or nil where it is unknown.
local function known_folder(target, place)
    local rest = target:match("^~(.*)") or target:match("^%$HOME(.*)")
        or target:match("^%${HOME}(.*)")
    if rest then
        local cwd = place.cwd or ""
        local home = cwd:match("^/home/[^/]+") or cwd:match("^/Users/[^/]+")
        return home and home .. rest, true, rest
    end
    rest = target:match("^%$PWD(.*)") or target:match("^%${PWD}(.*)")
        or target:match("^%$%(pwd%)(.*)")
    if rest then return place.folder and place.folder .. rest end
    return target
end

local function judge_path(path, cwd)
    if not cwd or paths.is_scratch(path) then return nil end
    if path == cwd then return "the whole workspace" end
    if path == cwd .. "/.git" then return "the repository's history" end
    return not paths.within(path, cwd) and "outside the workspace" or nil
end

-- `/opt/$name`: whatever the name is, it is below the folder before it.
local function judge_prefix(target, cwd)
    local prefix = target:match("^(/[^$`]*)/[^/]*[$`]")
    if not prefix or not cwd or paths.within(cwd, prefix) or target:find("..", 1, true) then
        return nil
    end
    return judge_path(prefix, cwd)
end

local function judge_home(path, rest, place)
    if rest:find("^/%.cache/.") then return nil end -- can be had again
    if path and place.cwd and paths.within(path, place.cwd) then
        return judge_path(path, place.cwd)
    end
    return rest:find("^/*%**$") and "the home folder" or "a part of the home folder"
end

-- Why removing `target` at `place` is dangerous, or nil. What holds a variable is unknown, but
-- for the home folder and the one it is in.
local function removal(target, place)
    local known, at_home, rest = known_folder(target, place)
    if known then known = known:gsub("/%*$", ""):gsub("^%*$", ".") end
    if known == "" then known = "/" end
    if at_home then
        return judge_home(known and paths.normal(known, place.folder), rest, place)
    end
    if not known then return nil end
    if known:find("[$`]") then return judge_prefix(known, place.cwd) end
    if known == "/" then return "the whole disk" end
    local path = paths.normal(known, place.folder)
    if not path then return place.folder and "outside the workspace" or nil end
    return judge_path(path, place.cwd)
end

local function removing(targets, place)
    for _, target in ipairs(targets) do
        local what = removal(target, place)
        if what then
            return { why = "removes what lies beyond recovery: " .. what, where = what,
                asked = target, rule = "rm", severity = "blocker" }
        end
    end
    return nil
end

local function removes_tree(command)
    local args = command.args
    local recursive = shell.has_flag(args, "r", "--recursive") or shell.has_flag(args, "R")
    return command.name == "rm" and recursive -- where nobody is asked, -f changes nothing
end

local function check_rm(command, place)
    return removes_tree(command) and removing(shell.operands(command.args), place) or nil
end

-- `find ROOT -delete`, `find ROOT -exec rm`, `find ROOT | xargs rm -rf`.
local function check_find(command, place, following)
    local roots, removes = {}, false
    for i, arg in ipairs(command.args) do
        if arg:find("^[-(!]") then break end
        roots[i] = arg
    end
    for i, arg in ipairs(command.args) do
        local run = (arg == "-exec" or arg == "-execdir") and command.args[i + 1] or ""
        removes = removes or arg == "-delete" or run:match("[^/]*$") == "rm"
    end
    local piped = command.sep == "|" and following and removes_tree(following)
    local danger = (removes or piped) and removing(roots, place)
    -- In the workspace it looks for what it removes: all `*.pyc`, say.
    return danger and danger.where ~= "the whole workspace" and danger or nil
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
    if shell.has_flag(args, "f", "--force") or shell.has_flag(args, nil, "--mirror") then
        return true
    end
    for i, operand in ipairs(shell.operands(args)) do
        if i > 1 and operand:find("^%+") then return true end -- a `+branch` refspec
    end
    return false
end

-- `HUSKY=0 git commit`, `git -c core.hooksPath=/dev/null commit`.
local function switches_hooks_off(command)
    for _, word in ipairs(command.words) do
        if word == "HUSKY=0" or word == "LEFTHOOK=0"
            or word:lower():find("^core%.hookspath=/dev/null") then
            return true
        end
    end
    return false
end

-- `git config alias.pf 'push --force'` is judged as what it will run.
local function aliased(args)
    local operands = shell.operands(args)
    local line = (operands[1] or ""):find("^alias%.") and operands[2]
    if not line then return nil end
    local run = shell.commands(line:find("^!") and line:sub(2) or "git " .. line)[1]
    return run and run.name == "git" and run or nil
end

local function check_git(command, place)
    local verb, args = git_verb(command.args)
    local alias = verb == "config" and aliased(args)
    if alias then verb, args = git_verb(alias.args) end
    if verb == "push" and not shell.has_flag(args, "n", "--dry-run") and is_forced(args) then
        return { why = "overwrites the remote branch; --force-with-lease would at least notice"
            .. " somebody else's commits", asked = "force", rule = "force-push",
            severity = "blocker" }
    end
    if HOOKED[verb] and (shell.has_flag(args, nil, "--no-verify")
        or (verb == "commit" and shell.has_flag(args, "n")) or switches_hooks_off(command)) then
        return { why = "skips the hooks that guard this repository", asked = "no-verify",
            rule = "no-verify" }
    end
    local kept = place.kept or (place.folder and paths.is_scratch(place.folder))
    local loss = losses.of_git(verb, args)
    return loss and (loss.rule ~= "discard" or not kept) and loss or nil
end

local function check_chmod(command)
    local operands = shell.operands(command.args)
    local mode = operands[1] or ""
    local open = mode:find("^0?[0-7][0-7][2367]$") or mode:find("^[ugoa]*[oa][ugoa]*[+=][rx]*w")
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

-- The word that holds the code an interpreter runs, or nil where it reads it from its input.
local function code_of(command)
    local args = command.args
    for i, arg in ipairs(args) do
        if arg:find("^%-%a*[cem]$") or arg == "--eval" then return args[i + 1] or "" end
    end
    if SHELLS[command.name] and shell.has_flag(args, "s") then return nil end
    return shell.operands(args)[1]
end

-- `sh -c "$(curl X)"`, `bash <(curl X)`, `sh < <(curl X)`; not `python3 a.py "$(curl X)"`.
local function is_fetched_code(command, code)
    if not fetches(command.inner) then return false end
    if code then return code:find("^[<$]%(") ~= nil or code:find("^`") ~= nil end
    for _, word in ipairs(command.words) do
        if word:find("[<$]%(") or word:find("`", 1, true) then return false end
    end
    return true
end

-- The file that `curl -o FILE`, `wget -O FILE` or `curl > FILE` leaves, or nil.
local function saved_as(command)
    if not FETCHERS[command.name] then return nil end
    for i, arg in ipairs(command.args) do
        if arg == "-o" or arg == "--output" or arg:find("^%-%a*[oO]$") then
            return command.args[i + 1]
        end
    end
    return command.writes[1]
end

-- `curl X | sh`, and `curl -o F X && sh F` in one line: nobody can have read it.
local function is_fetched_before(command, list, index, code)
    local before = index
    while before > 1 and list[before - 1].sep == "|" do before = before - 1 end
    for i = before, index - 1 do
        if not code and FETCHERS[list[i].name] then return true end
    end
    for i = 1, SHELLS[command.name] and index - 1 or 0 do
        if code and saved_as(list[i]) == code then return true end
    end
    return false
end

local function check_fetched(command, list, index)
    if not INTERPRETERS[command.name] then return nil end
    local code = code_of(command)
    local checks = SHELLS[command.name] and shell.has_flag(command.args, "n")
    local fetched = is_fetched_code(command, code)
        or is_fetched_before(command, list, index, code)
    if checks or not fetched then return nil end
    return { why = "runs what a server sends without anyone having read it", asked = "curl",
        rule = "curl-sh", severity = "blocker" }
end

local function is_disk(device)
    for _, pattern in ipairs({ "^/dev/[shvx]v?d%l", "^/dev/nvme%d", "^/dev/mmcblk%d",
        "^/dev/r?disk%d", "^/dev/md%d" }) do
        if device:find(pattern) then return true end
    end
    return false
end

-- `dd of=/dev/sda`, `mkfs /dev/sda1`.
local function check_disk(command)
    local makes = command.name:find("^mkfs") ~= nil
    for _, arg in ipairs(command.args) do
        local device = arg:match(makes and "^(/dev/.+)" or "^of=(/dev/.+)")
        if device and is_disk(device) then
            return { why = "overwrites a disk", asked = device, rule = "disk",
                severity = "blocker" }
        end
    end
    return nil
end

local RULES = { rm = check_rm, git = check_git, chmod = check_chmod, dd = check_disk }

-- Follows `cd`, so that a relative path is judged where it is used.
local function move(place, command)
    local target = shell.operands(command.args)[1]
    if not target or target:find("[$`~*]") or target == "-" then
        place.folder = nil
    else
        place.folder = paths.normal(target, place.folder)
    end
end

local function danger_of(command, place, list, index)
    if command.name == "find" then return check_find(command, place, list[index + 1]) end
    local rule = RULES[command.name] or (command.name:find("^mkfs") and check_disk)
    return rule and rule(command, place) or check_fetched(command, list, index)
        or losses.of_command(command)
end

-- `kept`: what the agent had not committed was put aside, or there was nothing.
local function first_danger(call, cwd, kept)
    local place, found = { folder = cwd, cwd = cwd, kept = kept }, nil
    shell.each(match.commands(call), function(command, index, list)
        if command.name == "cd" or command.name == "pushd" then move(place, command) end
        local danger = danger_of(command, place, list, index)
        place.kept = place.kept or losses.is_kept(call, { command })
        if danger and (not found or danger.severity and not found.severity) then
            found = danger
        end
    end)
    return found
end

-- After it there is something again that is not committed.
local function edits(call)
    return match.is_editor(call) and match.happened(call)
end

-- The user's own words name the thing and do not forbid it.
local function was_asked(danger, turn)
    local words, asked = (turn.last_user or ""):lower(), danger.asked:lower()
    -- A target such as `/` or `~` stands in any sentence with a path.
    local named = #asked >= 4 and words:find(asked, 1, true)
    for _, also in ipairs(danger.also or {}) do
        named = named or words:find(also, 1, true)
    end
    if not named then return false end
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
        local from, kept = match.fresh_from(turn), false
        for _, call in ipairs(turn.calls()) do
            local danger = call.seq >= from and not call.denied
                and first_danger(call, turn.cwd, kept)
            kept = losses.is_kept(call, match.commands(call)) or kept and not edits(call)
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
