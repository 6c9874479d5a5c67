-- perilune-api: 1
-- pi's session files, ~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl: a tree of entries, each naming its
-- parent. They do not say when the agent settled: an answer that stops is a possible end, and the next
-- prompt shows whether it was one.
local pi = require("perilune.pi")

-- Eight digits are too few to be unique among all sessions; a fork copies them together with the time.
local record = { "^timestamp", "^id", join = "/" }

local stop = { { when = { ["message.stopReason"] = "stop" }, kind = "finished", x = { maybe = { const = true } } } }
for _, emit in ipairs(pi.bad_ends) do stop[#stop + 1] = emit end

local rules = {
  { when = { type = "session" }, emit = { kind = "conversation", id = "id", session = "id",
    x = { parent = "parentSession" } } },
  { when = { type = "model_change" }, emit = { kind = "model-route", step = { const = 0 }, choice = "modelId",
    model = "modelId", reason = { const = "selected" } } },
  { when = { type = "compaction" }, emit = { kind = "compaction", strategy = { const = "compaction" },
    messages = { const = 0 } } },
  { when = { type = "branch_summary" }, emit = { kind = "prompt", text = { "summary", default = "" },
    x = { origin = { const = "branchSummary" }, midTurn = { const = true }, record = record } } },
  { when = { type = "custom_message", customType = pi.by_observers }, emit = { kind = "prompt",
    text = { "content", default = "" }, x = { origin = { "customType", prefix = "observer:" },
      midTurn = { const = true }, record = record } } },
  { when = { type = "custom_message" }, emit = { kind = "prompt", text = { "content", default = "" },
    x = { origin = { "customType", default = "custom" }, midTurn = { const = true }, record = record } } },
}
local messages = pi.messages("message", { record = record, ends = stop, echo = { midTurn = { const = true } } })
for _, rule in ipairs(messages) do rules[#rules + 1] = rule end

return dialect {
  name = "pi-session", api = 1,
  detect = { -- not by the header, which both pi formats begin with
    { has = { "id", "timestamp", "message.role" }, when = { type = "message" } },
  },
  at = "timestamp",
  common = { ["x.cwd"] = "cwd", ["x.entry"] = "id", ["x.follows"] = "parentId" },
  skip = {
    { type = { "thinking_level_change", "usage", "context_edit", "custom", "label", "session_info" } },
  },
  rules = rules,
}
