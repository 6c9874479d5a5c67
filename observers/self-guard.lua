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

-- A command that changes a guard without naming its file.
local function guard_command(command)
    local operands = shell.operands(command.args)
    if command.name == "perilune" and LOOSENING[operands[1]] then
        return { nil, "perilune's watch", { "perilune", "observer", "observers" } }
    end
    if command.name == "pkill" or command.name == "killall" then
        for _, name in ipairs(operands) do
            if name:find("perilune", 1, true) then
                return { nil, "perilune's watch", { "perilune", "observer", "observers" } }
            end
        end
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

local MOVERS = { mv = true, cp = true, chmod = true, ln = true, install = true }

local function of_commands(call)
    local found, name
    shell.each(match.commands(call), function(command)
        if found then return end
        found, name = guard_command(command), command.name
        local operands = shell.operands(command.args)
        -- The last operand is written to; `mv` and `chmod` change the others, too.
        local first = command.name == "cp" and #operands or 1
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
        local entry = change.kind == "delete" and guarded(change.path)
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
