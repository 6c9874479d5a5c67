/// @file record.h
/// What a host says of its work: one stream of records, in order, without gaps.
///
/// Part of the perilune C API; include <perilune/perilune.h>. Records are lent to a callback
/// and die with it; copy what is to outlive it.
#ifndef PERILUNE_RECORD_H
#define PERILUNE_RECORD_H

#include "perilune/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of records and their word in JSON.
#define PERI_RECORD_KIND_LIST(X)                                                               \
    X(OBSERVATION, "observation")                                                              \
    X(PAIRING, "pairing")                                                                      \
    X(DIGEST, "digest")                                                                        \
    X(RUN, "run")                                                                              \
    X(PROPOSAL, "proposal")                                                                    \
    X(DECISION, "decision")                                                                    \
    X(DELIVERY, "delivery")                                                                    \
    X(USAGE, "usage")                                                                          \
    X(WARNING, "warning")                                                                      \
    X(SUMMARY, "summary")

typedef enum peri_record_kind {
#define PERI_RECORD_ENUM(name, word) PERI_RECORD_##name,
    PERI_RECORD_KIND_LIST(PERI_RECORD_ENUM)
#undef PERI_RECORD_ENUM
        PERI_RECORD_KIND_COUNT
} peri_record_kind;

/// One record. Which texts are set depends on the kind; an absent one has `ptr` NULL. New
/// fields are only ever added at the end: check `struct_size` before reading one that a newer
/// header names.
///
/// | kind | id | state | text | reason | and |
/// |---|---|---|---|---|---|
/// | observation | - | its kind | what it shows, 2,000 characters | - | name, call_id |
/// | pairing | task id | armed denied retired stopped disabled | - | why | observer, name |
/// | digest | digest id | layout | excerpt, 4 KiB | - | observer, hash; count: bytes |
/// | run | digest id | how it ended (below) | error | - | observer; count: failures in a row |
/// | proposal | its id | advisory veto report | its text | - | severity, fingerprint, lane |
/// | decision | proposal id | deliver defer drop | - | why | lane, policy; trigger: released;
/// name: shadow | | delivery | proposal id | would-deliver queued handed seen expired | frame |
/// why | lane; name: EVENT.ANSWER it was handed to | | delivery | proposal id | followed
/// ignored contradicted | - | why | lane; trigger: its state before | | usage | - | model | - |
/// - | count: output tokens | | warning | - | stable id | what is wrong | what to do | file |
/// | summary | - | - | lines for people | - | - |
///
/// Whether a note was followed is judged by the agent's next steps (`perilune precision`). A
/// decision named shadow is of an observer in shadow: nothing of it is delivered.
///
/// A run is silent, proposed, skipped (its wake() said no), failed, timeout, no-runtime or
/// abandoned (the host ended, or its observer was stopped, before it answered). It has exactly
/// one such record. Secrets are replaced in all texts (and in `json` and `event`) unless the
/// configuration says otherwise.
typedef struct peri_record {
    size_t struct_size;
    peri_record_kind kind;
    uint64_t seq;       // host-wide, gap-free, from 1
    int64_t at_wall_ms; // when it happened, on the host's clock
    peri_str session, agent;
    peri_str id, observer, state, text, reason, lane, policy, severity, fingerprint;
    peri_str name, call_id, nonce, hash, file;
    uint64_t step, turn, count;
    peri_str trigger; // run, digest: which one
    peri_str json;    // the whole record as one JSON object, without a line end
    peri_str event;   // observation: it alone as one AgentObservation; dialect `observations`
} peri_record;

/// The word of a record kind, such as "decision"; never NULL.
PERI_API const char *peri_record_kind_name(peri_record_kind kind);

#ifdef __cplusplus
}
#endif

#endif
