// What a run may emit, and what becomes of it.
#ifndef PERI_MODEL_PROPOSAL_H
#define PERI_MODEL_PROPOSAL_H

#include "base/arena.h"
#include "base/str.h"

#define PERI_PROPOSAL_KIND_LIST(X)                                                             \
    X(ADVISORY, "advisory")                                                                    \
    X(VETO, "veto")                                                                            \
    X(REPORT, "report")

typedef enum peri_proposal_kind {
#define PERI_PROPOSAL_ENUM(name, word) PERI_PROPOSAL_##name,
    PERI_PROPOSAL_KIND_LIST(PERI_PROPOSAL_ENUM)
#undef PERI_PROPOSAL_ENUM
        PERI_PROPOSAL_KIND_COUNT
} peri_proposal_kind;

#define PERI_SEVERITY_LIST(X)                                                                  \
    X(NIT, "nit")                                                                              \
    X(CONCERN, "concern")                                                                      \
    X(BLOCKER, "blocker")

/// How much a proposal matters.
typedef enum peri_weight {
#define PERI_WEIGHT_ENUM(name, word) PERI_WEIGHT_##name,
    PERI_SEVERITY_LIST(PERI_WEIGHT_ENUM)
#undef PERI_WEIGHT_ENUM
        PERI_WEIGHT_COUNT
} peri_weight;

/// The way into the agent's context.
#define PERI_LANE_LIST(X)                                                                      \
    X(STEER, "steer")                                                                          \
    X(PROMPT, "prompt")                                                                        \
    X(FOLLOW_UP, "follow_up")                                                                  \
    X(HOLD, "hold")                                                                            \
    X(USER, "user")                                                                            \
    X(LOG, "log")

typedef enum peri_lane {
#define PERI_LANE_ENUM(name, word) PERI_LANE_##name,
    PERI_LANE_LIST(PERI_LANE_ENUM)
#undef PERI_LANE_ENUM
        PERI_LANE_COUNT
} peri_lane;

#define PERI_VERDICT_LIST(X)                                                                   \
    X(DELIVER, "deliver")                                                                      \
    X(DEFER, "defer")                                                                          \
    X(DROP, "drop")

typedef enum peri_verdict {
#define PERI_VERDICT_ENUM(name, word) PERI_VERDICT_##name,
    PERI_VERDICT_LIST(PERI_VERDICT_ENUM)
#undef PERI_VERDICT_ENUM
        PERI_VERDICT_COUNT
} peri_verdict;

enum {
    PERI_PROPOSAL_TEXT_CP = 300,      // default cap of an advisory or veto (design section 7)
    PERI_PROPOSAL_TEXT_MAX_CP = 2000, // its cap, and where a report is cut
    PERI_PROPOSAL_FINGERPRINT_CP = 512,
    PERI_PROPOSAL_MAX_EVIDENCE = 16,
};

/// One proposal, checked (spec PI-5). Owns its bytes in one block: free with free().
typedef struct peri_proposal {
    peri_str id; // stable in replay
    peri_str observer;
    peri_proposal_kind kind;
    peri_weight severity;
    peri_lane lane;    // of the definition's `deliver`; a veto's is always hold
    uint32_t priority; // 1-100, of the definition
    peri_str text, fingerprint;
    peri_str data;    // compact JSON of the author's table; may be absent
    peri_str invents; // id of a call whose outcome the text tells and that was never made (case
                      // C21); may be absent
    uint64_t evidence[PERI_PROPOSAL_MAX_EVIDENCE];
    uint32_t evidence_count;
    uint32_t step, turn; // where it was made
    int64_t at_wall_ms;
} peri_proposal;

/// The policies' verdict on one proposal.
typedef struct peri_decision {
    peri_verdict verdict;
    peri_lane lane;     // deliver and defer
    peri_str reason;    // never empty
    peri_str policy;    // whose word it was: a policy's name or "core"
    uint32_t ttl_turns; // defer: 0 means no own limit
} peri_decision;

peri_str peri_proposal_kind_word(peri_proposal_kind kind);
peri_str peri_weight_word(peri_weight weight);
peri_str peri_lane_word(peri_lane lane);
peri_str peri_verdict_word(peri_verdict verdict);
/// Back from words; the _COUNT of the list if unknown. Lanes also take pi's words: next_prompt
/// and next_turn mean steer, settle means follow_up.
peri_proposal_kind peri_proposal_kind_find(peri_str word);
peri_weight peri_weight_find(peri_str word);
peri_lane peri_lane_find(peri_str word);
peri_verdict peri_verdict_find(peri_str word);

/// A copy that owns its bytes, or NULL.
peri_proposal *peri_proposal_copy(const peri_proposal *proposal);

#endif
