-- perilune-api: 1
-- Gemini CLI's `--output-format stream-json`. An answer's text comes in pieces and nowhere as a whole; answers
-- carry no ids, so a new one begins where text or a call follows a result.
local function result(status, text)
  return { kind = "tool-result", callId = "tool_id", isError = { const = status ~= "success" },
    x = { output = text } }
end

return dialect {
  name = "gemini-stream", api = 1, rank = 2,
  -- It takes nothing while it runs.
  lanes = { prompt = "*.prompt", channels = { ["*"] = { prompt = "ok" } } },
  detect = {
    { has = { "session_id", "model", "timestamp" }, when = { type = "init" } },
    { has = { "timestamp", "role", "content" }, when = { type = "message" } },
    { has = { "timestamp", "tool_id" }, when = { type = { "tool_use", "tool_result" } } },
  },
  at = "timestamp",
  rules = {
    { when = { type = "init" }, emit = { kind = "conversation", id = "session_id", session = "session_id" } },
    { when = { type = "message", role = "user" }, emit = { kind = "prompt", text = "content" } },
    { when = { type = "message", role = { "assistant", "model" }, delta = true }, emit = {
      kind = "text-delta", text = "content", x = { assemble = { const = true } } } },
    { when = { type = "message", role = { "assistant", "model" } }, emit = { kind = "text", text = "content" } },
    { when = { type = "tool_use" }, emit = {
      kind = "tool", name = "tool_name", input = "parameters", callId = "tool_id" } },
    { when = { type = "tool_result", status = "success" }, emit = result("success", { "output", default = "" }) },
    { when = { type = "tool_result" }, emit = result("error", { "error.message", "output", default = "" }) },
    { when = { type = "error" }, emit = { kind = "warning", message = { "message", default = "" } } },
    { when = { type = "result" }, emit = {
      { when = { stats = { present = true } }, more = true, kind = "usage", ["tokens.input"] = "stats.input_tokens",
        ["tokens.cached"] = "stats.cached", ["tokens.output"] = "stats.output_tokens" },
      { when = { status = "success" }, kind = "finished" },
      { kind = "failure", message = { "error.message", "status", default = "error" } } } },
  },
}
