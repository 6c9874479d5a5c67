---@meta
-- What an author of a policy writes and is given. Policies are pure: no clock, no I/O.

---What a policy's file returns; each function may be left out. The configured policies are
---walked in order, each gets what the one before it decided; then the core clamps.
---@class perilune.Policy
---@field name string
---@field description string?
---@field reconcile (fun(batch: perilune.PolicyProposal[], ctx: perilune.PolicyCtx):
---                 perilune.PolicyProposal[], perilune.Dropped[])?   kept, best first; dropped
---@field budget (fun(budget: perilune.Budget, ctx: perilune.PolicyCtx): perilune.Budget)?
---@field deliver (fun(verdict: perilune.Verdict, p: perilune.PolicyProposal,
---               ctx: perilune.PolicyCtx): perilune.Verdict)?

---A proposal as policies see it. It is known by its identity: return the table itself, a copy
---stands for nothing.
---@class perilune.PolicyProposal
---@field id string
---@field observer string
---@field kind "advisory" | "veto" | "report"
---@field text string
---@field fingerprint string
---@field severity perilune.Severity
---@field priority integer        1 to 100
---@field deliver perilune.Lane   of the definition; a veto's is hold
---@field evidence integer[]
---@field data table?
---@field invents string?         id of a call whose outcome its text tells, though the agent made
---                               no such call, or it still runs
---@field step integer
---@field turn integer

---@class perilune.Dropped
---@field proposal perilune.PolicyProposal
---@field reason string
---@field into perilune.PolicyProposal?   a kept one: both are told in one note

---@class perilune.Budget
---@field advisories integer
---@field vetoes integer

---@class perilune.Verdict
---@field verdict "deliver" | "defer" | "drop"
---@field lane perilune.Lane?     left out: stays as it was
---@field reason string           never blank
---@field ttl_turns integer?      of a deferral: dropped after so many turns

---The facts a policy may ask for. Read-only but for `state`.
---@class perilune.PolicyCtx
---@field left perilune.Budget    what the window may still deliver
---@field limits perilune.Limits
---@field run_state "idle" | "running" | "settled" | "plan" | "stopped" | "ended"
---@field local_time perilune.LocalTime   live the machine's clock and zone; in a replay the recording's, in UTC
---@field state table             plain, kept per session and policy, at most 4 KiB encoded
---@field age fun(p: perilune.PolicyProposal): integer        steps since it was made
---@field similar fun(p: perilune.PolicyProposal): number     0 to 1, to texts delivered before
---@field new_input fun(p: perilune.PolicyProposal): boolean  work since the last delivery
---@field overtaken fun(p: perilune.PolicyProposal): boolean  its evidence has changed since
---@field taken fun(fingerprint: string): boolean             delivered or deferred already
---@field vetoes fun(observer: string, fingerprint: string): perilune.VetoCounts

---@class perilune.Limits
---@field advisories_per_turn integer   of a window
---@field veto_budget integer           per observer and fingerprint

---Vetoes spent so far.
---@class perilune.VetoCounts
---@field key integer             under this fingerprint, by this observer
---@field observer integer
---@field session integer

---@class perilune.LocalTime
---@field year integer
---@field month integer
---@field day integer
---@field hour integer
---@field min integer
---@field wday integer            1 is Sunday, as in os.date
