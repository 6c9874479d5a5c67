// Frames activity as a read-only document for an observer: caps, escaping, nonce, postamble, in
// one of three layouts (spec CC-7). Whatever the items hold, the document has exactly the
// structure written here. Called by host.c for every run; never decides who is shown what.
#ifndef PERI_DIGEST_DIGEST_H
#define PERI_DIGEST_DIGEST_H

#include "base/buf.h"
#include "model/turn.h"

enum {
    PERI_DIGEST_MAX_BYTES = 64000,
    PERI_DIGEST_CAP_BYTES = 256 * 1024,
    PERI_DIGEST_FIELD_CP = 2000,
    PERI_DIGEST_FIELD_CAP_CP = 64000,
    PERI_NONCE_LEN = 8,
};

typedef struct peri_scrub peri_scrub; // scrub.h

typedef struct peri_digest_options {
    peri_layout layout;
    peri_str name;           // the observed agent's type; reduced to [A-Za-z0-9_-]
    peri_str nonce;          // PERI_NONCE_LEN characters of [A-Za-z0-9_-]
    peri_str message;        // observerMessage; may be absent
    peri_outcome last;       // rich: of the observer's last proposal; without verdict: none
    const peri_scrub *scrub; // NULL: raw text
    size_t max_bytes;  // at most PERI_DIGEST_CAP_BYTES; 0: PERI_DIGEST_MAX_BYTES for rich,
                       // the cap for the claude layouts, which count UTF-16 units
    uint32_t field_cp; // rich layout, 0: PERI_DIGEST_FIELD_CP; at most the cap
    bool no_results;   // observeToolResults is false: tool results are left out
} peri_digest_options;

typedef struct peri_digest_stats {
    size_t bytes;
    size_t items;         // of the turn's items, those there was room for
    size_t dropped_items; // by the tap or for want of room
    size_t truncated_fields, scrubbed, neutralised;
} peri_digest_stats;

/// Appends the whole document for `turn->items` to `out`: neighbours of the same `step` form
/// one block. If `observer` (may be NULL) sees other slices than activity, the document has
/// their sections instead. PERI_OK, also if there is nothing to show (then nothing is
/// appended); PERI_EINVAL, PERI_ENOMEM; PERI_ELIMIT if not even the empty frame fits
/// `max_bytes`, or `out` is too small. `stats` may be NULL.
PERI_MUST_USE int peri_digest_write(const peri_digest_options *options, const peri_turn *turn,
                                    const peri_observer *observer, peri_buf *out,
                                    peri_digest_stats *stats);

/// The framing prompt that starts an observer (spec CC-11): whom it watches, the envelope,
/// silence.
void peri_digest_intro(peri_buf *out, const peri_digest_options *options, peri_str observer);

#endif
