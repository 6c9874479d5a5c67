// Decisions on their way out: each is put into its frame, queued, and offered to the sink until
// it takes it or refuses. Without a sink nothing leaves: the state is would-deliver.
#ifndef PERI_DELIVERY_OUTBOX_H
#define PERI_DELIVERY_OUTBOX_H

#include "base/buf.h"
#include "base/clock.h"
#include "model/proposal.h"
#include "perilune/host.h"

enum { PERI_OUTBOX_MAX = 256, PERI_FRAME_NONCE_LEN = 8 };

#define PERI_DELIVERY_STATE_LIST(X)                                                            \
    X(WOULD_DELIVER, "would-deliver")                                                          \
    X(QUEUED, "queued")                                                                        \
    X(HANDED, "handed")                                                                        \
    X(SEEN, "seen")                                                                            \
    X(EXPIRED, "expired")

typedef enum peri_delivery_state {
#define PERI_DELIVERY_ENUM(name, word) PERI_DELIVERY_##name,
    PERI_DELIVERY_STATE_LIST(PERI_DELIVERY_ENUM)
#undef PERI_DELIVERY_ENUM
        PERI_DELIVERY_STATE_COUNT
} peri_delivery_state;

peri_str peri_delivery_state_word(peri_delivery_state state);

/// Appends the frame around a proposal's text: where it comes from, that it is data of a
/// background observer without the user's authority (a veto: a claim to check), and one line of
/// text. The frame carries `nonce` at both ends; a text that imitates it is defused by a
/// backslash.
void peri_delivery_frame(peri_buf *out, const peri_proposal *proposal, peri_str nonce);

typedef struct peri_outbox_entry peri_outbox_entry;

typedef struct peri_outbox {
    peri_outbox_entry *first, **last;
    size_t count;
    peri_sink_fn sink; // NULL: none
    void *sink_user;
    /// Each change of a delivery's state. `reason` may be absent. Lent for the call.
    void (*on_state)(void *user, const peri_delivery *delivery, peri_delivery_state state,
                     peri_str reason);
    void *user;
} peri_outbox;

void peri_outbox_init(peri_outbox *outbox,
                      void (*on_state)(void *, const peri_delivery *, peri_delivery_state,
                                       peri_str),
                      void *user);
void peri_outbox_deinit(peri_outbox *outbox);

/// Frames and queues a delivery to (session, agent) in `lane`. PERI_ELIMIT at PERI_OUTBOX_MAX
/// (reported as expired), PERI_ENOMEM.
PERI_MUST_USE int peri_outbox_add(peri_outbox *outbox, peri_str session, peri_str agent,
                                  peri_lane lane, const peri_proposal *proposal,
                                  peri_random *random);

/// Offers every queued delivery once, oldest first. Returns how many are still queued.
size_t peri_outbox_flush(peri_outbox *outbox);

/// Expires what is still queued for a session (absent: for all) with `reason`.
void peri_outbox_expire(peri_outbox *outbox, peri_str session, const char *reason);

#endif
