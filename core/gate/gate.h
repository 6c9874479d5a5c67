// The gate: may this observer be started for this agent, and fed? (spec CC-4.) Judges the Agent
// request that would start it, in six steps, each with its verdict and reason. Pure: who asks
// runs the hooks and hands in their answers. Never judges the observed agent's own calls.
#ifndef PERI_GATE_GATE_H
#define PERI_GATE_GATE_H

#include "gate/hook_answer.h"
#include "gate/permissions.h"

#define PERI_GATE_STEP_LIST(X)                                                                 \
    X(TOOLS, "tools")                 /* the agent's tool list holds Agent or Task */          \
    X(DENY_RULES, "deny-rules")       /* no deny rule for the tool or the type */              \
    X(ALLOWED_TYPES, "allowed-types") /* the type is among the allowed ones */                 \
    X(REQUEST, "request")             /* the request was built */                              \
    X(PERMISSIONS, "permissions")     /* the rules under the arming-time mode */               \
    X(HOOKS, "hooks")                 /* managed PreToolUse hooks */

typedef enum peri_gate_step {
#define PERI_GATE_STEP_ENUM(name, word) PERI_GATE_##name,
    PERI_GATE_STEP_LIST(PERI_GATE_STEP_ENUM)
#undef PERI_GATE_STEP_ENUM
        PERI_GATE_STEP_COUNT
} peri_gate_step;

#define PERI_GATE_VERDICT_LIST(X)                                                              \
    X(SKIPPED, "skipped") /* a step before it said no, or it does not bind */                  \
    X(ALLOW, "allow")                                                                          \
    X(DENY, "deny")                                                                            \
    X(ERROR, "error") /* nobody could judge: this batch is dropped, the pairing stays */

typedef enum peri_gate_verdict {
#define PERI_GATE_VERDICT_ENUM(name, word) PERI_GATE_VERDICT_##name,
    PERI_GATE_VERDICT_LIST(PERI_GATE_VERDICT_ENUM)
#undef PERI_GATE_VERDICT_ENUM
} peri_gate_verdict;

enum { PERI_GATE_REASON_BYTES = 384 };

/// The judgement and how it came about.
typedef struct peri_gate_trace {
    peri_gate_verdict verdict;
    peri_gate_step decided_by; // the step that denied; PERI_GATE_STEP_COUNT if none did
    struct {
        peri_gate_verdict verdict;
        char reason[PERI_GATE_REASON_BYTES];
    } steps[PERI_GATE_STEP_COUNT];
    uint64_t version;          // of the permissions it was judged by
    peri_permission_mode mode; // that it was judged under
} peri_gate_trace;

typedef struct peri_gate_question {
    peri_agent_request request;
    peri_permission_mode mode; // that held when the observer was armed
    bool named;                // by its agent's definition: steps 1 and 3 bind
    bool tools_known;
    const peri_str *tools; // of the observed agent, entries like "Read" or "Agent(a, b)"
    size_t tool_count;
    const peri_str *refused_tools; // its disallowedTools
    size_t refused_tool_count;
} peri_gate_question;

peri_str peri_gate_step_word(peri_gate_step step);
peri_str peri_gate_verdict_word(peri_gate_verdict verdict);

/// Appends the request of CC-3 to `out` as the JSON of a tool's input.
void peri_agent_request_add_json(const peri_agent_request *request, peri_buf *out);

/// Builds the request for observing `observed` with an observer of `type`; its texts are copied
/// to `arena`. PERI_ENOMEM.
PERI_MUST_USE int peri_agent_request_make(peri_str observed, peri_str type, peri_arena *arena,
                                          peri_agent_request *out);

/// Steps 1 to 5. `out->verdict` is PERI_GATE_VERDICT_ALLOW if only the hooks are left to ask.
void peri_gate_judge(const peri_permissions *permissions, const peri_gate_question *question,
                     peri_gate_trace *out);

/// True if `hook` is to run on the request: its matcher and its condition take it, and its
/// answer would count.
bool peri_hook_wants(const peri_hook *hook, const peri_agent_request *request);

/// Step 6: what the hooks said, in the order of the hooks.
void peri_gate_hear_hooks(peri_gate_trace *trace, const peri_hook *const *hooks,
                          const peri_hook_answer *answers, size_t count);

/// Appends the members `verdict`, `step` (that decided), `reason`,
/// `mode`, `version` and `steps`.
void peri_gate_trace_add_json(const peri_gate_trace *trace, peri_buf *out);

/// Nobody could judge.
void peri_gate_fail(peri_gate_trace *trace, peri_gate_step step, const char *reason);

#endif
