// What one observer may see of its agent when it is woken: borrowed, read-only, dead after the
// call.
#ifndef PERI_MODEL_TURN_H
#define PERI_MODEL_TURN_H

#include "model/activity.h"
#include "model/observer.h"

/// What became of the observer's last proposal; absent texts if it never made one.
typedef struct peri_outcome {
    peri_str text, fingerprint, verdict, lane, reason, state;
} peri_outcome;

/// A note or a skill that observers may remind the agent of.
typedef struct peri_recall {
    peri_str name;        // the note's file without `.md`; the skill's own name
    peri_str description; // one line
    peri_str text;        // a note's body, at most PERI_RECALL_TEXT_CP; absent for skills
} peri_recall;

enum { PERI_RECALL_MAX = 128, PERI_RECALL_TEXT_CP = 2000 };

typedef struct peri_turn {
    peri_str session, agent, agent_name, cwd; // cwd may be absent
    peri_trigger trigger;
    uint32_t step, turn;           // 1-based; the step just ended
    const peri_item *const *items; // not yet digested by this pairing, in order
    size_t item_count;
    size_t dropped_count;        // items the tap had to drop before them
    const peri_item *const *log; // all kept items of the current turn, in order
    size_t log_count;
    size_t log_dropped_count;  // items of this turn that the bounded log lost
    peri_str last_user;        // the human's last message (its kept head); may be absent
    peri_usage usage;          // of the agent's answers so far
    peri_usage last_usage;     // of its last answer: what its context holds now
    bool ending;               // the agent is about to stop
    const peri_goal *goal;     // NULL: none declared
    const peri_recall *memory; // notes the user keeps
    size_t memory_count;
    const peri_recall *skills; // those the agent could load
    size_t skill_count;
} peri_turn;

/// One call of the turn, joined with its result by id.
typedef struct peri_call {
    const peri_item *call;   // never NULL
    const peri_item *result; // NULL while none came; a tool_denied item if it was refused
} peri_call;

/// Joins the calls of `log` with their results in any order; at most `max` of them, the last
/// ones. Returns how many were written to `out`.
size_t peri_turn_calls(const peri_turn *turn, peri_call *out, size_t max);

/// How often `call` was made in this turn with the same name and input, itself included;
/// `*same_result` (may be NULL) how often with the same result too.
size_t peri_turn_repeats(const peri_turn *turn, const peri_item *call, size_t *same_result);

#endif
