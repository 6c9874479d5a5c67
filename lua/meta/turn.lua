---@meta
-- The read-only view an observer is shown. It and everything reached through it expires when
-- the call returns; what must last goes into ctx.state. `#`, `ipairs` and an index work on the
-- lists, though they are no tables.

---@class perilune.Turn
---@field step integer                1-based, of the agent; the one just ended
---@field turn integer                1-based
---@field items perilune.Item[]       what this observer has not been shown yet, in order
---@field calls fun(): perilune.Call[]   all calls of the turn, in order
---@field repeats fun(call: perilune.Call | perilune.Item): integer, integer   how often it was
---                                   made in this turn with the same input, itself included; and
---                                   how often with the same result too
---@field files perilune.File[]       files the turn's calls touched, by the tools' own word
---@field last_user string?           the human's last message
---@field cwd string?
---@field usage perilune.Usage        of the session so far
---@field ending boolean              the agent is about to stop
---@field goal perilune.Goal?         nil: none declared
---@field session string
---@field agent string                "main" or a task id
---@field agent_name string?          the agent's type
---@field trigger perilune.Trigger    why the observer was woken
---@field dropped integer             items lost before the first of `items`

---@alias perilune.ItemKind
---| "assistant_text" | "tool_call" | "tool_result" | "tool_denied" | "user_message"
---| "non_user_message" | "guidance_loaded" | "skills_discovered" | "coordinator_task"
---| "turn_ended"

---One entry of activity.
---@class perilune.Item
---@field kind perilune.ItemKind
---@field name string?            the tool; or source, reason, path of other kinds
---@field input table | string | nil   of a tool_call: a table for a JSON object, in which long
---                               strings may be cut
---@field text string?            long ones keep head and tail
---@field is_error boolean        of a tool_result
---@field exit_code integer?      of a tool_result, where known
---@field call_id string?
---@field seq integer             its place in the stream: evidence
---@field step integer
---@field turn integer

---One tool call of the turn, joined with its result.
---@class perilune.Call
---@field name string
---@field input table | string | nil
---@field call_id string?
---@field seq integer
---@field step integer
---@field turn integer
---@field result string?          nil while none came; the reason if it was refused
---@field is_error boolean
---@field exit_code integer?
---@field denied boolean

---@class perilune.File
---@field path string
---@field read boolean
---@field edited boolean
---@field seq integer             of the last call that touched it

---Tokens.
---@class perilune.Usage
---@field input integer
---@field cached integer
---@field output integer

---@class perilune.Goal
---@field text string
---@field check string?           a command; sought among the agent's own calls, never run
---@field items perilune.GoalItem[]

---@class perilune.GoalItem
---@field text string
---@field done boolean
