-- perilune-api: 1
-- `codex exec --json`: a thread's items as they start, change and complete; the whole run is one turn.
-- Item ids count from 0 in every run. The prompt is not told. Older builds call an item's type
-- `item_type` and its text an `assistant_message`.
local TYPE = "item.type|item.item_type"

local failed = { any = {
  { ["item.status"] = { "failed", "declined" } },
  { ["item.exit_code"] = { present = true, ["not"] = 0 } },
} }

local function item(types)
  return { type = { "item.started", "item.updated", "item.completed" }, [TYPE] = types }
end

local function call(name, input)
  return { kind = "tool", more = true, name = name, input = input, callId = "item.id" }
end

local function result(name, output)
  return { when = { type = "item.completed" }, kind = "tool-result", name = name, callId = "item.id", isError = failed,
    x = { output = output, exitCode = "item.exit_code" } }
end

-- The name of an MCP tool is made of two members.
local function mcp(record, emit)
  local it = record.item
  local name = ("mcp__%s__%s"):format(tostring(it.server), tostring(it.tool))
  emit("tool", { name = name, input = it.arguments or {}, callId = it.id })
  if record.type ~= "item.completed" then return end
  local lines = {}
  for _, block in ipairs(type(it.result) == "table" and it.result.content or {}) do
    lines[#lines + 1] = block.text or ("[%s]"):format(tostring(block.type))
  end
  local message = type(it.error) == "table" and it.error.message
  emit("tool-result", {
    name = name, callId = it.id, isError = it.status == "failed" or message ~= nil,
    x = { output = message or table.concat(lines, "\n") },
  })
end

return dialect {
  name = "codex-exec", api = 1, rank = 2, local_ids = true,
  -- It takes nothing while it runs: the next prompt is that of `codex exec resume`.
  lanes = { prompt = "*.prompt", channels = { ["*"] = { prompt = "ok" } } },
  detect = {
    { has = { "thread_id" }, when = { type = "thread.started" } },
    { has = { "item" }, when = { type = { "item.started", "item.updated", "item.completed" } } },
    { when = { type = { "turn.started", "turn.completed", "turn.failed" } } },
  },
  session = "thread_id", agent = { default = "main" },
  observer_origin = "perilune",
  skip = { { type = "turn.started" } },
  rules = {
    { when = { type = "thread.started" }, emit = { kind = "conversation", id = "thread_id" } },

    { when = { type = { "item.started", "item.updated" }, [TYPE] = {
      "agent_message", "assistant_message", "reasoning" } } },
    { when = { type = "item.completed", [TYPE] = { "agent_message", "assistant_message" } }, emit = {
      kind = "text", text = { "item.text", default = "" } } },
    { when = { type = "item.completed", [TYPE] = "reasoning" }, emit = {
      kind = "reasoning", text = { "item.text", default = "" } } },
    { when = item("command_execution"), emit = {
      call({ const = "command_execution" }, "item.command"),
      result({ const = "command_execution" }, { "item.aggregated_output", default = "" }) } },
    { when = item("file_change"), emit = {
      call({ const = "apply_patch" }, "item.changes"),
      { when = { type = "item.completed", ["item.status"] = "completed" }, more = true, kind = "file-change",
        changes = { "item.changes", default = {} }, callId = "item.id" },
      result({ const = "apply_patch" }, { "item.status", default = "" }) } },
    { when = item("mcp_tool_call"), map = "mcp" },
    { when = item("web_search"), emit = {
      call({ const = "web_search" }, "item.query"),
      result({ const = "web_search" }, { const = "" }) } },
    { when = item("collab_tool_call"), emit = {
      call({ "item.tool", default = "collab" }, "item.prompt"),
      result({ "item.tool", default = "collab" }, { "item.agents_states", default = "" }) } },
    { when = item("error"), emit = { kind = "warning", message = { "item.message", default = "" } } },
    { when = item { "todo_list", "plan" } },

    { when = { type = "turn.completed" }, emit = {
      { when = { usage = { present = true } }, more = true, kind = "usage", cumulative = { const = true },
        ["tokens.input"] = "usage.input_tokens", ["tokens.cached"] = "usage.cached_input_tokens",
        ["tokens.cacheCreated"] = "usage.cache_write_input_tokens", ["tokens.output"] = "usage.output_tokens" },
      { kind = "finished" } } },
    { when = { type = "turn.failed" }, emit = {
      kind = "failure", message = { "error.message", "error", default = "failed" } } },
    -- Also said of attempts that are made again: the turn ends with turn.failed or goes on.
    { when = { type = "error" }, emit = { kind = "model-error", message = { "message", default = "" } } },
  },
  mcp = mcp,
}
