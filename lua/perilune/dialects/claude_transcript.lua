-- perilune-api: 1
-- Claude Code's transcripts, ~/.claude/projects/<folder>/<session>.jsonl and <session>/subagents/. One
-- record a content block; `message.id` names the model answer and so the step. A turn ends with
-- `end_turn` unless a Stop hook then feeds something back, which a meta user record shows.
local state_rows = {
  "summary", "custom-title", "ai-title", "tag", "last-prompt", "mode", "agent-name",
  "agent-color", "pr-link", "file-history-snapshot", "file-history-delta", "attribution-snapshot",
  "queue-operation", "cost-state", "tools-used", "worktree-state", "session-owner", "isolation-latch",
  "atis-latch", "dev-mods", "memory-mode", "content-replacement", "derived-from", "relocated",
  "continued-in", "ended-by-model", "bridge-session", "history-suppression", "frame-link", "api-request",
  "api-request-shape", "api-request-blob", "fork-context-ref", "progress",
}

local commands = { "<command-name>", "<command-message>", "<local-command", "<bash-" }

-- What a `user` record's text is: a person's words unless something says otherwise.
local function prompts(text)
  return
    { when = { ["^origin.kind"] = "observer" }, kind = "prompt", text = text,
      x = { origin = { "^origin.from", default = "observer:unknown" } } },
    { when = { ["^origin.kind"] = "observer-activity" }, kind = "prompt", text = text,
      x = { origin = { const = "observer-activity" } } },
    { when = { [text] = { prefix = "[Request interrupted by user" } }, kind = "stopped",
      reason = { const = "interrupted" } },
    { when = { ["^origin.kind"] = { present = true, ["not"] = "human" } }, kind = "prompt", text = text,
      x = { origin = "^origin.kind" } },
    { when = { ["^isCompactSummary"] = true }, kind = "prompt", text = text,
      x = { origin = { const = "compact-summary" } } },
    { when = { ["^isMeta"] = true }, kind = "prompt", text = text,
      x = { origin = { const = "unattributed" }, continues = { const = true } } },
    { when = { [text] = { prefix = commands } }, kind = "prompt", text = text,
      x = { origin = { const = "local-command" } } },
    { kind = "prompt", text = text }
end

local function result(block)
  return { when = { type = "tool_result" }, kind = "tool-result", callId = "tool_use_id", isError = "is_error",
    x = { output = { "content", default = "" }, exitCode = block } }
end

return dialect {
  name = "claude-transcript", api = 1,
  detect = {
    { has = { "type", "sessionId", "uuid", "timestamp" } },
    { has = { "sessionId", "message" }, when = { type = { "user", "assistant" } } },
    { has = { "sessionId" }, when = { type = state_rows } },
    { has = { "sessionId" }, when = { type = { "agent-setting", "permission-mode" } } },
    { has = { "observerTaskId", "observerAgentType" }, when = { type = "observer-ref" } },
  },
  session = "sessionId", agent = { "agentId", default = "main" }, at = "timestamp",
  observer_origin = "observer-activity",
  sidecar = { suffix = ".meta.json", agent_name = "agentType", observer = "isObserver",
    stopped = "observerStopped", parent = "toolUseId" },
  observer_file = "/subagents/agent-*.jsonl",
  common = {
    ["x.cwd"] = "cwd", ["x.record"] = "uuid", ["x.version"] = "version", ["x.parentRecord"] = "parentUuid",
    ["x.retracts"] = "supersedes", ["x.permissionMode"] = "permissionMode",
  },
  skip = {
    { type = state_rows },
    { isVisibleInTranscriptOnly = true },
    { type = "system", subtype = { "local_command", "informational", "away_summary", "memory_saved" } },
  },
  rules = {
    -- A fork's first record: its history follows, copied with the ids it had.
    { when = { type = "session" }, emit = {
      kind = "conversation", session = "id", id = "id", x = { parent = "parentSession", record = "id" } } },
    { when = { type = "observer-ref", observerTaskIds = { present = true } }, map = "references" },
    { when = { type = "observer-ref" }, emit = {
      kind = "subagent", id = "observerTaskId", name = { const = "Agent" }, callId = { const = "" },
      status = { const = "started" }, x = { observerTask = "observerTaskId", observerType = "observerAgentType" } } },
    { when = { type = "permission-mode" }, emit = { kind = "conversation", id = "sessionId" } },
    { when = { type = "agent-setting" }, emit = {
      kind = "conversation", id = "sessionId", x = { agentName = "agentSetting" } } },

    { when = { type = "assistant", isApiErrorMessage = true }, emit = {
      kind = "failure", message = { "message.content", "error", default = "API error" } } },
    { when = { type = "assistant" }, each = "message.content", emit = {
        { when = { type = "text" }, kind = "text", text = "text", x = { answer = "^message.id" } },
        { when = { type = "thinking" }, kind = "reasoning", text = { "thinking", default = "" },
          x = { answer = "^message.id" } },
        { when = { type = "tool_use", name = { "Agent", "Task" } }, kind = "tool", name = "name",
          input = "input", callId = "id",
          x = { answer = "^message.id", child = { "input.subagent_type", default = "general-purpose" } } },
        { when = { type = { "tool_use", "server_tool_use", "mcp_tool_use" } }, kind = "tool", name = "name",
          input = "input", callId = "id", x = { answer = "^message.id" } } },
      after = {
        { when = { ["message.usage"] = { present = true } }, more = true, kind = "message-usage",
          messageId = "message.id", ["tokens.input"] = "message.usage.input_tokens",
          ["tokens.cached"] = "message.usage.cache_read_input_tokens",
          ["tokens.cacheCreated"] = "message.usage.cache_creation_input_tokens",
          ["tokens.output"] = "message.usage.output_tokens" },
        { when = { ["message.stop_reason"] = { "end_turn", "stop_sequence" } }, kind = "finished",
          x = { maybe = { const = true }, answer = "message.id" } },
        { when = { ["message.stop_reason"] = { "max_tokens", "refusal", "model_context_window_exceeded" } },
          kind = "stopped", reason = "message.stop_reason", x = { maybe = { const = true } } } } },

    { when = { type = "user", ["message.content"] = { type = "array" }, ["toolUseResult.interrupted"] = false,
        ["toolUseResult.stdout"] = { present = true } },
      each = "message.content", emit = { result { default = 0, "toolUseResult.exitCode" } } },
    { when = { type = "user", ["message.content"] = { type = "array" } }, each = "message.content", emit = {
        result { "content", after = "Exit code " },
        { when = { type = "image" }, kind = "prompt", text = { const = "[image]" } },
        prompts("text") } },
    { when = { type = "user" }, emit = { prompts("message.content") } },

    { when = { type = "attachment", ["attachment.type"] = "queued_command" }, emit = {
        { when = { ["attachment.origin.kind"] = "observer" }, kind = "prompt", text = "attachment.prompt",
          x = { origin = { "attachment.origin.from", default = "observer:unknown" }, midTurn = { const = true } } },
        { when = { ["attachment.origin.kind"] = { present = true, ["not"] = "human" } }, kind = "prompt",
          text = "attachment.prompt", x = { origin = "attachment.origin.kind", midTurn = { const = true } } },
        { when = { ["attachment.isMeta"] = true }, kind = "prompt", text = "attachment.prompt",
          x = { origin = { const = "unattributed" }, midTurn = { const = true } } },
        { kind = "prompt", text = "attachment.prompt", x = { midTurn = { const = true } } } } },
    { when = { type = "attachment", ["attachment.type"] = "nested_memory" }, emit = {
      kind = "instructions-loaded", count = { const = 1 },
      x = { source = { "attachment.path", "attachment.content.path" },
        output = { "attachment.content.content", "attachment.content" } } } },
    { when = { type = "attachment", ["attachment.type"] = "dynamic_skill" }, emit = {
      kind = "skills-loaded", names = { "attachment.skillNames", default = {} },
      x = { source = "attachment.skillDir" } } },
    { when = { type = "attachment", ["attachment.type"] = "hook_blocking_error",
        ["attachment.hookEvent"] = { "Stop", "SubagentStop" } }, emit = {
      kind = "stop-prevented",
      message = { "attachment.blockingError.blockingError", "attachment.blockingError", default = "" } } },
    { when = { type = "attachment" } },

    { when = { type = "system", subtype = "stop_hook_summary", hookErrors = { empty = true },
        preventedContinuation = false }, emit = { kind = "finished" } },
    { when = { type = "system", subtype = "stop_hook_summary" } },
    { when = { type = "system", subtype = "turn_duration" }, emit = { kind = "finished" } },
    { when = { type = "system", subtype = { "compact_boundary", "microcompact_boundary" } }, emit = {
      kind = "compaction", strategy = { "compactMetadata.trigger", default = "auto" }, messages = { const = 0 } } },
    { when = { type = "system", subtype = "api_error" }, emit = {
      kind = "model-retry", attempt = { "retryAttempt", default = 1 }, message = "error.message" } },
    { when = { type = "system", subtype = "model_refusal_fallback" }, emit = {
      kind = "fallback", from = { "originalModel", default = "" }, to = { "fallbackModel", default = "" },
      failure = { const = "unavailable" },
      x = { retracts = { "retractedMessageUuids", "retracted_message_uuids" } } } },
    { when = { type = { "compaction", "conversation_reset" } } },
    { when = { type = "system" }, emit = { kind = "warning", message = { "content", "subtype", default = "" } } },
  },

  -- Of several observers each has a task of its own.
  references = function(record, emit)
    local types = {}
    for kind in pairs(record.observerTaskIds) do types[#types + 1] = kind end
    table.sort(types)
    for _, kind in ipairs(types) do
      local task = record.observerTaskIds[kind]
      emit("subagent", { id = task, name = "Agent", callId = "", status = "started",
        x = { observerTask = task, observerType = kind } })
    end
  end,
}
