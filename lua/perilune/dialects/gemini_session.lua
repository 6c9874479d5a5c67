-- perilune-api: 1
-- Gemini CLI's session files, ~/.gemini/tmp/<project>/chats/session-*.jsonl. A record of an answer is written
-- again under the same id when its calls were answered: text, calls and usage count once. `$set` rows hold
-- state, among it the context that opens a session.
-- What a client shows of a result may be a diff or nothing; then what it sent to the model counts, which the
-- next record holds.
local function result(when, failed)
  when.status = failed and { "error", "cancelled" } or "success"
  local plain = when.resultDisplay.empty == false
  return { when = when, kind = "tool-result", callId = "id", isError = { const = failed },
    x = { output = plain and "resultDisplay" or { const = "" }, partial = { const = not plain } } }
end

local function text_shown() return { type = "string", empty = false } end
local function nothing_shown() return { type = { "string", "object", "array", "null", "absent" } } end

return dialect {
  name = "gemini-session", api = 1,
  detect = {
    { has = { "sessionId", "projectHash", "startTime" } },
    { has = { "id", "timestamp", "content", "tokens" }, when = { type = "gemini" } },
  },
  at = { "timestamp", "startTime" },
  skip = { { ["$set"] = { present = true } } },
  rules = {
    { when = { projectHash = { present = true } }, emit = {
      kind = "conversation", id = "sessionId", session = "sessionId" } },
    { when = { type = "user" }, each = "content", emit = {
      { when = { text = { prefix = "<session_context>" } }, kind = "prompt", text = "text",
        x = { origin = { const = "session-context" }, record = "^id" } },
      { when = { text = { present = true } }, kind = "prompt", text = "text", x = { record = "^id" } },
      { when = { functionResponse = { present = true } }, kind = "tool-result", callId = "functionResponse.id",
        name = "functionResponse.name",
        isError = { any = { { ["functionResponse.response.error"] = { present = true } } } },
        x = { output = { "functionResponse.response.output", "functionResponse.response.error", default = "" } } },
      { when = { ["."] = { type = "string" } }, kind = "prompt", text = ".", x = { record = "^id" } } } },
    { when = { type = "gemini" },
      before = {
        { when = { tokens = { present = true } }, more = true, kind = "message-usage", messageId = "id",
          ["tokens.input"] = "tokens.input", ["tokens.cached"] = "tokens.cached", ["tokens.output"] = "tokens.output" },
        { when = { content = { empty = false } }, kind = "text", text = "content",
          x = { answer = "id", record = "id" } } },
      each = "toolCalls", emit = {
        { more = true, kind = "tool", name = "name", input = "args", callId = "id", x = { answer = "^id" } },
        result({ resultDisplay = text_shown() }, false), result({ resultDisplay = text_shown() }, true),
        result({ resultDisplay = nothing_shown() }, false), result({ resultDisplay = nothing_shown() }, true) },
      after = {
        { when = { toolCalls = { empty = true } }, kind = "finished", x = { maybe = { const = true } } } } },
    { when = { type = { "info", "warning" } } },
    { when = { type = "error" }, emit = { kind = "warning", message = { "content", default = "" } } },
  },
}
