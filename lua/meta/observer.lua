---@meta
-- What an author of an observer writes and is given. Declarations only: nothing here is run.

---@alias perilune.Trigger
---| "before_agent_start"   # a human prompt
---| "tool_execution_end"   # a tool result, or a refusal
---| "tool_denied"          # a refusal
---| "turn_end"             # the end of a step: one model answer with its results
---| "agent_settled"        # the agent has stopped
---| "session_end"          # the session is over; the open step ended before
---| "idle"                 # nothing happened for `limits.idle_ms`, once (live only)

---@alias perilune.Slice
---| "activity"
---| "last_user_message"
---| "last_assistant_message"
---| "tool_calls_this_turn"
---| "transcript"
---| "skills"

---@alias perilune.Severity "nit" | "concern" | "blocker"

---@alias perilune.Lane
---| "steer"       # before the next model call
---| "prompt"      # with the next user prompt
---| "follow_up"   # when the agent would stop
---| "hold"        # keeps the agent from stopping: vetoes only
---| "user"        # for the human alone
---| "log"         # into the ledger alone

---@alias perilune.Deliver perilune.Lane | "next_prompt" | "next_turn" | "settle"

---What an observer's file returns.
---@class perilune.ObserverSpec
---@field name string                  [a-z0-9][a-z0-9_-]*, at most 64 bytes
---@field description string?          one line; left out, a warning says so
---@field enabled boolean?             true if absent
---@field on perilune.Trigger | perilune.Trigger[]
---@field sees perilune.Slice[]?       { "activity" } if absent
---@field can ("advise" | "veto" | "report")[]?   { "advise" } if absent
---@field deliver perilune.Deliver?    "next_prompt" if absent; a veto always goes to hold
---@field priority integer?            1 to 100, 50 if absent
---@field severity perilune.Severity?  of its proposals, "concern" if absent
---@field max_advisory_chars integer?  code points, 300 if absent, at most 2,000
---@field agents string[]?             agent types, or "main"; all if absent
---@field timeout_ms integer?          20,000 if absent, at most 120,000
---@field isolation ("none" | "worker")?   worker: it runs in a process of its own
---@field command string | string[] | nil   a program that observes instead of `observe`
---@field once boolean?                of a command: started anew for every run
---@field env string[]?                of a command: names of variables it is given
---@field wake (fun(turn: perilune.Turn): boolean?)?   false or nil: not even run
---@field observe (fun(turn: perilune.Turn, ctx: perilune.Ctx): perilune.Proposal?)?   every
---                                    observer has this or `command`

---What the Lua file beside a Markdown observer returns; everything else stands in the header.
---@class perilune.Companion
---@field wake (fun(turn: perilune.Turn): boolean?)?   false or nil: the model is spared
---@field observe (fun(turn: perilune.Turn, ctx: perilune.Ctx): perilune.Proposal?)?   stands in
---                                    where there is no model

---What `observe` may return; exactly one of advise, veto and report. nil is the normal answer.
---@class perilune.Proposal
---@field advise string?
---@field veto string?
---@field report string?
---@field fingerprint string?          the same thing said again has the same one; a report may
---                                    do without
---@field severity perilune.Severity?  over the definition's
---@field evidence integer[]?          `seq` of what it rests on, at most 16
---@field data table?                  kept with the proposal, at most 4 KiB encoded

---What an observer keeps and learns.
---@class perilune.Ctx
---@field observer string              its own name
---@field state table                  plain, its own; kept for this agent by the host, at most
---                                    4 KiB encoded
---@field last perilune.Outcome?       what became of its last proposal; nil if it made none

---@class perilune.Outcome
---@field text string?
---@field fingerprint string?
---@field verdict ("deliver" | "defer" | "drop")?
---@field lane perilune.Lane?
---@field reason string?
---@field state string?                dropped, deferred, logged; or what its delivery has come to:
---                                    queued, handed, seen, expired, would-deliver
