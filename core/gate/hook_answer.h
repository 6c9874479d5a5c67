// What a managed PreToolUse hook said, and what several of them say together (spec CC-4).
// Always closed: whatever is not a clean allow or silence is a denial with its cause.
#ifndef PERI_GATE_HOOK_ANSWER_H
#define PERI_GATE_HOOK_ANSWER_H

#include "base/str.h"

/// In the order of their weight: of several answers the heaviest counts.
#define PERI_HOOK_VERDICT_LIST(X)                                                              \
    X(SILENT, "silent")                                                                        \
    X(ALLOW, "allow")                                                                          \
    X(ASK, "ask")                                                                              \
    X(DEFER, "defer")                                                                          \
    X(DENY, "deny")

typedef enum peri_hook_verdict {
#define PERI_HOOK_VERDICT_ENUM(name, word) PERI_HOOK_##name,
    PERI_HOOK_VERDICT_LIST(PERI_HOOK_VERDICT_ENUM)
#undef PERI_HOOK_VERDICT_ENUM
        PERI_HOOK_VERDICT_COUNT
} peri_hook_verdict;

/// How a hook's process ended.
typedef enum peri_hook_end {
    PERI_HOOK_EXITED,      // value: its code
    PERI_HOOK_SIGNALED,    // value: the signal
    PERI_HOOK_TIMED_OUT,   // value: its deadline in ms
    PERI_HOOK_NOT_STARTED, // value: errno, or 0
    PERI_HOOK_FLOODED,     // value: the most it may write
    PERI_HOOK_KIND,        // its type cannot be run here
} peri_hook_end;

typedef struct peri_hook_outcome {
    peri_hook_end end;
    int value;
    peri_str out, err; // what it wrote; borrowed
} peri_hook_outcome;

enum { PERI_HOOK_CAUSE_BYTES = 256, PERI_HOOK_OUT_MAX_BYTES = 64 * 1024 };

typedef struct peri_hook_answer {
    peri_hook_verdict verdict;
    char cause[PERI_HOOK_CAUSE_BYTES]; // one clause; "" for silence
} peri_hook_answer;

/// Reads one hook's end into an answer.
void peri_hook_answer_read(const peri_hook_outcome *outcome, peri_hook_answer *out);

/// The heaviest of `answers`, the first of equals; NULL if `count` is 0.
const peri_hook_answer *peri_hook_answers_merge(const peri_hook_answer *answers, size_t count);

#endif
