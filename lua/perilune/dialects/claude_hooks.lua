-- perilune-api: 1
-- Payloads of Claude Code's hooks, bare or as a recorder wraps them ({ t, ev, payload, env }). They
-- carry no thinking and, but for MessageDisplay, no text before the last; PostToolUse has the
-- tool's own structure and PostToolBatch, behind it, what the model reads.
local experimental = "@env.CLAUDE_CODE_EXPERIMENTAL_OBSERVER_AGENTS"
local truthy = { "1", "true", "yes", "on" }

-- A machine may speak through UserPromptSubmit, too.
local function prompts(path)
  return
    { when = { [path] = { prefix = '<agent-message from="observer:' } }, kind = "prompt", text = path,
      x = { origin = { path, between = { '<agent-message from="', '"' } }, midTurn = { const = true } } },
    { when = { [path] = { prefix = "<agent-message" } }, kind = "prompt", text = path,
      x = { origin = { const = "peer" }, midTurn = { const = true } } },
    { when = { [path] = { prefix = "<task-notification>" } }, kind = "prompt", text = path,
      x = { origin = { const = "task-notification" } } },
    { when = { source = { "system", "loop_wakeup", "schedule_wakeup", "poll_event" } }, kind = "prompt", text = path,
      x = { origin = "source" } },
    { kind = "prompt", text = path }
end

local function last_words(path)
  return { when = { [path] = { empty = false } }, more = true, kind = "text", text = path,
    x = { repeats = { const = true } } }
end

local function call(extra)
  local emit = { kind = "tool", name = "tool_name", input = "tool_input", callId = "tool_use_id", x = extra }
  return emit
end

return dialect {
  name = "claude-hooks", api = 1, rank = 1, root = "payload",
  detect = {
    { has = { "session_id", "hook_event_name" }, when = {
      turn_id = { present = false }, model = { present = false } } },
    { has = { "session_id", "hook_event_name", "@env.CLAUDE_PROJECT_DIR" }, when = { turn_id = { present = false } } },
  },
  session = "session_id", agent = { "agent_id", default = "main" }, at = { "@t", "timestamp" },
  observer_origin = "observer-activity",
  common = { ["x.cwd"] = "cwd", ["x.agentName"] = "agent_type", ["x.permissionMode"] = "permission_mode",
    ["x.observers"] = "@env.PERILUNE_OBSERVERS", ["x.restricted"] = "@env.PERILUNE_RESTRICTED",
    ["x.clientObserves"] = { any = { { [experimental] = truthy } } } },
  -- Tried with both versions: a marker was answered by each channel, and the next request to the model
  -- held it. Of older ones it is known that PreToolUse's was ignored and PostToolUse's dropped on Agent.
  lanes = {
    event = "hook_event_name", tool = "tool_name", checked = "2.1.215 and 2.1.332",
    steer = { "PostToolBatch.additionalContext", "PostToolUse.additionalContext",
      "PostToolUseFailure.additionalContext", "PreToolUse.additionalContext",
      "SubagentStart.additionalContext", "UserPromptSubmit.additionalContext", "UserPromptSubmit.stdout" },
    prompt = { "UserPromptSubmit.additionalContext", "UserPromptSubmit.stdout" },
    follow_up = { "Stop.additionalContext", "Stop.decision", "SubagentStop.additionalContext",
      "SubagentStop.decision", "UserPromptSubmit.additionalContext", "UserPromptSubmit.stdout" },
    hold = { "Stop.decision", "Stop.additionalContext", "SubagentStop.decision", "SubagentStop.additionalContext" },
    channels = {
      PreToolUse = { additionalContext = "since 2.1.215" },
      PostToolUse = { additionalContext = "ok" },
      ["PostToolUse:Agent"] = { additionalContext = "since 2.1.215" },
      PostToolUseFailure = { additionalContext = "ok" },
      PostToolBatch = { additionalContext = "ok" },
      SubagentStart = { additionalContext = "ok" },
      UserPromptSubmit = { additionalContext = "ok", stdout = "ok" },
      Stop = { additionalContext = "ok", decision = "ok" },
      SubagentStop = { additionalContext = "ok", decision = "ok" },
    },
  },
  skip = { { ["@done"] = true } },
  rules = {
    { when = { hook_event_name = "SessionStart" }, emit = { kind = "conversation", id = "session_id" } },
    { when = { hook_event_name = "UserPromptSubmit" }, emit = { prompts("prompt") } },

    { when = { hook_event_name = "PreToolUse", tool_name = "ObserverReport" }, emit = {
      call { observer = { const = true } } } },
    { when = { hook_event_name = "PreToolUse", tool_name = { "Agent", "Task" } }, emit = {
      call { child = { "tool_input.subagent_type", default = "general-purpose" } } } },
    { when = { hook_event_name = "PreToolUse" }, emit = { call() } },
    { when = { hook_event_name = "PostToolUse" }, emit = {
      kind = "tool-result", name = "tool_name", callId = "tool_use_id", isError = { const = false },
      x = { output = { "tool_response.stdout", "tool_response.file.content", "tool_response.message",
          "tool_response.content", "tool_response", default = "" },
        exitCode = { any = { { ["tool_response.stdout"] = { present = true },
            ["tool_response.interrupted"] = { ["not"] = "true" } } }, yes = 0, "tool_response.exitCode" },
        durationMs = "duration_ms", partial = { const = true } } } },
    { when = { hook_event_name = "PostToolUseFailure" }, emit = {
      kind = "tool-result", name = "tool_name", callId = "tool_use_id", isError = { const = true },
      x = { output = { "error", default = "" }, exitCode = { "error", after = "Exit code " },
        durationMs = "duration_ms" } } },
    -- A call that a hook refused has no result but here.
    { when = { hook_event_name = "PostToolBatch" }, each = "tool_calls", emit = {
        kind = "tool-result", name = "tool_name", callId = "tool_use_id",
        isError = { any = { { tool_response = { prefix = { "PreToolUse:", "Error:", "Exit code " } } } } },
        x = { output = { "tool_response", default = "" } } },
      after = { kind = "step", x = { endsStep = { const = true } } } },
    { when = { hook_event_name = "PermissionDenied" }, emit = {
      kind = "tool-denied", name = "tool_name", callId = "tool_use_id", reason = { "reason", default = "denied" },
      x = { partial = { const = true } } } },

    { when = { hook_event_name = "MessageDisplay" }, emit = {
      kind = "text-delta", text = { "delta", default = "" },
      x = { answer = "message_id", assemble = { const = true } } } },
    -- A second stop of one turn shows that the first was held.
    { when = { hook_event_name = { "Stop", "SubagentStop" } }, emit = {
      { when = { stop_hook_active = true }, more = true, kind = "stop-prevented", message = { const = "" } },
      last_words("last_assistant_message"),
      { kind = "finished", x = { maybe = { const = true }, endsStep = { const = true } } } } },
    { when = { hook_event_name = "StopFailure", error = "rate_limit" }, emit = {
      kind = "quota", message = { "error_details", "last_assistant_message", "error" } } },
    { when = { hook_event_name = "StopFailure" }, emit = {
      kind = "failure", message = { "error_details", "last_assistant_message", "error", default = "error" } } },
    { when = { hook_event_name = "SessionEnd" }, emit = {
      kind = "finished", x = { endsSession = { const = true } } } },
    { when = { hook_event_name = "SubagentStart" }, emit = {
      kind = "subagent", id = "agent_id", status = { const = "started" },
      x = { unspawned = { any = { { [experimental] = truthy } } } } } },

    { when = { hook_event_name = { "PreCompact" } } },
    { when = { hook_event_name = "PostCompact" }, emit = {
      kind = "compaction", strategy = { "trigger", default = "auto" }, messages = { const = 0 } } },
    { when = { hook_event_name = "Notification" }, emit = { kind = "warning", message = { "message", default = "" } } },
    { when = { hook_event_name = "PostModelSwitch" }, emit = {
      kind = "model-route", step = { const = 0 }, choice = { "to_model", default = "" },
      model = { "to_model", default = "" }, reason = { const = "selected" } } },
    { when = { hook_event_name = "InstructionsLoaded" }, emit = {
      kind = "instructions-loaded", count = { const = 1 } } },
    { when = { hook_event_name = "FileChanged" }, emit = {
      kind = "file-change", changes = { "file_path", default = "" } } },
    { when = { hook_event_name = {
      "Setup", "UserPromptExpansion", "PermissionRequest", "PreModelSwitch", "TaskCreated",
      "TaskCompleted", "TeammateIdle", "ConfigChange", "CwdChanged", "DirectoryAdded", "WorktreeCreate",
      "WorktreeRemove", "Elicitation", "ElicitationResult", "PreSkillShellCommand" } } },
  },
}
