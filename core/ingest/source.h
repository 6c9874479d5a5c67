// One stream of records: lines framed, repaired, parsed, and turned into observations by a
// dialect that is given or found out. Counts everything; stops for nothing.
#ifndef PERI_INGEST_SOURCE_H
#define PERI_INGEST_SOURCE_H

#include "ingest/apply.h"
#include "ingest/frame.h"

typedef struct peri_ingest_counts {
    uint64_t lines, blank, records, observations;
    uint64_t raw;         // records no rule knows
    uint64_t invalid;     // records that lacked a field they must have
    uint64_t failed_maps; // records whose map function failed
    uint64_t malformed;   // lines that are no JSON object
    uint64_t torn;        // lines of which a part was lost
    uint64_t welded;      // further records on one line
    uint64_t repaired;    // characters and values mended
    uint64_t oversized;   // lines over the cap
    uint64_t unfinished;  // last lines without LF that were no whole record
    uint64_t bytes;
} peri_ingest_counts;

typedef enum peri_ingest_problem {
    PERI_PROBLEM_MALFORMED,
    PERI_PROBLEM_TORN,
    PERI_PROBLEM_OVERSIZED,
    PERI_PROBLEM_DEEP,
    PERI_PROBLEM_INVALID,
    PERI_PROBLEM_MAP,
} peri_ingest_problem;

peri_str peri_ingest_problem_word(peri_ingest_problem problem);

/// What a reader hears: observations, and problems with their place. All lent for the call.
typedef struct peri_ingest_events {
    void *user;
    peri_obs_fn on_observation;
    /// `line` 1-based, `offset` in bytes from the start of the stream (in a line whose UTF-8
    /// had to be repaired: as if its repaired form stood there). At most one a line.
    void (*on_problem)(void *user, peri_ingest_problem problem, uint64_t line, uint64_t offset,
                       peri_str message);
} peri_ingest_events;

typedef struct peri_reader {
    const peri_dialect *const *dialects; // the known ones; borrowed
    size_t dialect_count;
    const peri_dialect *dialect; // NULL until known
    bool refused;                // none fits: every record so far was foreign
    peri_framer framer;
    peri_json_doc doc;
    peri_arena arena;   // reset after every record
    peri_str peeked;    // the line that `doc` holds already; absent: none
    peri_buf mended;    // the current line with its UTF-8 repaired
    peri_buf undecided; // texts of the lines read before the dialect was known,
    peri_line undecided_lines[PERI_DETECT_RECORDS]; // and where they stood
    uint32_t tried;                                 // how many they are
    peri_ingest_counts counts;
    peri_ingest_events events;
} peri_reader;

/// `dialect` may be NULL: found out from the first PERI_DETECT_RECORDS
/// records, the most specific wins.
void peri_reader_init(peri_reader *reader, const peri_dialect *const *dialects, size_t count,
                      const peri_dialect *dialect, size_t max_line_bytes,
                      peri_ingest_events events);
void peri_reader_deinit(peri_reader *reader);

/// Reads at most one line out of `*chunk` and handles it. 1 if there was one, 0 if the chunk is
/// used up, PERI_ENOMEM (the line is lost and counted as torn).
PERI_MUST_USE int peri_reader_step(peri_reader *reader, peri_str *chunk);

/// Gives memory back between two bursts of a stream; what is held of an unfinished line stays.
void peri_reader_rest(peri_reader *reader);

/// End of the stream: a last line without LF is read if it is a whole record, and an undecided
/// stream is decided (PERI_EFORMAT if no dialect fits).
PERI_MUST_USE int peri_reader_finish(peri_reader *reader);

/// The time of the record in `line` (wall ms), without reading it: INT64_MIN + 1 if it tells
/// none. Uses the reader's document, so that what the last step lent is gone. The bytes of
/// `line` stay as they are until the next step, which need not parse them again.
int64_t peri_reader_peek_at(peri_reader *reader, peri_str line);

/// What the sidecar file says, applied to agents of this reader by the host: see peri_sidecar.
typedef struct peri_sidecar_facts {
    peri_str agent_name, parent; // in `arena` of the call
    bool observer;
    bool stopped; // by the user
} peri_sidecar_facts;
PERI_MUST_USE int peri_sidecar_read(const peri_sidecar *sidecar, peri_str text,
                                    peri_arena *arena, peri_sidecar_facts *out);

#endif
