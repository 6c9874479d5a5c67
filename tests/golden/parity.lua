-- Compares perilune's digests with those that real Claude Code observers were shown (CC-7):
-- golden/captures holds the transcripts of both sides. For each observer's transcript the real
-- activity blocks must appear among ours, in order, byte for byte once nonces are removed; ours
-- must be as many as expected-blocks.json says (a client may exit before it delivers a step).
-- Usage: luajit parity.lua PERILUNE CAPTURES
package.path = arg[0]:match("^(.*)/golden/[^/]*$") .. "/support/?.lua;" .. package.path
local json = require("json")

local NONCE_LAYOUT, PLAIN_LAYOUT = "claude-2.1.332", "claude-2.1.215"
local HALF_CHARACTER = "\239\191\189" -- how our reader shows it

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function output_of(command)
    local pipe = io.popen(command)
    local text = pipe:read("*a")
    pipe:close()
    return text
end

local function read(path)
    local file = io.open(path, "rb")
    if not file then return nil end
    local text = file:read("*a")
    file:close()
    return text
end

-- 2.1.215 cut through surrogate pairs and did not count the lost half; we keep pairs whole.
local function mend_cut(text)
    return (text:gsub(HALF_CHARACTER .. "… %[%+(%d+) chars truncated%]", function(count)
        return ("… [+%d chars truncated]"):format(count + 1)
    end))
end

-- Appends { agent, inside } of every activity block in `text` to `blocks`.
local function add_blocks(text, blocks)
    local at = 1
    while true do
        local from, to, name, rest = text:find("<([%w_%-]+)%-activity([^>\n]*)>\n", at)
        if not from then return end
        local stop = text:find("\n</" .. name .. "-activity>", to + 1, true)
        if stop and (rest == "" or rest:match('^ nonce="[^"]*"$')) then
            local inside = text:sub(to + 1, stop - 1):gsub(' nonce="[^"]*"', "")
            inside = mend_cut(inside)
            blocks[#blocks + 1] = { agent = name, inside = inside, nonce = rest ~= "" }
            at = stop
        else
            at = from + 1
        end
    end
end

-- The blocks an observer was shown, from its own transcript.
local function real_blocks(path)
    local blocks = {}
    for record in json.lines(read(path)) do
        local content = record.type == "user" and record.message and record.message.content
        if type(content) == "string" then
            add_blocks(content, blocks)
        elseif type(content) == "table" then
            for _, part in ipairs(content) do
                if part.type == "text" then add_blocks(part.text or "", blocks) end
            end
        end
    end
    return blocks
end

-- One nonce a digest: announced in the first line and on every tag. Returns what is wrong.
local function nonce_fault(text)
    local first, nonce = text:match("^[^\n]*"), nil
    for found in text:gmatch('<[%w_%-]+ nonce="([^"]*)"') do
        if nonce and nonce ~= found then return "a digest with two nonces" end
        nonce = found
    end
    if not nonce then return "a digest without a nonce" end
    if first:sub(1, 1) == "<" or not first:find(nonce, 1, true) then
        return "the first line does not announce the nonce"
    end
end

-- The blocks perilune shows of the same session, or nil and what is wrong.
local function our_blocks(binary, pair)
    local command = ("%s digest --raw --layout %s --observed %s --json %s"):format(
        quote(binary), pair.layout, pair.observed, quote(pair.transcript))
    local blocks, said = {}, output_of(command)
    for record in json.lines(said) do
        if record.record == "digest" then
            local fault = pair.layout == NONCE_LAYOUT and nonce_fault(record.text)
            if fault then return nil, fault end
            add_blocks(record.text, blocks)
        end
    end
    if #blocks == 0 then return nil, "no digest" end
    return blocks
end

local function find_files(folder, pattern)
    local list = {}
    local said = output_of(("find %s -type f -path %s 2>/dev/null | LC_ALL=C sort"):format(
        quote(folder), quote(pattern)))
    for path in said:gmatch("[^\n]+") do list[#list + 1] = path end
    return list
end

-- What an observer's transcript watches: the main session, or the subagent whose meta file
-- names the observer's task.
local function observed_of(main, observer_id, plain)
    for id, path in pairs(plain) do
        local meta = read(path:gsub("%.jsonl$", ".meta.json")) or ""
        if meta:find(observer_id, 1, true) then return id, path end
    end
    return "main", main
end

-- Appends a pair for each observer of the session `main` to `pairs_found`. Observers of
-- observers are left out: perilune forbids them.
local function add_pairs(main, pairs_found)
    local observers, types, plain = {}, {}, {}
    for _, path in ipairs(find_files(main:gsub("%.jsonl$", ""), "*/subagents/agent-*.jsonl")) do
        local id, blocks = path:match("agent%-([^/]*)%.jsonl$"), real_blocks(path)
        if #blocks > 0 then
            observers[#observers + 1] = { id = id, path = path, real = blocks }
            local meta = read(path:gsub("%.jsonl$", ".meta.json"))
            if meta then types[json.decode(meta).agentType or ""] = true end
        else
            plain[id] = path
        end
    end
    for _, observer in ipairs(observers) do
        if not types[observer.real[1].agent] then
            local observed, transcript = observed_of(main, observer.id, plain)
            pairs_found[#pairs_found + 1] = {
                path = observer.path, real = observer.real, observed = observed,
                transcript = transcript,
                layout = observer.real[1].nonce and NONCE_LAYOUT or PLAIN_LAYOUT,
            }
        end
    end
end

-- What differs, or nil: each real block must be found behind the one before it.
local function difference(real, ours, expected)
    local at = 1
    for number, want in ipairs(real) do
        local from = at
        while ours[at] and (ours[at].agent ~= want.agent or ours[at].inside ~= want.inside) do
            at = at + 1
        end
        if not ours[at] then
            return ("block %d of %d\nreal:\n%s\nours:\n%s"):format(number, #real, want.inside,
                ours[from] and ours[from].inside or "(none)")
        end
        at = at + 1
    end
    if not expected then return "expected-blocks.json does not name it" end
    if expected ~= #ours then return ("%d blocks, not %d"):format(#ours, expected) end
end

local binary, root = arg[1], arg[2]
local expected = json.decode(read(root .. "/expected-blocks.json"))
local found, passed = {}, 0
for _, main in ipairs(find_files(root, "*/transcript/*.jsonl")) do
    if not main:find("/subagents/", 1, true) then add_pairs(main, found) end
end
for _, pair in ipairs(found) do
    local label = pair.path:sub(#root + 2)
    local ours, fault = our_blocks(binary, pair)
    fault = fault or difference(pair.real, ours, expected[label])
    print((fault and "not ok" or "ok") .. " - CC-7 digest parity: " .. label)
    if fault then print((fault:gsub("([^\n]+)", "    %1"))) else passed = passed + 1 end
end
print(("%d of %d equal"):format(passed, #found))
os.exit(passed == #found and #found > 0 and 0 or 1)
