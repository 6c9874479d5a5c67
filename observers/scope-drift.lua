-- perilune-api: 1
-- Tells when the agent does what the user's request leaves out: changes beyond the paths of an
-- "only", within those of a "don't touch", where none were wanted, or outside the workspace
-- altogether; a commit or a push that was forbidden. Where the request draws no such line it is
-- silent: good work often needs a file that nobody named.
local bans = require("perilune.bans")
local changes = require("perilune.changes")
local match = require("perilune.match")
local paths = require("perilune.paths")
local shell = require("perilune.shell")
local text = require("perilune.text")

local KEEP_OUT = {
    " dont touch ", " do not touch ", " dont change ", " do not change ", " dont edit ",
    " do not edit ", " dont modify ", " do not modify ", " leave ", " without touching ",
    " without changing ", " hands off ", " keep out of ", " stay out of ", " must not change ",
    " never touch ", " never change ", " never edit ", " never modify ",
}
-- Behind these a sentence that keeps out names what may be changed.
local SAVE_FOR = { " outside ", " except ", " other than ", " besides ", " apart from " }
local KEEP_TO = { " restrict ", " limit ", " confine ", " stick to ", " keep to " }
-- What looks like a path or a file and is none.
local NO_PATHS = {}
for word in ("and/or either/or i/o n/a w/o a/b yes/no on/off true/false read/write input/output"
    .. " client/server ci/cd tcp/ip ui/ux node.js next.js vue.js nuxt.js react.js express.js"
    .. " three.js d3.js asp.net socket.io"):gmatch("%S+") do
    NO_PATHS[word] = true
end
-- What an "only" may stand beside to draw a line; `the page only shows` draws none.
local ACTS = { "change", "edit", "modify", "touch", "update", "work", "write", "refactor",
    "changes", "edits" }
-- What an agent may keep for itself outside the workspace.
local OWN = { "/%.claude/plans/", "/%.claude/projects/", "/%.codex/", "/%.pi/", "/%.cache/" }

local function has_any(plain, phrases)
    for _, phrase in ipairs(phrases) do
        if plain:find(phrase, 1, true) then return true end
    end
    return false
end

local function is_only(words)
    for _, act in ipairs(ACTS) do
        if words:find(" only " .. act .. " ", 1, true) or words:find(" " .. act .. " only ", 1,
            true)
            or words:find(" just " .. act .. " ", 1, true) then
            return true
        end
    end
    return false
end

-- The paths a sentence names: what holds a slash or ends like a file's name.
local function named_paths(sentence)
    local found = {}
    for word in sentence:gsub("%a+://%S+", ""):gmatch("[^%s,;:\"'`()%[%]]+") do
        local path = word:gsub("^@", ""):gsub("[.!?]+$", "")
        local is_path = path:find("^[%w._~*-]*/[%w._/*-]*$")
            or path:find("^[%w_-]+%.%a%w?%w?%w?$")
        local is_word = path == "/" or path:find("^%d") or NO_PATHS[path:lower()]
        if is_path and not is_word then found[#found + 1] = path end
    end
    return found
end

local function plain(sentence)
    return " " .. sentence:lower():gsub("[’']", ""):gsub("[^%w]+", " ") .. " "
end

local function add_all(to, list)
    to = to or {}
    for _, one in ipairs(list) do to[#to + 1] = one end
    return to
end

-- What a sentence that names paths does with them: "only", "out" or nil.
local function side_of(sentence)
    local words = plain(sentence)
    if has_any(words, KEEP_OUT) then
        local leaves = words:find(" leave ", 1, true)
        if leaves and not words:find(" alone ", 1, true) then return nil end
        return has_any(words, SAVE_FOR) and "only" or "out"
    end
    -- `the tests for src/a.c`: not that file is meant.
    local is_about = words:find(" for ", 1, true) or words:find(" of ", 1, true)
    if is_about then return nil end
    return (is_only(words) or has_any(words, KEEP_TO)) and "only" or nil
end

-- The lines a request draws: { only = paths?, out = paths }.
local function lines_of(request)
    local only, out = nil, {}
    local marked = request:gsub("[Aa]nything but ", "anything except ")
        :gsub("[Nn]othing but ", "only ")
        :gsub("([.!?;])%s", "%1\n"):gsub(" but ", "\n"):gsub(" and ", "\n")
    for sentence in marked:gmatch("[^\n]+") do
        local named = named_paths(sentence)
        local side = #named > 0 and side_of(sentence)
        if side == "only" then only = add_all(only, named) end
        if side == "out" then add_all(out, named) end
    end
    return only, out
end

-- Whether `path` (absolute) is what the user calls `name`: a file, a folder, `src/*`.
local function is_named(path, name, cwd)
    local bare = name:gsub("/?%*+.*$", ""):gsub("/+$", "")
    if bare == "" then return true end
    local whole = paths.normal(bare, cwd)
    if whole and paths.within(path, whole) then return true end
    return ("/" .. paths.short(path, cwd) .. "/"):find("/" .. bare .. "/", 1, true) ~= nil
end

local function named_by(path, names, cwd)
    for _, name in ipairs(names) do
        if is_named(path, name, cwd) then return name end
    end
    return nil
end

-- Why a change of `path` is against a ban that names no path, or nil.
local function banned_by(path, ban, cwd)
    if not cwd or not paths.within(path, cwd) then return nil end
    if ban.changes then return "the user asked for no changes" end
    if ban.tests and paths.is_test(path) then
        return "the user asked to leave the tests alone"
    end
    for _, folder in ipairs(ban.folders) do
        if is_named(path, folder .. "/", cwd) then
            return "the user asked to leave the " .. folder .. " folder alone"
        end
    end
    return nil
end

-- Why a change of `path` drifts, or nil.
local function drift(path, request, cwd)
    local out = named_by(path, request.out, cwd)
    if out then return "the user asked to leave `" .. text.line(out, 60) .. "` alone" end
    if request.only and not named_by(path, request.only, cwd) then
        return "the user asked to keep to `" .. text.line(request.only[1], 60) .. "`"
    end
    local banned = banned_by(path, request.bans, cwd)
    if banned then return banned end
    local outside = cwd and not paths.within(path, cwd)
    if outside and not request.all:find(paths.base(path), 1, true)
        and not named_by(path, named_paths(request.all), cwd) then
        return "it lies outside the workspace, and nobody asked for it"
    end
    return nil
end

local function is_own(path)
    for _, pattern in ipairs(OWN) do
        if path:find(pattern) then return true end
    end
    return paths.is_scratch(path)
end

-- The files a call changed, with those it removed. One put back to what git has is none.
local function changed(call)
    local files, seen = {}, {}
    for _, change in ipairs(changes.of(call)) do
        seen[paths.base(change.path)] = true
        if change.kind ~= "restore" then files[#files + 1] = change.path end
    end
    for _, path in ipairs(match.edits(call)) do
        -- Told by name alone: a `cd` before it may lead elsewhere.
        if not seen[paths.base(path)] then files[#files + 1] = path end
    end
    return files
end

local function request_of(turn)
    local all = (turn.last_user or "") .. "\n" .. (turn.goal and turn.goal.text or "")
    local only, out = lines_of(all)
    return { all = all, only = only, out = out, bans = bans.of(all) }
end

-- A commit or a push that was forbidden: the command, and why.
local function banned_act(call, turn, kept)
    local found, why
    if not match.happened(call) or match.failed(call) then return nil end
    shell.each(match.commands(call), function(command)
        local verb = command.name == "git" and shell.operands(command.args)[1]
        if verb ~= "commit" and verb ~= "push" or found then return end
        if shell.has_flag(command.args, nil, "--dry-run") then return end
        kept.request = kept.request or request_of(turn)
        if kept.request.bans[verb] then
            found, why = "git " .. verb, "the user asked not to " .. verb
        end
    end)
    return found, why
end

-- The request is read only if a call changes something; `kept` holds it from then on.
local function first_drift(call, turn, kept)
    for _, file in ipairs(changed(call)) do
        local path = paths.normal(file, turn.cwd)
        if path and not is_own(path) then
            kept.request = kept.request or request_of(turn)
            local why = drift(path, kept.request, turn.cwd)
            if why then return path, why end
        end
    end
    return nil
end

---@type perilune.ObserverSpec
return {
    name = "scope-drift",
    description = "Notices changes of files that the user's request leaves out.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 65,
    severity = "concern",
    observe = function(turn)
        local from, kept = match.fresh_from(turn), {}
        for _, call in ipairs(turn.calls()) do
            if call.seq >= from then
                local act, why = banned_act(call, turn, kept)
                local path = act
                if not act then path, why = first_drift(call, turn, kept) end
                if path then
                    local name = text.line(paths.short(path, turn.cwd), 80)
                    local did = act and "was run" or "was changed"
                    return {
                        advise = ("`%s` %s, but %s."):format(name, did, why),
                        fingerprint = "scope:" .. text.hash(path),
                        evidence = { call.seq },
                    }
                end
            end
        end
        return nil
    end,
}
