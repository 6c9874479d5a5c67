-- perilune-api: 1
-- opencode: `opencode run --format json`, and the server's event stream (`message.part.updated`, ...). Parts
-- are snapshots that are sent again whenever they grow: a call counts when it runs, its result when it is
-- done, a text when it has ended.
local ends = {
  { when = { ["part.reason"] = "stop" }, kind = "finished", x = { maybe = { const = true } } },
  { when = { ["part.reason"] = { "length", "content-filter", "error", "other" } }, kind = "stopped",
    reason = "part.reason", x = { maybe = { const = true } } },
  { when = { ["part.reason"] = "tool-calls" }, kind = "step", x = { endsStep = { const = true } } },
}

-- What a part says; `p` is where it stands in the record.
local function part(p, more)
  local state = p .. ".state"
  local function tool(when)
    return { when = when, more = true, kind = "tool", name = p .. ".tool", input = state .. ".input",
      callId = p .. ".callID", x = { answer = p .. ".messageID", record = p .. ".id" } }
  end
  local function result(status, failed, text)
    return { when = { [p .. ".type"] = "tool", [state .. ".status"] = status }, kind = "tool-result",
      callId = p .. ".callID", name = p .. ".tool", isError = { const = failed },
      x = { output = { text, default = "" }, exitCode = state .. ".metadata.exit", record = p .. ".id" } }
  end
  local out = {
    { when = { [p .. ".type"] = "text", [p .. ".time.end"] = { present = true } }, kind = "text",
      text = p .. ".text", x = { answer = p .. ".messageID", record = p .. ".id" } },
    { when = { [p .. ".type"] = "reasoning", [p .. ".time.end"] = { present = true } }, kind = "reasoning",
      text = p .. ".text", x = { answer = p .. ".messageID", record = p .. ".id" } },
    tool { [p .. ".type"] = "tool", [state .. ".status"] = { "running", "completed", "error" } },
    result("completed", false, state .. ".output"),
    result("error", true, state .. ".error"),
    { when = { [p .. ".type"] = "step-finish" }, more = true, kind = "message-usage", messageId = p .. ".messageID",
      ["tokens.input"] = p .. ".tokens.input", ["tokens.cached"] = p .. ".tokens.cache.read",
      ["tokens.cacheCreated"] = p .. ".tokens.cache.write", ["tokens.output"] = p .. ".tokens.output" },
    { when = { [p .. ".type"] = "retry" }, kind = "model-retry", attempt = { p .. ".attempt", default = 1 },
      message = p .. ".error.data.message" },
    { when = { [p .. ".type"] = "compaction" }, kind = "compaction", strategy = { const = "compaction" },
      messages = { const = 0 } },
  }
  for _, emit in ipairs(more) do out[#out + 1] = emit end
  return out
end

local function failure(error)
  return { kind = "failure", message = { error .. ".data.message", error .. ".name", error, default = "error" } }
end

-- Only a person's text part has no time of its own.
local from_user = { { when = { ["properties.part.type"] = "text", ["properties.part.time"] = { present = false } },
  kind = "prompt", text = "properties.part.text", x = { record = "properties.part.id" } } }

return dialect {
  name = "opencode-run", api = 1, rank = 2,
  -- `run` takes nothing while it runs.
  lanes = { prompt = "*.prompt", channels = { ["*"] = { prompt = "ok" } } },
  detect = {
    { has = { "timestamp", "sessionID", "part.messageID" } },
    { has = { "timestamp", "sessionID", "error" }, when = { type = "error" } },
    { has = { "properties.part.messageID", "properties.part.sessionID" }, when = { type = "message.part.updated" } },
  },
  session = { "sessionID", "properties.sessionID", "properties.part.sessionID", "properties.info.sessionID" },
  at = "timestamp",
  rules = {
    { when = { part = { present = true } }, emit = part("part", ends) },
    { when = { type = "error" }, emit = failure("error") },
    { when = { type = "message.part.updated" }, emit = part("properties.part", from_user) },
    { when = { type = "session.idle" }, emit = { kind = "finished" } },
    { when = { type = "session.error" }, emit = failure("properties.error") },
    { when = { type = { "message.updated", "session.status", "session.updated", "session.compacted",
      "permission.updated", "permission.replied", "file.edited", "todo.updated", "server.connected" } } },
  },
}
