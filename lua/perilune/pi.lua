-- What pi's messages say, wherever they stand: in its event stream (dialects/pi_json.lua) and
-- in its session files (dialects/pi_session.lua). Returns rules for both.
local M = {}

M.by_observers = { "observer-advisory", "observer-veto" }

-- Copies of `emit` with what the format adds to each.
local function with(emit, x)
  local out = {}
  for key, value in pairs(emit) do out[key] = value end
  out.x = {}
  for key, value in pairs(emit.x or {}) do out.x[key] = value end
  for key, value in pairs(x or {}) do out.x[key] = value end
  return out
end

local usage = {
  when = { ["message.usage"] = { present = true } }, more = true, kind = "message-usage",
  messageId = "message.responseId",
  ["tokens.input"] = "message.usage.input",
  ["tokens.cached"] = "message.usage.cacheRead",
  ["tokens.cacheCreated"] = "message.usage.cacheWrite",
  ["tokens.output"] = "message.usage.output",
}

local blocks = {
  { when = { type = "text" }, kind = "text", text = "text" },
  { when = { type = "thinking" }, kind = "reasoning", text = { "thinking", default = "" } },
  { when = { type = "toolCall" }, kind = "tool", name = "name", input = "arguments",
    callId = "id" },
}

-- A model's answer: its blocks in order, its usage, and what `ends` says of how it ended.
local function answer(record, ends)
  local emits, after = {}, { usage }
  for i, emit in ipairs(blocks) do
    emits[i] = with(emit, { answer = "^message.responseId", record = record })
  end
  for _, emit in ipairs(ends) do after[#after + 1] = emit end
  return {
    when = { role = "assistant" }, each = "message.content", emit = emits, after = after,
  }
end

local result = {
  kind = "tool-result", callId = "message.toolCallId", name = "message.toolName",
  isError = "message.isError", x = { output = { "message.content", default = "" } },
}

-- bash tells its exit code only where it is not 0, behind the output.
local exit_code = { "message.content", between = { "\n\nCommand exited with code " } }

-- How an answer that failed or was cut ended. pi may still retry it: the end is only possible.
M.bad_ends = {
  { when = { ["message.stopReason"] = "error" }, kind = "failure",
    message = { "message.errorMessage", default = "error" }, x = { maybe = { const = true } } },
  { when = { ["message.stopReason"] = { "aborted", "length" } }, kind = "stopped",
    reason = "message.stopReason", x = { maybe = { const = true } } },
}

local function said(text, origin)
  return { kind = "prompt", text = { text, default = "" }, x = { origin = origin } }
end

--- Rules for records of `type` that hold a message. `o.record`: where the record's own id is;
--- `o.ends`: what follows an answer; `o.echo`: `x` of what pi-observers put into the stream.
---@param type string
---@param o { record: string, ends: table, echo: table }
---@return table[] rules
function M.messages(type, o)
  local record, echo = { record = o.record }, o.echo
  local mid = { midTurn = { const = true }, record = o.record }
  local content, summary = "message.content", "message.summary"
  local by_observer = said(content, { "message.customType", prefix = "observer:" })
  local rules = {
    answer(o.record, o.ends),
    { when = { role = "toolResult", toolName = "bash", isError = false },
      emit = with(with(result, record), { exitCode = { const = 0 } }) },
    { when = { role = "toolResult" },
      emit = with(with(result, record), { exitCode = exit_code }) },
    { when = { role = "user" }, emit = with(said(content), mid) },
    { when = { role = "custom", customType = M.by_observers }, emit = with(by_observer, echo) },
    { when = { role = { "custom", "hookMessage" } },
      emit = with(said(content, { "message.customType", default = "custom" }), mid) },
    { when = { role = "bashExecution" },
      emit = with(said("message.command", { const = "user-command" }), mid) },
    { when = { role = { "branchSummary", "compactionSummary" } },
      emit = with(said(summary, "message.role"), mid) },
    { when = { role = "system" },
      emit = { kind = "instructions-loaded", count = { const = 1 } } },
  }
  for _, rule in ipairs(rules) do
    local when = { type = type }
    for name, want in pairs(rule.when) do when["message." .. name] = want end
    rule.when = when
  end
  return rules
end

return M
