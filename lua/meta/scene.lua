---@meta
-- What an author of a spec writes for the test kit (perilune.testing) and gets from it.

---What an agent does, in order, as a list of entries; and what the observer may ask for besides.
---@class perilune.Scene : perilune.SceneEntry[]
---@field user (string | false)?  what the user asked first; false: that is not known
---@field cwd string?             "/home/dev/project" if absent
---@field agent_name string?      "main" if absent
---@field goal (perilune.Goal | string)?
---@field memory perilune.Recall[]?
---@field skills perilune.Recall[]?
---@field usage perilune.Usage?   the agent's tokens at first
---@field ending boolean?         of the last step; if absent: true where it has no call

---One of text, call, user and note, and what belongs to it.
---@class perilune.SceneEntry
---@field text string?            the assistant says
---@field call string?            a tool call of this name
---@field input (table | string)?   of a call
---@field result string?          of a call; absent: none came
---@field is_error boolean?       of a call
---@field exit_code integer?      of a call
---@field denied string?          of a call: the reason it was refused with
---@field parallel boolean?       a call or text of the same answer as the call before it
---@field new_step boolean?       begins a step where nothing else would
---@field user string?            a new turn begins
---@field steer boolean?          of user: it was said while the agent works, in the same turn
---@field note string?            a message that is neither the user's nor the agent's
---@field source string?          of a note: whose it is, "system" if absent
---@field usage perilune.Usage?   the agent's tokens from here on

---The policies of a chain, in order: tables, or names of shipped ones; and its setting.
---@class perilune.ChainOptions
---@field limits perilune.Limits?   two advisories a window, a veto budget of three if absent
---@field at string?                the clock's first moment, "2026-01-01T12:00" if absent

---A chain of policies at work over one agent.
---@class perilune.Desk
---@field run_state string          settable: what `ctx.run_state` answers
---@field overtaken fun(p: perilune.PolicyProposal): boolean   settable: what `ctx.overtaken` answers
---@field clock perilune.VirtualClock
---@field batch fun(self, batch: table[]): table[], table[]   a step and what was proposed at its
---                                 end: the decisions in order, and what had waited and is released
---@field window fun(self): table[]   a new window, and turn: what is released
---@field work fun(self, calls: integer?)   tool calls of the agent, one if absent

---@class perilune.VirtualClock
---@field set fun(self, text: string)   "2026-01-31T22:00" or "22:00", in UTC
---@field pass fun(self, span: { days: number?, hours: number?, minutes: number?, seconds: number? })
