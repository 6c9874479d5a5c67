-- perilune-api: 1
-- pi's event stream: `pi --mode json`, and `pi --mode rpc` with its answers in between. `message_end` is
-- what counts; message_update, tool_execution_* , turn_end and agent_end say the same again. A prompt that
-- comes before `agent_settled` is folded into the running turn, and nothing else ends a turn.
local pi = require("perilune.pi")

local rules = {
  { when = { type = "session" }, emit = { kind = "conversation", id = "id", session = "id",
    x = { cwd = "cwd", parent = "parentSession" } } },
  { when = { type = "response", command = "get_state", success = true }, emit = {
    { when = { ["data.sessionId"] = { present = true } }, kind = "conversation", id = "data.sessionId",
      session = "data.sessionId" } } },
  { when = { type = "response", success = false }, emit = { kind = "warning", message = { "error", default = "" } } },
  { when = { type = "response" } },
  { when = { type = "agent_settled", aborted = true }, emit = { kind = "stopped", reason = { const = "aborted" } } },
  { when = { type = "agent_settled" }, emit = { kind = "finished" } },
  -- A step whose calls are answered is over here; the last one is over when the agent settles.
  { when = { type = "turn_end", ["message.stopReason"] = "toolUse" }, emit = {
    kind = "step", x = { endsStep = { const = true } } } },
  { when = { type = "turn_end" } },
  { when = { type = "compaction_end", aborted = false, errorMessage = { present = false } }, emit = {
    kind = "compaction", strategy = { "reason", default = "auto" }, messages = { const = 0 } } },
  { when = { type = { "compaction_end", "extension_error" } }, emit = {
    kind = "warning", message = { "errorMessage", "error", default = "compaction aborted" } } },
  { when = { type = "auto_retry_start" }, emit = { kind = "model-retry", attempt = { "attempt", default = 1 },
    message = "errorMessage" } },
}
for _, rule in ipairs(pi.messages("message_end", { ends = pi.bad_ends })) do rules[#rules + 1] = rule end

return dialect {
  name = "pi-json", api = 1, rank = 2,
  detect = { -- not by the header, which both pi formats begin with
    { has = { "message" }, when = { type = { "message_start", "message_end", "turn_end" } } },
    { has = { "command", "success" }, when = { type = "response" } },
    { has = { "assistantMessageEvent" }, when = { type = "message_update" } },
  },
  at = { "message.timestamp", "timestamp" },
  -- Commands of `pi --mode rpc`; to `--mode json` nothing can be said before its next prompt.
  lanes = {
    checked = "1.6.0", steer = "*.steer", prompt = "*.prompt", follow_up = "*.follow_up",
    channels = { ["*"] = { steer = "ok", follow_up = "ok", prompt = "ok" } },
  },
  skip = {
    { type = { "agent_start", "agent_end", "turn_start", "message_start", "message_update",
      "tool_execution_start", "tool_execution_update", "tool_execution_end", "queue_update", "entry_appended",
      "session_info_changed", "thinking_level_changed", "model_changed", "compaction_start", "auto_retry_end",
      "summarization_retry_start", "summarization_retry_end", "bash_execution_update", "extension_ui_request" } },
  },
  rules = rules,
}
