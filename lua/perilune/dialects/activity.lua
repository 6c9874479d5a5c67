-- perilune-api: 1
-- The simplest input anyone can produce: one JSON object a line.
local ends = { "finished", "completed", "end_turn", "stop" }

return dialect {
  name = "activity", api = 1,
  detect = {
    { has = { "session" }, when = { kind = {
      "user_message", "assistant_text", "tool_call", "tool_result", "tool_denied", "turn_ended" } } },
  },
  session = "session", agent = { "agent", default = "main" }, at = "at", seq = "seq",
  observer_origin = "perilune",
  common = { ["x.cwd"] = "cwd", ["x.parent"] = "parent" },
  rules = {
    { when = { kind = "user_message" }, emit = {
      kind = "prompt", text = { "text", default = "" }, x = { origin = "origin" } } },
    { when = { kind = "assistant_text" }, emit = { kind = "text", text = { "text", default = "" } } },
    { when = { kind = "tool_call" }, emit = {
      kind = "tool", name = { "name", default = "unknown" }, input = "input", callId = "call_id" } },
    { when = { kind = "tool_result" }, emit = {
      kind = "tool-result", name = "name", callId = "call_id", isError = "is_error",
      x = { output = { "text", default = "" }, exitCode = "exit_code" } } },
    { when = { kind = "tool_denied" }, emit = {
      kind = "tool-denied", name = "name", callId = "call_id", reason = { "reason", "text", default = "denied" } } },
    { when = { kind = "turn_ended", reason = ends }, emit = { kind = "finished" } },
    { when = { kind = "turn_ended", reason = { present = false } }, emit = { kind = "finished" } },
    { when = { kind = "turn_ended" }, emit = { kind = "stopped", reason = "reason" } },
  },
}
