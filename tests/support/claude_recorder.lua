-- Writes transcripts of Claude Code 2.1.332 for tests: record for record and field for field
-- what that client writes, with invented content. Everything is derived from a seed, so the
-- same story gives the same bytes.
local M = {}

local VERSION = "2.1.332"
local MODEL = "claude-opus-5-5"
local ZERO_HASH = ("0"):rep(64)
local NULL = {}

-- JSON with the fields in the order they are written here: an object is a list of pairs.

local function object(...)
    return { pairs = { ... } }
end

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t",
    ["\r"] = "\\r" }

local function encode(value)
    if value == NULL then return "null" end
    if type(value) == "string" then return '"' .. value:gsub('[%c"\\]', ESCAPES) .. '"' end
    if type(value) ~= "table" then
        return type(value) == "number" and ("%.14g"):format(value) or tostring(value)
    end
    local parts = {}
    if not value.pairs then
        for i, inner in ipairs(value) do parts[i] = encode(inner) end
        return "[" .. table.concat(parts, ",") .. "]"
    end
    for i = 1, #value.pairs, 2 do
        parts[#parts + 1] = encode(value.pairs[i]) .. ":" .. encode(value.pairs[i + 1])
    end
    return "{" .. table.concat(parts, ",") .. "}"
end

local function extend(record, ...)
    for _, value in ipairs({ ... }) do record.pairs[#record.pairs + 1] = value end
    return record
end

---@class perilune.ClaudeRecorder
local Recorder = {}
Recorder.__index = Recorder

--- A recorder for one session. `options`: session, cwd, branch, seed, start_ms (of the day),
--- day ("2026-12-01"), day_ms (that day's midnight since 1970).
function M.new(options)
    local recorder = setmetatable({
        session = options.session, cwd = options.cwd, branch = options.branch,
        day = options.day, day_ms = options.day_ms, ms = options.start_ms,
        random = options.seed,
        lines = {}, files = {}, tools = {}, todos = {}, parent = NULL, prompts = 0,
    }, Recorder)
    return recorder
end

function Recorder:draw(range)
    self.random = (self.random * 69069 + 1) % 4294967296
    return math.floor(self.random / 65536) % range
end

function Recorder:letters(count, alphabet)
    local out = {}
    for i = 1, count do
        local at = self:draw(#alphabet) + 1
        out[i] = alphabet:sub(at, at)
    end
    return table.concat(out)
end

local HEX, BASE36 = "0123456789abcdef", "0123456789abcdefghijklmnopqrstuvwxyz"

function Recorder:uuid()
    return ("%s-%s-4%s-%s%s-%s"):format(self:letters(8, HEX), self:letters(4, HEX),
        self:letters(3, HEX), self:letters(1, "89ab"), self:letters(3, HEX), self:letters(12,
        HEX))
end

-- Lets `ms` milliseconds and a little noise pass.
function Recorder:pass(ms)
    self.ms = self.ms + ms + self:draw(90)
end

function Recorder:timestamp()
    local ms = self.ms
    return ("%sT%02d:%02d:%02d.%03dZ"):format(self.day, math.floor(ms / 3600000),
        math.floor(ms / 60000) % 60, math.floor(ms / 1000) % 60, ms % 1000)
end

function Recorder:write(record)
    self.lines[#self.lines + 1] = encode(record)
end

-- A record in the chain of messages: its own fields, then those all of them carry.
function Recorder:chain(record)
    record.pairs[#record.pairs + 1] = "userType"
    extend(record, "external", "entrypoint", "sdk-cli", "cwd", self.cwd, "sessionId",
        self.session, "version", VERSION, "gitBranch", self.branch)
    self:write(record)
end

function Recorder:attachment(attachment, rendered, role)
    local uuid = self:uuid()
    local record = object("parentUuid", self.parent, "isSidechain", false, "attachment",
        attachment, "type", "attachment", "uuid", uuid, "timestamp", self:timestamp())
    if rendered then
        extend(record, "rendered", ("<redacted %d chars>"):format(rendered), "renderedRole",
            role)
    end
    self:chain(record)
    self.parent = uuid
end

local function redacted(kind)
    return object("type", kind, "redacted", true)
end

function Recorder:first_attachments()
    self:attachment(redacted("environment"), 834, "system")
    self:attachment(object("type", "model", "identity", object("modelId", MODEL,
        "marketingName", "Opus 5.5", "knowledgeCutoff", "June 2026"), "text",
        "You are powered by the model named Opus 5.5. The exact model ID is " .. MODEL
        .. ". Assistant knowledge cutoff is June 2026."), 180, "system")
    self:attachment(redacted("deferred_tools_delta"), 441, "system")
    self:attachment(redacted("agent_listing_delta"), 1708, "system")
    self:attachment(redacted("skill_listing"), 6483, "system")
    self:atis_latch()
    self:attachment(redacted("session_context"), 621, "user")
    self:attachment(object("type", "date", "date", self.day), 83, "system")
end

function Recorder:atis_latch()
    self:write(object("type", "atis-latch", "atis", "", "sessionId", self.session))
end

function Recorder:last_prompt()
    self:write(object("type", "last-prompt", "lastPrompt", self.prompt, "leafUuid", self.parent,
        "sessionId", self.session))
    self:atis_latch()
end

function Recorder:queue(operation, content)
    local record = object("type", "queue-operation", "operation", operation, "timestamp",
        self:timestamp(), "sessionId", self.session)
    if content then extend(record, "content", content) end
    self:write(record)
end

--- The user says `text`: a turn begins.
function Recorder:user(text)
    self:queue("enqueue", text)
    self:pass(5)
    self:queue("dequeue")
    self:pass(70)
    self.prompt, self.prompt_id, self.prompts = text, self:uuid(), self.prompts + 1
    local uuid = self:uuid()
    self:chain(object("parentUuid", self.parent, "isSidechain", false, "promptId",
        self.prompt_id, "type", "user", "message", object("role", "user", "content", text),
        "uuid", uuid, "timestamp", self:timestamp(), "permissionMode", "acceptEdits",
        "promptSource", "sdk", "sentAtMs", self.day_ms + self.ms, "rowSource", "local",
        "turnOrigin", "sdk", "turnPosition", object("promptIndex", self.prompts - 1,
            "turnIndex", self.prompts)))
    self.parent = uuid
    if self.prompts == 1 then self:first_attachments() end
    self:attachment(redacted("prompt_snapshot"))
    self:last_prompt()
end

function Recorder:request()
    self:pass(120)
    local id = self:uuid()
    local record = object("type", "api-request", "sessionId", self.session, "id", id,
        "timestamp", self:timestamp(), "version", VERSION, "querySource", "sdk", "shapeHash",
        ZERO_HASH, "params", object("model", MODEL, "betas", { "claude-code-20250219" },
            "max_tokens", 128000, "thinking", object("type", "adaptive", "display", "updates"),
            "output_config", object("effort", "medium")),
        "thread", object("type", "none"), "echoWireToolInputs", false)
    if self.base then extend(record, "base", self.base) end
    self.kept = (self.kept or -2) + 2
    extend(record, "keep", self.kept, "tail", { ZERO_HASH, ZERO_HASH }, "requestDigest",
        ZERO_HASH)
    self:write(record)
    self.base = id
    return id
end

local function usage(input, output)
    return object("input_tokens", input, "cache_creation_input_tokens", 0,
        "cache_read_input_tokens", 0, "output_tokens", output, "output_tokens_details",
        object("thinking_tokens", 0), "server_tool_use", object("web_search_requests", 0,
            "web_fetch_requests", 0), "service_tier", "standard", "cache_creation",
        object("ephemeral_1h_input_tokens", 0, "ephemeral_5m_input_tokens", 0),
        "inference_geo", "", "iterations", {}, "speed", "standard", "fallback_credit", NULL)
end

-- One content block of an answer, in a record of its own.
function Recorder:block(answer, index, content, is_tool)
    self:pass(8)
    local uuid = self:uuid()
    local record = object("parentUuid", self.parent, "isSidechain", false, "message",
        object("id", answer.id, "type", "message", "role", "assistant", "model", MODEL,
            "content", { content }, "stop_reason", answer.stop, "stop_sequence", NULL,
            "usage", answer.usage, "stop_details", NULL))
    if is_tool then extend(record, "toolInputStreamMs", 1 + self:draw(9)) end
    extend(record, "apiBlockIndex", index, "requestId", answer.request, "requestRef",
        answer.ref, "requestedModel", MODEL, "promptCacheRequested", "5m", "type", "assistant",
        "uuid", uuid, "timestamp", self:timestamp(), "effort", "medium", "perTurnEffort",
        "medium", "madeBy", "model")
    self:chain(record)
    self.parent = uuid
    return uuid
end

function Recorder:note_tool(name)
    for _, known in ipairs(self.tools) do
        if known == name then return end
    end
    self.tools[#self.tools + 1] = name
    self:write(object("type", "tools-used", "tools", self.tools, "sessionId", self.session))
end

function Recorder:result(call, made_by)
    self:pass(call.took or 350)
    local uuid = self:uuid()
    local block = object("tool_use_id", call.id, "type", "tool_result", "content", call.text)
    if call.failed then
        block = object("type", "tool_result", "content", call.text, "is_error", true,
            "tool_use_id", call.id)
    elseif call.name == "Bash" then
        extend(block, "is_error", false)
    end
    local record = object("parentUuid", self.parent, "isSidechain", false, "promptId",
        self.prompt_id, "type", "user", "message", object("role", "user", "content", { block }),
        "uuid", uuid, "timestamp", self:timestamp(), "toolUseResult", call.structured)
    if call.name == "Bash" then extend(record, "sandboxed", false) end
    extend(record, "sourceToolAssistantUUID", made_by, "permissionDecision",
        object("decision", "accept", "source", "config", "reasonType", "rule", "ruleSource",
            "cliArg"))
    self:chain(record)
    self.parent = uuid
end

--- One model answer: `text` (may be nil), then the calls, then their results.
function Recorder:answer(text, ...)
    local calls = { ... }
    local ref = self:request()
    self:pass(2400)
    local answer = {
        id = "msg_" .. self:letters(11, BASE36), request = "req_" .. self:letters(11, BASE36),
        ref = ref, stop = #calls > 0 and "tool_use" or "end_turn",
        usage = usage(900 + #self.lines * 37, 60 + self:draw(240)),
    }
    local index, made_by = 0, {}
    if text then
        self:block(answer, index, object("type", "text", "text", text))
        index = index + 1
    end
    for i, call in ipairs(calls) do
        call.id = "toolu_" .. self:letters(11, BASE36)
        self:note_tool(call.name)
        made_by[i] = self:block(answer, index, object("type", "tool_use", "id", call.id, "name",
            call.name, "input", call.input), true)
        index = index + 1
    end
    for i, call in ipairs(calls) do self:result(call, made_by[i]) end
    if #calls > 0 then
        self:last_prompt()
    else
        self:stop()
    end
end

-- The turn ends: the Stop hook ran and had nothing to say.
function Recorder:stop()
    self:pass(150)
    local uuid = self:uuid()
    self:chain(object("parentUuid", self.parent, "isSidechain", false, "type", "system",
        "subtype", "stop_hook_summary", "hookCount", 1, "hookInfos",
        { object("command", "notify-send 'agent stopped'", "durationMs", 60 + self:draw(90)) },
        "hookErrors", {}, "failedHookErrorIndexes", {}, "hookAdditionalContext", {},
        "preventedContinuation", false, "stopReason", "", "hasOutput", false, "level",
        "suggestion", "timestamp", self:timestamp(), "uuid", uuid, "toolUseID", self:uuid()))
    self.parent = uuid
    self:last_prompt()
end

-- The tools. Files live in the recorder, so that what is read is what was edited.

function Recorder:path(name)
    return self.cwd .. "/" .. name
end

--- A shell command; `code` is its exit status, 0 if absent.
function Recorder.bash(_, command, description, output, code)
    local call = { name = "Bash", took = 300 + 12 * #output, input = object("command", command,
        "description", description) }
    if (code or 0) == 0 then
        call.text = output
        call.structured = object("stdout", output, "stderr", "", "interrupted", false,
            "isImage", false, "noOutputExpected", false)
    else
        call.failed, call.text = true, ("Exit code %d\n%s"):format(code, output)
        call.structured = "Error: " .. call.text
    end
    return call
end

local function numbered(content)
    local out, count = {}, 0
    for line in content:gmatch("([^\n]*)\n?") do
        count = count + 1
        out[count] = ("%d\t%s"):format(count, line)
    end
    return table.concat(out, "\n"), count
end

function Recorder:read(name)
    local content = assert(self.files[name], name)
    local text, lines = numbered(content)
    return { name = "Read", input = object("file_path", self:path(name)), text = text,
        structured = object("type", "text", "file", object("filePath", self:path(name),
            "content", content, "numLines", lines, "startLine", 1, "totalLines", lines)) }
end

local function marked(mark, text)
    local out = {}
    for line in text:gmatch("[^\n]+") do out[#out + 1] = mark .. line end
    return out
end

function Recorder:edit(name, old, new)
    local before = assert(self.files[name], name)
    local from, to = before:find(old, 1, true)
    assert(from, name .. " does not hold: " .. old)
    self.files[name] = before:sub(1, from - 1) .. new .. before:sub(to + 1)
    local _, above = before:sub(1, from - 1):gsub("\n", "")
    local removed, added = marked("-", old), marked("+", new)
    local lines = {}
    for _, line in ipairs(removed) do lines[#lines + 1] = line end
    for _, line in ipairs(added) do lines[#lines + 1] = line end
    return { name = "Edit", input = object("replace_all", false, "file_path", self:path(name),
            "old_string", old, "new_string", new),
        text = ("The file %s has been updated successfully. (file state is current in your"
            .. " context — no need to Read it back)"):format(self:path(name)),
        structured = object("filePath", self:path(name), "oldString", old, "newString", new,
            "originalFile", before, "structuredPatch", { object("oldStart", above + 1,
            "oldLines",
                #removed, "newStart", above + 1, "newLines", #added, "lines", lines) },
            "userModified", false, "replaceAll", false) }
end

function Recorder:grep(pattern, path, output)
    local _, lines = output:gsub("[^\n]+", "")
    return { name = "Grep", input = object("pattern", pattern, "path", self:path(path),
            "output_mode", "content"), text = output,
        structured = object("mode", "content", "numFiles", 0, "filenames", {}, "content",
        output,
            "numLines", lines) }
end

--- The agent's to-do list: { { words, status }, ... }.
function Recorder:todo(list)
    local before, after = self.todos, {}
    for i, entry in ipairs(list) do
        after[i] = object("content", entry[1], "status", entry[2], "activeForm", entry[1])
    end
    self.todos = after
    return { name = "TodoWrite", input = object("todos", after),
        text = "Todos have been modified successfully. Ensure that you continue to use the todo"
            .. " list to track your progress. Please proceed with the current tasks if"
            .. " applicable",
        structured = object("oldTodos", before, "newTodos", after) }
end

--- The whole transcript.
function Recorder:text()
    return table.concat(self.lines, "\n") .. "\n"
end

return M
