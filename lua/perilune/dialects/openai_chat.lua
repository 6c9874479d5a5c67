-- perilune-api: 1
-- Messages of the Chat Completions API: one a line, or one JSON array that is the whole file. No session, no
-- time, no ids but those of the calls, whose arguments are JSON inside a string.
return dialect {
  name = "openai-chat", api = 1,
  detect = {
    { has = { "content" }, when = { role = { "system", "developer", "user", "assistant" } } },
    { has = { "tool_calls" }, when = { role = "assistant" } },
    { has = { "tool_call_id" }, when = { role = "tool" } },
  },
  session = { "session_id", "conversation_id" }, at = { "created_at", "timestamp" },
  skip = { { role = { "system", "developer" } } },
  rules = {
    { when = { role = "user" }, emit = { kind = "prompt", text = { "content", default = "" } } },
    { when = { role = "assistant" },
      before = {
        { when = { content = { empty = false } }, kind = "text", text = "content" },
        { when = { refusal = { empty = false } }, kind = "text", text = "refusal" } },
      each = "tool_calls", emit = {
        { when = { ["function"] = { present = true } }, kind = "tool", name = "function.name",
          input = { "function.arguments", json = true }, callId = "id" },
        { kind = "tool", name = { "custom.name", "name", default = "unknown" }, input = { "custom.input", "input" },
          callId = "id" } },
      after = {
        { when = { tool_calls = { empty = true } }, kind = "finished", x = { maybe = { const = true } } } } },
    { when = { role = "tool" }, emit = {
      kind = "tool-result", callId = "tool_call_id", name = "name", x = { output = { "content", default = "" } } } },
  },
}
