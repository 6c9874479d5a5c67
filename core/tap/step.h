// Groups one agent's observations into steps and turns, and says when a
// trigger is due. A step is one model answer with the results of its calls; a turn reaches from
// a prompt to the agent settling. Decides nothing about observers.
#ifndef PERI_TAP_STEP_H
#define PERI_TAP_STEP_H

#include "model/activity.h"

/// What the stepper says, in order. All lent for the call.
typedef struct peri_step_events {
    /// An item of activity to keep; its step and turn are set.
    void (*on_item)(void *user, const peri_item *item);
    /// A turn began; `human`: with a person's words. Comes behind the prompt's item.
    void (*on_turn_start)(void *user, uint32_t turn, bool human);
    /// A tool's result or denial was kept.
    void (*on_result)(void *user, bool denied);
    /// Step `step` is complete. `ending`: the agent is about to stop, or tried to.
    void (*on_step_end)(void *user, uint32_t step, bool ending);
    /// The turn is over.
    void (*on_settled)(void *user, peri_str reason);
} peri_step_events;

enum {
    PERI_REASON_MAX = 48,
    PERI_TURN_MAX_RAW = 32, // records of unknown kinds kept of a turn, not to crowd it out
};

typedef struct peri_stepper {
    uint32_t step, turn; // of the step that is open or was last
    uint32_t raw_count;  // of unknown records kept, since the turn began
    uint64_t answer;     // hash of the open step's answer id; 0: it has none
    bool turn_open;
    bool answered; // the open step holds some of a model's answer
    bool called;   // and of its calls
    bool resulted; // and a result of one of its calls
    bool filled;   // and anything at all
    bool muted;    // the turn was opened by an observer's report alone: nothing of it is kept
    bool may_end;  // the answer said it was the last; a stop hook may still hold it
    bool held;     // it did: the step is ending, the turn is not
    bool live;     // somebody waits at a stop: its step ends there, not with what becomes of it
    bool asked;    // it did, and its end is not known yet
    bool marked; // the stream says where steps end: nothing else ends one of an answer without
                 // id
    char reason[PERI_REASON_MAX]; // of may_end
    size_t reason_len;
} peri_stepper;

void peri_stepper_init(peri_stepper *stepper);

/// Takes the next observation of the agent.
void peri_stepper_feed(peri_stepper *stepper, const peri_obs *obs,
                       const peri_step_events *events, void *user);

/// The stream ended: an end that was only possible is now certain; an open step is closed.
void peri_stepper_finish(peri_stepper *stepper, const peri_step_events *events, void *user);

/// True if a turn's `reason` says that the user stopped it: interrupted, aborted, cancelled.
bool peri_reason_is_stop(peri_str reason);

/// True for a prompt that is an observer's report coming back (spec CC-8).
bool peri_origin_is_echo(peri_str origin);

/// Hash of a result's text; equal texts give equal hashes.
uint64_t peri_item_output_hash(const peri_text *output);

/// The item an observation becomes; false if it is none. Texts
/// are borrowed from the observation.
bool peri_item_of(const peri_obs *obs, peri_item *out);

#endif
