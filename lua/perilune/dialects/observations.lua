-- perilune-api: 1
-- AgentObservation as JSON, one a line: what `--emit observations` writes and
-- what Outpost's journals hold. A kind that is not listed is a record nobody knows: `raw`.
local fields = {
  ["model-route"] = { "step", "choice", "model", "reason", "confidence" },
  subagent = { "id", "callId", "name", "status", "conversation" },
  ["message-usage"] = { "tokens", "messageId", "parentCallId" },
  stderr = { "text", "truncated" },
  stopped = { "reason" },
  steer = { "text", "mode" },
  reasoning = { "text", "parentCallId" },
  ["file-change"] = { "changes", "callId" },
  ["model-request"] = { "request" },
  ["model-response"] = { "response" },
  ["model-retry"] = { "attempt", "message" },
  ["model-error"] = { "message" },
  hook = { "phase", "changed" },
  ["instructions-loaded"] = { "count" },
  ["skills-loaded"] = { "names" },
  ["tool-output"] = { "callId", "channel", "text" },
  phase = { "name", "agent", "branch", "directory" },
  summary = { "durationMs", "status", "tokens" },
  warning = { "message" },
  text = { "text", "parentCallId" },
  ["text-delta"] = { "text", "parentCallId" },
  result = { "text" },
  prompt = { "text" },
  tool = { "name", "input", "callId", "parentCallId" },
  ["tool-result"] = { "callId", "name", "isError", "preview", "characters", "parentCallId" },
  step = { "index" },
  ["tool-denied"] = { "callId", "name", "reason" },
  ["stop-prevented"] = { "message" },
  compaction = { "strategy", "messages" },
  conversation = { "id" },
  usage = { "tokens", "cumulative" },
  failure = { "message" },
  quota = { "message", "resetAt" },
  fallback = { "from", "to", "failure", "message", "resetAt" },
  finished = {},
  raw = { "value", "bytes", "truncated" },
}

-- Beyond the 36 kinds, in `x`.
local extras = {
  "agentName", "origin", "answer", "record", "parent", "cwd", "source", "version", "exitCode", "maybe", "midTurn",
  "continues", "observer", "endsStep", "endsSession", "mends", "partial", "rollback", "retracts", "durationMs",
  "ordinal", "entry", "follows", "permissionMode",
}

local function emit_of(kind, names)
  local emit = { kind = kind, x = { whole = "x.whole" } }
  for _, name in ipairs(names) do emit[name] = name end
  if kind == "tool-result" then emit.x.output = { "x.output", "preview" } end
  if kind == "instructions-loaded" or kind == "tool-output" then emit.x.output = "x.output" end
  return emit
end

local kinds, rules = {}, {}
for kind in pairs(fields) do kinds[#kinds + 1] = kind end
for _, kind in ipairs(kinds) do
  rules[#rules + 1] = { when = { kind = kind }, emit = emit_of(kind, fields[kind]) }
end

local common = {
  pass = { "pass", "scope.pass" }, scope = "scope", source = "source",
  subagentId = { "subagentId", "scope.subagentId" },
}
for _, name in ipairs(extras) do common["x." .. name] = "x." .. name end

return dialect {
  name = "observations", api = 1, rank = 3,
  detect = {
    { has = { "at", "pass" }, when = { kind = kinds } },
    { has = { "at", "scope" }, when = { kind = kinds } },
  },
  session = { "x.session", "session", "scope.executionId", "scope.dispatchId" },
  agent = { "x.agent", "subagentId", "scope.subagentId", default = "main" },
  at = "at", seq = "seq",
  observer_origin = "perilune",
  common = common,
  rules = rules,
}
