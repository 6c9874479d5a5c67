-- perilune-api: 1
-- Tells when the agent edits a file that it has not looked at in this session. A file it made,
-- one the user showed, one that any earlier result or command named is known to it; after a
-- subagent's work, or where observing began late, nobody can tell, and it is silent.
local changes = require("perilune.changes")
local match = require("perilune.match")
local paths = require("perilune.paths")
local seen = require("perilune.seen")
local shell = require("perilune.shell")
local text = require("perilune.text")

local MAX_KNOWN = 400
local RESULT_MAX_BYTES = 20000
local MAX_NAMES = 200 -- of one result
local NAME_MAX_BYTES = 120

local function know(state, path)
    state.known = seen.add(state.known, paths.base(path), MAX_KNOWN)
end

-- What holds a dot is a file's name to us; the rest of a result is words.
local function know_names_in(state, words)
    local count = 0
    for name in words:sub(1, RESULT_MAX_BYTES):gmatch("[%w_.+@-]+") do
        if #name <= NAME_MAX_BYTES and name:find(".", 2, true) then
            count = count + 1
            if count > MAX_NAMES then return end
            know(state, (name:gsub("%.+$", "")))
        end
    end
end

-- What a call taught of files: those it names, and those its result names.
local function learn(call, state)
    if match.delegates(call) and match.happened(call) then state.blind = true end
    local input = type(call.input) == "table" and call.input or {}
    for _, path in ipairs({ input.file_path or false, input.path or false,
        input.notebook_path or false }) do
        if type(path) == "string" then know(state, path) end
    end
    shell.each(match.commands(call), function(command)
        for _, word in ipairs(command.words) do
            -- `sed -n 1,9p src/*.c` shows files that nobody named.
            if word:find("[*?]") then state.blind = true end
            know(state, word)
        end
    end)
    for _, change in ipairs(changes.of(call)) do know(state, change.path) end
    know_names_in(state, call.result or "")
end

-- An edit of lines in a file that exists; a whole file written may be a new one. A pattern such
-- as sed's knows of a file what it changes there.
local function edited_unread(call, state)
    local command = match.command(call)
    if command and not command:find("*** Begin Patch", 1, true) then return nil end
    for _, change in ipairs(changes.of(call)) do
        local replaced = change.kind == "write"
            and ((call.result or ""):find("has been updated", 1, true)
                or (call.result or ""):find("overwr", 1, true))
        local edit = change.kind == "edit" and change.old ~= ""
        if (edit or replaced) and not seen.has(state.known, paths.base(change.path)) then
            return change.path
        end
    end
    return nil
end

---@type perilune.ObserverSpec
return {
    name = "unread-edit",
    description = "Notices an edit of a file that was never read in the session.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 40,
    severity = "nit",
    observe = function(turn, ctx)
        local state, from, found = ctx.state, match.fresh_from(turn), nil
        if state.blind == nil then state.blind = turn.turn > 1 or turn.dropped > 0 end
        for _, item in ipairs(turn.items) do
            -- What the user, a hook or the client says may show a file, too.
            if item.text and item.kind ~= "assistant_text" and item.kind ~= "tool_call" then
                if item.kind ~= "tool_result" then know_names_in(state, item.text) end
            end
        end
        for _, call in ipairs(turn.calls()) do
            if call.seq >= from then
                local path = not found and not state.blind and edited_unread(call, state)
                if path then
                    found = {
                        advise = ("`%s` was edited without having been read in this session."
                            .. " Read it before going on."):format(
                            text.line(paths.short(path, turn.cwd), 80)),
                        fingerprint = "unread:" .. text.hash(path),
                        evidence = { call.seq },
                    }
                end
                learn(call, state)
            end
        end
        return found
    end,
}
