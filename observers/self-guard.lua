-- perilune-api: 1
-- Tells when the agent changes what watches or restrains it: hooks, observers, policies, its
-- own settings and permissions. Where the user speaks of these things it is silent, and so it
-- is about mere guidance, which agents keep for themselves.
local changes = require("perilune.changes")
local match = require("perilune.match")
local paths = require("perilune.paths")
local shell = require("perilune.shell")
local text = require("perilune.text")
local wishes = require("perilune.wishes")

-- { pattern over "/" .. path, what it is, words of a user who asked for it }
local GUARDED = {
    { "/%.claude/settings[%w.]*%.json$", "Claude Code's settings", { "settings", "permission",
        "permissions", "hook", "hooks" } },
    { "/%.claude/hooks/", "a hook of Claude Code", { "hook", "hooks" } },
    { "/managed%-settings%.json$", "managed settings", { "settings", "managed" } },
    { "/%.codex/config%.toml$", "Codex's settings", { "config", "settings", "codex" } },
    { "/%.codex/hooks", "a hook of Codex", { "hook", "hooks" } },
    { "/%.codex/rules/", "a rule of Codex's", { "rule", "rules", "codex" } },
    { "/opencode%.jsonc?$", "opencode's settings", { "settings", "config", "opencode" } },
    { "/%.opencode/plugins?/", "a plugin of opencode", { "plugin", "plugins" } },
    { "/%.gemini/settings%.json$", "Gemini's settings", { "settings", "gemini" } },
    { "/%.pi/settings%.json$", "pi's settings", { "settings" } },
    { "/%.pi/observers/", "an observer", { "observer", "observers" } },
    { "/%.perilune/observers/", "an observer", { "observer", "observers" } },
    { "/%.perilune/policies/", "a policy", { "policy", "policies" } },
    { "/%.perilune/config%.yaml$", "perilune's settings", { "perilune", "config",
        "settings" } },
    { "/%.perilune/$", "perilune's settings", { "perilune" } },
    { "/%.claude/$", "Claude Code's settings", { "claude" } },
    { "/%.config/perilune/", "perilune's settings", { "perilune", "observer", "observers",
        "policy", "policies" } },
    { "/%.git/hooks/", "a hook of git", { "hook", "hooks" } },
    { "/%.husky/", "a hook of git", { "hook", "hooks", "husky" } },
    { "/%.?lefthook%.ya?ml$", "a hook of git", { "hook", "hooks", "lefthook", "lint" } },
    { "/%.pre%-commit%-config%.yaml$", "the checks before a commit", { "pre commit", "hook",
        "hooks", "lint", "linter" } },
}
local EXEMPT = { "%.sample$", "/%.husky/_/" }

-- Verbs of perilune that loosen its watch.
local LOOSENING = { disable = true, stop = true, unwatch = true, trust = true }

local function guarded(path)
    local whole = "/" .. path
    for _, pattern in ipairs(EXEMPT) do
        if whole:find(pattern) then return nil end
    end
    for _, entry in ipairs(GUARDED) do
        -- A folder is guarded with what is in it.
        if whole:find(entry[1]) or (whole .. "/"):find(entry[1]) then return entry end
    end
    return nil
end

local WATCH = { nil, "perilune's watch", { "perilune", "observer", "observers" } }
local UNINSTALLS = { ["pre-commit"] = true, husky = true, lefthook = true }
local KILLERS = { pkill = true, killall = true, kill = true }

-- `pkill perilune`, `kill $(pgrep perilune)`.
local function kills_watch(command)
    local words = shell.operands(command.args)
    for _, inner in ipairs(command.inner) do
        for _, word in ipairs(inner.args) do words[#words + 1] = word end
    end
    for _, word in ipairs(words) do
        if word:find("perilune", 1, true) then return true end
    end
    return false
end

-- A command that changes a guard without naming its file.
local function guard_command(command)
    local operands = shell.operands(command.args)
    if command.name == "perilune" and LOOSENING[operands[1]] then return WATCH end
    if KILLERS[command.name] and kills_watch(command) then return WATCH end
    if UNINSTALLS[command.name] and operands[1] == "uninstall" then
        return { nil, "the hooks of git", { "hook", "hooks", "uninstall" } }
    end
    if command.name == "claude" and operands[1] == "config" and operands[2] == "set" then
        return { nil, "Claude Code's settings", { "settings", "config", "permission",
            "permissions" } }
    end
    if command.name == "git" and operands[1] == "config" then
        for i, word in ipairs(command.args) do
            if word == "core.hooksPath" and (command.args[i + 1]
                or shell.has_flag(command.args, nil, "--unset")) then
                return { nil, "where git finds its hooks", { "hook", "hooks", "hookspath" } }
            end
        end
    end
    return nil
end

local INTERPRETERS = { python = true, python3 = true, node = true, ruby = true, perl = true }
local WRITES = { "[\"'][wa]b?[\"']", "write", "dump", "unlink", "remove", "rmtree", "copy",
    "rename", "rmSync" }

-- The guarded file that a script on the command line names and writes to: `python3 -c CODE`.
local function of_code(command)
    local code = table.concat(command.args, "\n")
    for _, document in ipairs(command.fed) do
        code = code .. "\n" .. table.concat(document.lines, "\n")
    end
    local writes = false
    for _, pattern in ipairs(WRITES) do writes = writes or code:find(pattern) ~= nil end
    for path in (writes and code or ""):gmatch("[\"']([%w_./~-]+)[\"']") do
        local entry = guarded(path)
        if entry then return entry, path end
    end
    return nil
end

local MOVERS = { mv = true, cp = true, chmod = true, ln = true, install = true }

local function of_commands(call)
    local found, name
    shell.each(match.commands(call), function(command)
        if found then return end
        found, name = guard_command(command), command.name
        local operands = shell.operands(command.args)
        -- The last operand is written to; `mv` and `chmod` change the others, too.
        local first = command.name == "cp" and #operands or 1
        if not found and INTERPRETERS[command.name] then found, name = of_code(command) end
        for i = first, MOVERS[command.name] and #operands or 0 do
            found = found or guarded(operands[i])
            name = found and operands[i] or name
        end
    end)
    return found, name
end

local function judge(call)
    for _, path in ipairs(match.edits(call)) do
        local entry = guarded(path)
        if entry then return entry, path end
    end
    for _, change in ipairs(changes.of(call)) do
        local entry = change.kind ~= "restore" and guarded(change.path)
        local switches_off = change.new:find("PERILUNE_OBSERVERS%s*=%s*[\"']?[0FfNn]")
            or change.new:find("PERILUNE_OBSERVERS%s*=%s*[\"']?[Oo][Ff]")
        entry = entry or switches_off and WATCH
        if entry then return entry, change.path end
    end
    if not match.happened(call) or match.failed(call) then return nil end
    return of_commands(call)
end

---@type perilune.ObserverSpec
return {
    name = "self-guard",
    description = "Notices changes of hooks, observers, policies and the agent's own settings.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 85,
    severity = "blocker",
    observe = function(turn, ctx)
        local wish, from = wishes.follow(ctx.state, turn), match.fresh_from(turn)
        for _, call in ipairs(turn.calls()) do
            local entry, name
            if call.seq >= from then entry, name = judge(call) end
            if entry and not wishes.names(wish, entry[3]) then
                return {
                    advise = ("%s (`%s`) was changed, and the user did not ask for it. Undo it"
                        .. " or ask."):format(entry[2]:gsub("^%l", string.upper),
                        text.line(paths.short(name, turn.cwd), 80)),
                    fingerprint = "self:" .. text.hash(name),
                    evidence = { call.seq },
                }
            end
        end
        return nil
    end,
}
