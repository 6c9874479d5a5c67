// What tells the three layouts apart, as data, and the writer that
// everything of one document goes through.
#ifndef PERI_DIGEST_LAYOUT_H
#define PERI_DIGEST_LAYOUT_H

#include "digest/digest.h"
#include "digest/frame.h"
#include "digest/joins.h"

typedef struct peri_layout_rules {
    bool nonces;                      // every tag carries the delivery's nonce
    bool utf16;                       // caps count UTF-16 units, not code points
    bool rich;                        // attributes id, tool, error, exit, state, unpaired
    bool messages_apart;              // each message stands in a block of its own
    bool machine_as_user;             // machine text is shown as a user message
    size_t max_units;                 // of all elements together; SIZE_MAX: only bytes count
    size_t max_bytes;                 // of the document
    size_t cap[PERI_ITEM_KIND_COUNT]; // of each kind's body; 0: the kind is not shown
} peri_layout_rules;

peri_layout_rules peri__layout_rules(const peri_digest_options *options);

typedef struct peri_writer {
    const peri_digest_options *options;
    const peri_joins *joins;
    peri_layout_rules rules;
    peri_cleaner cleaner;
    peri_clean agent; // the observed agent's type; lives in `agent_bytes`
    peri_str nonce;   // as tags carry it, in `nonce_bytes`; absent: they carry none
    char agent_bytes[PERI_CLEAN_NAME_BYTES];
    char nonce_bytes[PERI_NONCE_LEN + 9];
} peri_writer;

/// element.c: true if the item is shown at all (blank texts are not).
bool peri__element_shown(const peri_writer *writer, const peri_item *item);

/// element.c: appends the item's element, its body cut to at most `cap` units.
void peri__element_write(peri_writer *writer, const peri_item *item, size_t cap, peri_buf *out);

/// The item's cap under the rules.
static inline size_t peri__element_cap(const peri_writer *writer, const peri_item *item) {
    return writer->rules.cap[item->kind];
}

// An element written but not placed yet.
typedef struct peri_piece {
    const peri_item *item;
    size_t from, len; // in the scratch buffer
} peri_piece;

/// The newest items of a list that fit a ceiling, as elements.
typedef struct peri_picked {
    peri_piece *pieces; // newest first
    size_t count;
    size_t left_out; // older items there was no room for
    peri_buf scratch;
    size_t bytes_left, units_left;
    bool has_body;
} peri_picked;

/// blocks.c: picks from the newest of `items` back, so that peri__picked_write() appends at
/// most `max_bytes`. PERI_ENOMEM. Deinit in any case.
PERI_MUST_USE int peri__picked_init(peri_picked *picked, peri_writer *writer,
                                    const peri_item *const *items, size_t count,
                                    size_t max_bytes);
void peri__picked_deinit(peri_picked *picked);

/// blocks.c: appends the picked elements, one block a step.
void peri__picked_write(const peri_picked *picked, const peri_writer *writer, peri_buf *out);

/// slices.c: appends the sections the observer asked for, within
/// `max_bytes`. PERI_ELIMIT, PERI_ENOMEM.
PERI_MUST_USE int peri__slices_write(peri_writer *writer, const peri_turn *turn,
                                     const peri_observer *observer, size_t max_bytes,
                                     peri_buf *out, size_t *left_out);

/// call_list.c: appends the turn's calls with their results, first and last ones kept, within
/// `max_bytes`. `*calls` is how many there were, `*left_out` how many of them are not shown.
PERI_MUST_USE int peri__calls_write(peri_writer *writer, const peri_turn *turn,
                                    size_t max_bytes, peri_buf *out, size_t *calls,
                                    size_t *left_out);

/// True if the observer asks for anything but the default slice.
bool peri__slices_wanted(const peri_observer *observer);

static inline peri_frame peri__writer_frame(const peri_writer *writer, peri_buf *out) {
    return (peri_frame){out, writer->nonce};
}

#endif
