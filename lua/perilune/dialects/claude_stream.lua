-- perilune-api: 1
-- `claude -p --output-format stream-json`. One line a content block; `message.id` names the model
-- answer and so the step; usage is final only in the result. Lines of subagents carry the call
-- that started them and, since 2.1.332, their own id. There is no line for the first prompt.
local text_of_answer = { answer = "^message.id" }

local function prompts(path)
  return
    { when = { ["^origin.kind"] = "observer" }, kind = "prompt", text = path,
      x = { origin = { "^origin.from", default = "observer:unknown" } } },
    { when = { [path] = { prefix = "[Request interrupted by user" } }, kind = "stopped",
      reason = { const = "interrupted" } },
    { when = { ["^origin.kind"] = { present = true, ["not"] = "human" } }, kind = "prompt", text = path,
      x = { origin = "^origin.kind" } },
    { when = { ["^isSynthetic"] = true }, kind = "prompt", text = path,
      x = { origin = { const = "unattributed" }, continues = { const = true } } },
    { when = { [path] = { prefix = { "<command-name>", "<command-message>", "<local-command", "<bash-" } } },
      kind = "prompt", text = path, x = { origin = { const = "local-command" } } },
    { kind = "prompt", text = path }
end

local function result(exit)
  return { when = { type = "tool_result" }, kind = "tool-result", callId = "tool_use_id", isError = "is_error",
    x = { output = { "content", default = "" }, exitCode = exit } }
end

local function call(when, child)
  return { when = when, kind = "tool", name = "name", input = "input", callId = "id",
    x = { answer = "^message.id", child = child } }
end

return dialect {
  name = "claude-stream", api = 1, rank = 2,
  detect = {
    { has = { "session_id", "uuid" }, when = { type = { "system", "result", "rate_limit_event", "stream_event" } } },
    { has = { "session_id", "message", "uuid" }, when = { type = { "assistant", "user" } } },
    { has = { "session_id", "message", "uuid" }, when = {
      type = { "assistant", "user" }, sessionId = { present = false } } },
    { has = { "session_id" }, when = {
      type = { "tool_progress", "auth_status", "prompt_suggestion", "conversation_reset" } } },
  },
  session = "session_id", agent = { "agent_id", "parent_tool_use_id", default = "main" }, at = "timestamp",
  observer_origin = "observer-activity",
  common = {
    ["x.record"] = "uuid", ["x.parent"] = "parent_tool_use_id", ["x.agentName"] = "subagent_type",
    ["x.retracts"] = { "supersedes", "retracted_message_uuids" },
  },
  -- A line of type `user` on standard input, with --input-format stream-json. Tried with both versions:
  -- priority `next` came behind the running calls, `later` behind the turn, `shouldQuery: false` with the
  -- next prompt. Nothing holds a stop but a hook.
  lanes = {
    checked = "2.1.215 and 2.1.332", steer = "*.next", prompt = "*.shouldQuery", follow_up = "*.later",
    channels = { ["*"] = { next = "ok", later = "ok", shouldQuery = "ok" } },
  },
  skip = { { type = "user", isReplay = true } },
  rules = {
    { when = { type = "assistant", error = { present = true } }, emit = {
      { when = { error = { "rate_limit", "billing_error" } }, kind = "quota",
        message = { "message.content", "error" } },
      { kind = "model-error", message = { "message.content", "error" } } } },
    { when = { type = "assistant" }, each = "message.content", emit = {
        { when = { type = "text" }, kind = "text", text = "text", x = text_of_answer },
        { when = { type = "thinking" }, kind = "reasoning", text = { "thinking", default = "" }, x = text_of_answer },
        call({ type = "tool_use", name = { "Agent", "Task" } }, { "input.subagent_type", default = "general-purpose" }),
        call { type = { "tool_use", "server_tool_use", "mcp_tool_use" } } },
      after = {
        { when = { ["message.usage"] = { present = true } }, kind = "message-usage", messageId = "message.id",
          ["tokens.input"] = "message.usage.input_tokens",
          ["tokens.cached"] = "message.usage.cache_read_input_tokens",
          ["tokens.cacheCreated"] = "message.usage.cache_creation_input_tokens",
          ["tokens.output"] = "message.usage.output_tokens" } } },

    { when = { type = "user", ["message.content"] = { type = "array" }, ["tool_use_result.interrupted"] = false,
        ["tool_use_result.stdout"] = { present = true } },
      each = "message.content", emit = { result { default = 0, "tool_use_result.exitCode" } } },
    { when = { type = "user", ["message.content"] = { type = "array" } }, each = "message.content", emit = {
        result { "content", after = "Exit code " },
        { when = { type = "image" }, kind = "prompt", text = { const = "[image]" } },
        prompts("text") } },
    { when = { type = "user" }, emit = { prompts("message.content") } },

    { when = { type = "stream_event", ["event.delta.type"] = "text_delta" }, emit = {
      kind = "text-delta", text = "event.delta.text" } },
    { when = { type = "stream_event" } },

    -- Each of several results of one run tells its own turn's usage.
    { when = { type = "result" }, emit = {
      { when = { result = { empty = false }, is_error = { ["not"] = "true" } }, more = true, kind = "result",
        text = "result" },
      { when = { usage = { present = true } }, more = true, kind = "usage",
        ["tokens.input"] = "usage.input_tokens", ["tokens.cached"] = "usage.cache_read_input_tokens",
        ["tokens.cacheCreated"] = "usage.cache_creation_input_tokens", ["tokens.output"] = "usage.output_tokens" },
      { when = { terminal_reason = { "completed", "tool_deferred" }, is_error = { ["not"] = "true" } },
        kind = "finished" },
      { when = { is_error = { ["not"] = "true" }, terminal_reason = { present = false } }, kind = "finished" },
      { when = { is_error = { ["not"] = "true" } }, kind = "stopped", reason = "terminal_reason" },
      { kind = "failure", message = { "result", "errors", "terminal_reason", "subtype", default = "error" } } } },

    -- Every turn begins with it, and may do so before the last one's result is told.
    { when = { type = "system", subtype = "init" }, emit = {
      { more = true, kind = "finished", x = { repeats = { const = true } } },
      { kind = "conversation", id = "session_id", x = { cwd = "cwd", version = "claude_code_version",
        permissionMode = "permissionMode" } } } },
    { when = { type = "system", subtype = "compact_boundary" }, emit = {
      kind = "compaction", strategy = { "compact_metadata.trigger", default = "auto" }, messages = { const = 0 } } },
    { when = { type = "system", subtype = "api_retry" }, emit = {
      kind = "model-retry", attempt = { "attempt", default = 1 }, message = "error" } },
    { when = { type = "system", subtype = "permission_denied" }, emit = {
      kind = "tool-denied", name = "tool_name", callId = "tool_use_id",
      reason = { "message", "decision_reason_type", default = "denied" }, x = { partial = { const = true } } } },
    { when = { type = "system", subtype = "task_started", ambient = { ["not"] = "true" } }, emit = {
      kind = "subagent", id = "task_id", callId = "tool_use_id", status = { const = "started" },
      x = { agentName = { const = "" }, child = "subagent_type" } } },
    { when = { type = "system", subtype = "task_notification", ambient = { ["not"] = "true" } }, emit = {
      { more = true, kind = "subagent", id = "task_id", callId = "tool_use_id",
        status = { any = { { status = { "failed", "killed", "error" } } }, yes = "failed", default = "finished" } },
      { when = { status = "completed" }, kind = "finished", agentKey = "task_id" },
      { kind = "stopped", agentKey = "task_id", reason = { "status", default = "stopped" } } } },
    { when = { type = "system", subtype = "hook_response" }, emit = {
      kind = "hook", phase = { "hook_event", "hook_name", default = "" },
      changed = { any = { { output = { empty = false } }, { stdout = { empty = false } } } } } },
    { when = { type = "system", subtype = { "notification", "informational" }, prevent_continuation = true }, emit = {
      kind = "stop-prevented", message = { "text", "content", default = "" } } },
    { when = { type = "system", subtype = { "notification", "informational", "local_command_output" } }, emit = {
      kind = "warning", message = { "text", "content", default = "" } } },
    { when = { type = "system", subtype = "model_refusal_fallback" }, emit = {
      kind = "fallback", from = { "original_model", default = "" }, to = { "fallback_model", default = "" },
      failure = { const = "unavailable" } } },
    { when = { type = "system", subtype = "model_refusal_no_fallback" }, emit = {
      kind = "model-error", message = { const = "the model refused and there is no fallback" } } },
    { when = { type = "system", subtype = {
      "status", "hook_started", "hook_progress", "task_started", "task_progress", "task_updated",
      "task_notification", "background_tasks_changed", "thinking_tokens", "session_state_changed",
      "files_persisted", "plugin_install" } } },
    { when = { type = "conversation_reset" }, emit = {
      kind = "warning", message = { const = "conversation reset" }, x = { rollback = { const = 1000000 } } } },
    { when = { type = "rate_limit_event", ["rate_limit_info.status"] = "rejected" }, emit = {
      kind = "quota", message = { "rate_limit_info.rateLimitType", default = "rate limit" },
      resetAt = "rate_limit_info.resetsAt" } },
    { when = { type = { "rate_limit_event", "tool_progress", "keep_alive", "tool_use_summary", "auth_status",
      "prompt_suggestion", "control_request", "control_response", "control_cancel_request" } } },
  },
}
