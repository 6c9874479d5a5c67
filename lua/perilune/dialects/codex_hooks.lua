-- perilune-api: 1
-- Payloads of Codex's hooks, bare or as a recorder wraps them ({ t, ev, payload }): shaped like Claude
-- Code's, with turn_id and model. PostToolUse is the only result and does not say how a command
-- ended; a call that another hook refuses has none.
return dialect {
  name = "codex-hooks", api = 1, rank = 1, root = "payload",
  detect = {
    { has = { "session_id", "hook_event_name", "model", "permission_mode" } },
    { has = { "session_id", "hook_event_name", "model", "turn_id" } },
  },
  session = "session_id", agent = { "agent_id", default = "main" }, at = { "@t", "timestamp" },
  observer_origin = "perilune",
  common = { ["x.cwd"] = "cwd", ["x.agentName"] = "agent_type", ["x.permissionMode"] = "permission_mode",
    ["x.observers"] = "@env.PERILUNE_OBSERVERS", ["x.restricted"] = "@env.PERILUNE_RESTRICTED" },
  -- Seen in recordings; those of subagents stand in its schemas alone. Older builds refuse PreToolUse's.
  lanes = {
    event = "hook_event_name", tool = "tool_name", checked = "0.171.0",
    steer = { "PostToolUse.additionalContext", "PreToolUse.additionalContext", "SubagentStart.additionalContext",
      "UserPromptSubmit.additionalContext" },
    prompt = { "UserPromptSubmit.additionalContext" },
    follow_up = { "Stop.decision", "SubagentStop.decision", "UserPromptSubmit.additionalContext" },
    hold = { "Stop.decision", "SubagentStop.decision" },
    channels = {
      PreToolUse = { additionalContext = "since 0.171.0" },
      PostToolUse = { additionalContext = "ok" },
      SubagentStart = { additionalContext = "ok" },
      UserPromptSubmit = { additionalContext = "ok" },
      Stop = { decision = "ok" },
      SubagentStop = { decision = "ok" },
    },
  },
  skip = { { ["@done"] = true } },
  rules = {
    { when = { hook_event_name = "SessionStart" }, emit = { kind = "conversation", id = "session_id" } },
    { when = { hook_event_name = "UserPromptSubmit" }, emit = { kind = "prompt", text = { "prompt", default = "" } } },
    { when = { hook_event_name = "PreToolUse" }, emit = {
      kind = "tool", name = "tool_name", input = "tool_input", callId = "tool_use_id" } },
    { when = { hook_event_name = "PostToolUse" }, emit = {
      kind = "tool-result", name = "tool_name", callId = "tool_use_id",
      isError = { any = { { ["tool_response.success"] = "false" },
        { ["tool_response.exit_code"] = { present = true, ["not"] = 0 } } } },
      x = { output = { "tool_response.output", "tool_response.content", "tool_response", default = "" },
        exitCode = "tool_response.exit_code" } } },
    -- A second stop of one turn shows that the first was held.
    { when = { hook_event_name = { "Stop", "SubagentStop" } }, emit = {
      { when = { stop_hook_active = true }, more = true, kind = "stop-prevented", message = { const = "" } },
      { when = { last_assistant_message = { empty = false } }, more = true, kind = "text",
        text = "last_assistant_message", x = { repeats = { const = true } } },
      { kind = "finished", x = { maybe = { const = true }, endsStep = { const = true } } } } },
    { when = { hook_event_name = "SessionEnd" }, emit = {
      kind = "finished", x = { endsSession = { const = true } } } },
    { when = { hook_event_name = "Interrupt" }, emit = { kind = "stopped", reason = { const = "aborted" } } },
    { when = { hook_event_name = "SubagentStart" }, emit = {
      kind = "subagent", id = "agent_id", status = { const = "started" } } },
    { when = { hook_event_name = "PostCompact" }, emit = {
      kind = "compaction", strategy = { "trigger", default = "auto" }, messages = { const = 0 } } },
    { when = { hook_event_name = { "PermissionRequest", "PreCompact" } } },
  },
}
