-- perilune-api: 1
-- Codex's rollout files, ~/.codex/sessions/**/rollout-*.jsonl: { timestamp, type, payload }. The same
-- thing is often told twice: as a response_item, what the model sees, and as an event_msg, what the
-- user sees, named one way in older files and as items in paginated ones. Texts of the model are
-- taken from response items, a person's words from events, results from whichever comes first.
local function event(types)
  return { type = "event_msg", ["payload.type"] = types }
end

local function item(types)
  return { type = "event_msg", ["payload.type"] = "item_completed", ["payload.item.type"] = types }
end

local function response(types)
  return { type = "response_item", ["payload.type"] = types }
end

local function tokens(emit, path)
  emit["tokens.input"] = path .. ".input_tokens"
  emit["tokens.cached"] = path .. ".cached_input_tokens"
  emit["tokens.cacheCreated"] = path .. ".cache_write_input_tokens"
  emit["tokens.output"] = path .. ".output_tokens"
  return emit
end

local function call(name, input, id)
  return { kind = "tool", more = true, name = name, input = input, callId = id }
end

-- How a command ended, from an event.
local function ended(path, id, name)
  return { kind = "tool-result", callId = id, name = name,
    isError = { any = {
      { [path .. ".exit_code"] = { present = true, ["not"] = 0 } },
      { [path .. ".status"] = { "failed", "declined" } },
      { [path .. ".success"] = "false" },
      { [path .. ".error"] = { present = true } } } },
    x = { exitCode = path .. ".exit_code",
      output = { path .. ".aggregated_output", path .. ".formatted_output", path .. ".stdout", path .. ".result",
        path .. ".error", default = "" } } }
end

local blocked = { "Command blocked by", "Tool call blocked by" }

return dialect {
  name = "codex-rollout", api = 1,
  detect = {
    { has = { "payload.id", "payload.cwd", "timestamp" }, when = { type = "session_meta" } },
    { has = { "payload.type", "timestamp" }, when = { type = { "response_item", "event_msg" } } },
    { has = { "payload", "timestamp" }, when = { type = { "turn_context", "world_state", "compacted" } } },
  },
  agent = { default = "main" }, at = "timestamp",
  observer_origin = "perilune",
  common = { ["x.record"] = { "payload.id", "payload.item.id" } },
  rules = {
    { when = { type = "session_meta" }, emit = {
      kind = "conversation", session = "payload.id", id = "payload.id",
      x = { cwd = "payload.cwd", version = "payload.cli_version",
        parent = { "payload.forked_from_id", "payload.parent_thread_id" } } } },

    { when = { type = "response_item", ["payload.type"] = "message", ["payload.role"] = "assistant" }, emit = {
      kind = "text", text = { "payload.content", default = "" } } },
    -- What the client itself says in the user's name.
    { when = { type = "response_item", ["payload.type"] = "message", ["payload.role"] = "user" },
      each = "payload.content", emit = {
        { when = { text = { prefix = "<hook_prompt" } }, kind = "prompt",
          text = { "text", between = { ">", "</hook_prompt>" } },
          x = { origin = { const = "hook" }, continues = { const = true } } },
        { when = { text = { prefix = { "# AGENTS.md instructions", "<user_instructions>" } } },
          kind = "instructions-loaded", count = { const = 1 },
          x = { source = { const = "AGENTS.md" }, output = "text" } } } },
    { when = response "message" },
    { when = response "reasoning", emit = { kind = "reasoning", text = { "payload.summary", default = "" } } },
    { when = response "function_call", emit = {
      call("payload.name", { "payload.arguments", json = true }, "payload.call_id") } },
    { when = response "custom_tool_call", emit = { call("payload.name", "payload.input", "payload.call_id") } },
    { when = response "local_shell_call", emit = {
      call({ const = "local_shell" }, "payload.action", { "payload.call_id", "payload.id" }) } },
    { when = response "web_search_call", emit = { call({ const = "web_search" }, "payload.action", "payload.id") } },
    { when = response { "function_call_output", "custom_tool_call_output" }, emit = {
        { when = { ["payload.output"] = { prefix = blocked } }, kind = "tool-denied", callId = "payload.call_id",
          reason = "payload.output" },
        { when = { ["payload.output"] = { prefix = { '{"output":', '{"metadata":' } } }, kind = "tool-result",
          callId = "payload.call_id",
          x = { output = "payload.output", exitCode = { "payload.output", between = { '"exit_code":', "," } } } },
        { kind = "tool-result", callId = "payload.call_id",
          isError = { any = { { ["payload.output.success"] = "false" } } },
          x = { output = { "payload.output.content", "payload.output", default = "" },
            exitCode = { "payload.output", between = { "Process exited with code ", "\n" } } } } } },
    { when = response { "compaction", "context_compaction" }, emit = {
      kind = "compaction", strategy = { const = "model" }, messages = { const = 0 } } },
    { when = response { "tool_search_call", "image_generation_call", "agent_message", "compaction_trigger",
      "configuration_update", "other" } },

    { when = { type = "event_msg", ["payload.type"] = "user_message", ["payload.kind"] = {
      "environment_context", "user_instructions" } } },
    { when = event "user_message", emit = { kind = "prompt", text = { "payload.message", default = "" } } },
    { when = item "UserMessage", emit = { kind = "prompt", text = { "payload.item.content", default = "" } } },
    { when = item "CommandExecution", emit = {
      call({ const = "exec_command" }, "payload.item.command", "payload.item.id"),
      ended("payload.item", "payload.item.id", { const = "exec_command" }) } },
    { when = item "FileChange", emit = {
      { more = true, kind = "file-change", changes = { "payload.item.changes", default = {} },
        callId = "payload.item.id" },
      call({ const = "apply_patch" }, "payload.item.changes", "payload.item.id"),
      ended("payload.item", "payload.item.id", { const = "apply_patch" }) } },
    { when = item "McpToolCall", emit = {
      call({ "payload.item.tool", default = "mcp" }, "payload.item.arguments", "payload.item.id"),
      ended("payload.item", "payload.item.id", { "payload.item.tool", default = "mcp" }) } },
    { when = event "exec_command_end", emit = {
      call({ const = "exec_command" }, "payload.command", "payload.call_id"),
      ended("payload", "payload.call_id", { const = "exec_command" }) } },
    { when = event { "mcp_tool_call_end", "patch_apply_end" }, emit = { ended("payload", "payload.call_id") } },

    { when = { type = "event_msg", ["payload.type"] = "token_count", ["payload.info"] = { present = true } }, emit = {
      tokens({ kind = "usage", cumulative = { const = true } }, "payload.info.total_token_usage") } },
    { when = { type = "token_usage_record" }, emit = {
      tokens({ kind = "message-usage", messageId = "payload.response_id" }, "payload.usage") } },
    { when = event { "task_complete", "turn_complete" }, emit = { kind = "finished" } },
    { when = event "turn_aborted", emit = {
      kind = "stopped", reason = { "payload.reason", default = "interrupted" } } },
    { when = event "error", emit = { kind = "model-error", message = { "payload.message", default = "" } } },
    { when = event "stream_error", emit = {
      kind = "model-retry", attempt = { "payload.attempt", default = 1 }, message = "payload.message" } },
    { when = event "warning", emit = { kind = "warning", message = { "payload.message", default = "" } } },
    { when = event "context_compacted", emit = {
      kind = "compaction", strategy = { const = "auto" }, messages = { const = 0 } } },
    { when = event "thread_rolled_back", emit = {
      kind = "warning", message = { const = "thread rolled back" },
      x = { rollback = { "payload.num_turns", default = 1 } } } },
    { when = event "hook_completed", emit = {
      kind = "hook", phase = { "payload.run.event_name", "payload.event", default = "" },
      changed = { const = false } } },
    { when = item { "AgentMessage", "HookPrompt", "Reasoning", "Plan", "WebSearch", "ContextCompaction" } },
    { when = event {
      "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "token_count", "task_started", "turn_started",
      "item_started", "exec_command_begin", "exec_command_output_delta", "mcp_tool_call_begin", "patch_apply_begin",
      "patch_apply_updated", "web_search_begin", "web_search_end", "hook_started", "thread_settings_applied",
      "session_configured", "turn_diff", "plan_update", "collab_agent_spawn_begin", "collab_agent_spawn_end",
      "collab_agent_interaction_begin", "collab_agent_interaction_end", "collab_waiting_begin", "collab_waiting_end",
      "collab_close_begin", "collab_close_end", "background_event", "thread_name_updated" } },
    { when = { type = "compacted" }, emit = {
      kind = "compaction", strategy = { const = "auto" }, messages = { const = 0 } } },
    { when = { type = "turn_context" } },
    { when = { type = {
      "world_state", "inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score",
      "dynamic_tools_updated", "realtime_item", "id_allocation" } } },
  },
}
