// Decisions on their way out: each is put into its frame, queued, and offered to the sink until
// it takes it or refuses; what was handed over is looked for in the agent's later stream.
// Nothing leaves twice. Without a sink nothing leaves: the state is would-deliver.
//
//   queued -> handed -> seen        queued -> expired: refused, too old, stopped
//
// What the agent then did about it is the host's to judge: followed, ignored, contradicted.
#ifndef PERI_DELIVERY_OUTBOX_H
#define PERI_DELIVERY_OUTBOX_H

#include "base/buf.h"
#include "base/clock.h"
#include "model/proposal.h"
#include "perilune/host.h"

enum {
    PERI_OUTBOX_MAX = 256, // queued at a time; the oldest expires
    PERI_HANDED_MAX = 256, // handed over and remembered; the oldest is forgotten
    PERI_QUEUE_TURNS = 3,  // a queued delivery expires that many turns after its proposal
    PERI_UNSEEN_TURNS = 3, // one that was handed over and not seen so long after it is overdue
    PERI_FRAME_NONCE_LEN = 8,
};

#define PERI_DELIVERY_STATE_LIST(X)                                                            \
    X(WOULD_DELIVER, "would-deliver")                                                          \
    X(QUEUED, "queued")                                                                        \
    X(HANDED, "handed")                                                                        \
    X(SEEN, "seen")                                                                            \
    X(EXPIRED, "expired")                                                                      \
    X(FOLLOWED, "followed")                                                                    \
    X(IGNORED, "ignored")                                                                      \
    X(CONTRADICTED, "contradicted")

typedef enum peri_delivery_state {
#define PERI_DELIVERY_ENUM(name, word) PERI_DELIVERY_##name,
    PERI_DELIVERY_STATE_LIST(PERI_DELIVERY_ENUM)
#undef PERI_DELIVERY_ENUM
        PERI_DELIVERY_STATE_COUNT
} peri_delivery_state;

peri_str peri_delivery_state_word(peri_delivery_state state);

/// Appends the frame around a proposal's text: where it comes from, that it is data of a
/// background observer without the user's authority (a veto: a claim to check), and one line of
/// text: what would break the line (controls, U+0085, U+2028, U+2029) becomes a blank. The
/// frame carries `nonce` at both ends; a text that imitates its tag is defused by a backslash.
void peri_delivery_frame(peri_buf *out, const peri_proposal *proposal, peri_str nonce);

typedef struct peri_outbox_entry peri_outbox_entry;

typedef struct peri_outbox {
    peri_outbox_entry *first, **last; // queued
    size_t count;
    peri_outbox_entry *handed, **handed_last; // the latest
    size_t handed_count, unseen_count;        // of those, not seen yet,
    size_t overdue_count;                     // and that for PERI_UNSEEN_TURNS
    uint64_t lost_count;                      // forgotten without having been seen
    peri_sink_fn sink;                        // NULL: none
    void *sink_user;
    /// Each change of a delivery's state. `reason` may be absent. Lent for the call.
    void (*on_state)(void *user, const peri_delivery *delivery, peri_delivery_state state,
                     peri_str reason);
    /// Asked before the sink is, and may say by which event and answer the delivery goes;
    /// PERI_EAGAIN leaves it queued. May be NULL.
    int (*before)(void *user, peri_delivery *delivery);
    /// The sink was asked and did not take it: it stays queued. May be NULL.
    void (*kept)(void *user, const peri_delivery *delivery);
    void *user;
} peri_outbox;

void peri_outbox_init(peri_outbox *outbox,
                      void (*on_state)(void *, const peri_delivery *, peri_delivery_state,
                                       peri_str),
                      void *user);
void peri_outbox_deinit(peri_outbox *outbox);

/// Frames and queues a delivery to (session, agent) in `lane`. PERI_ENOMEM, PERI_EDUP for a
/// proposal that is queued or was handed over already: each is told as expired.
PERI_MUST_USE int peri_outbox_add(peri_outbox *outbox, peri_str session, peri_str agent,
                                  peri_lane lane, const peri_proposal *proposal,
                                  peri_random *random);

/// Tells a delivery that is not to be made as would-deliver, with `reason`.
void peri_outbox_show(peri_outbox *outbox, peri_str session, peri_str agent, peri_lane lane,
                      const peri_proposal *proposal, peri_random *random, const char *reason);

/// Offers every queued delivery once, oldest first. Returns how many are still queued.
size_t peri_outbox_flush(peri_outbox *outbox);

/// Expires what is still queued for (session, agent) with `reason`; absent texts match all.
void peri_outbox_expire(peri_outbox *outbox, peri_str session, peri_str agent,
                        const char *reason);

/// Expires what is still queued and `is_over` says so of.
void peri_outbox_expire_if(peri_outbox *outbox,
                           bool (*is_over)(void *user, const peri_delivery *delivery),
                           void *user, const char *reason);

/// Expires what is queued for (session, agent) and was proposed PERI_QUEUE_TURNS before `turn`,
/// which has begun, and what was to hold the turn before; what is for the user stays. What was
/// handed over and not seen is overdue PERI_UNSEEN_TURNS after its proposal.
void peri_outbox_age(peri_outbox *outbox, peri_str session, peri_str agent, uint32_t turn);

/// Looks for frames in what the stream of (session, agent) shows: a delivery whose nonce stands
/// there has been seen. Returns how many were.
size_t peri_outbox_look(peri_outbox *outbox, peri_str session, peri_str agent, peri_str text);

#endif
