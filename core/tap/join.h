// Joins what several records, and several sources, tell of one agent, so that each fact is
// told once (cases C15, C16, C69): calls and results by the session and the call's id, records
// by their own id, texts without an id by what they say. Also knows which call started which
// agent. It stands before the tap and not in ingest because a source is not enough to see: a
// hook and a transcript are two, and the agent is one.
#ifndef PERI_TAP_JOIN_H
#define PERI_TAP_JOIN_H

#include "model/observation.h"
#include "tap/seen.h"
#include "tap/tap.h"

enum {
    PERI_JOIN_RECORDS = 1 << 18, // records remembered
    PERI_JOIN_CALLS = 1 << 16,
    PERI_JOIN_SPAWNS = 256, // calls that start agents
    PERI_JOIN_TEXTS = 64,   // of one agent, that another source may still tell
    PERI_JOIN_ID_BYTES = 64,
    PERI_JOIN_ASSEMBLED_BYTES = 256 * 1024,
};

/// A call that starts an agent, and the agent once it is known. Ids that are longer than
/// PERI_JOIN_ID_BYTES are not linked.
typedef struct peri_spawn {
    uint64_t session, record; // hashes; session 0: free
    char call_id[PERI_JOIN_ID_BYTES], child[PERI_JOIN_ID_BYTES], agent[PERI_JOIN_ID_BYTES];
} peri_spawn;

/// What a host knows of all its agents.
typedef struct peri_joiner {
    peri_seen records, voids, calls; // told, retracted; calls with what is known of them
    peri_spawn *spawns;              // owned; a ring
    size_t spawn_count;
    peri_json_doc doc;
    uint64_t repeat_count, withdrawn_count;
} peri_joiner;

void peri_joiner_init(peri_joiner *joiner);
void peri_joiner_deinit(peri_joiner *joiner);

typedef struct peri_told {
    uint64_t text;   // hash
    uint32_t source; // 0: free, or told by a second source already
    bool has_record; // records with ids of their own are never each other's twins
} peri_told;

/// What is known of one agent.
typedef struct peri_join {
    peri_told told[PERI_JOIN_TEXTS]; // a ring
    size_t told_count;
    uint64_t last_text; // hash of the last thing it said
    peri_buf pieces;    // of a text that comes in no other form
    size_t left_out;    // code points of it that found no room
    char pieces_answer[PERI_JOIN_ID_BYTES];
    peri_obs assembled; // the text they become
    bool assembling;
} peri_join;

void peri_join_init(peri_join *join);
void peri_join_deinit(peri_join *join);

/// Where an observation comes from.
typedef struct peri_join_source {
    uint32_t number; // 1-based
    bool local_ids;  // its call ids mean nothing elsewhere
} peri_join_source;

typedef enum peri_join_verdict {
    PERI_JOIN_NEW,
    PERI_JOIN_REPEAT, // told before, by this source or another: leave it out
    PERI_JOIN_MORE,  // told before, now better: it has become a tool-output that mends the item
    PERI_JOIN_QUIET, // for the record only: an observer was shown it already
} peri_join_verdict;

/// Settles whose observation this is: an agent known by the call that started it gets its own
/// key, type and parent. Learns such links from what it sees. Texts put into `obs` live until
/// the next call.
void peri_joiner_place(peri_joiner *joiner, peri_obs *obs);

/// What there is to say about an observation whose agent is known.
peri_join_verdict peri_join_check(peri_joiner *joiner, peri_join *join, peri_join_source source,
                                  peri_obs *obs);

/// True if a call of this id, or its result, was told by `source` (by any, where ids are good
/// everywhere) and is remembered.
bool peri_join_has_call(const peri_joiner *joiner, peri_str session, peri_join_source source,
                        peri_str call_id);

/// A text put together from pieces (text-deltas marked `assemble`) that is complete now that
/// `next` comes (NULL: the end); NULL if there is none, and `next` is kept if it is a piece.
/// Ask until it is NULL. It lacks session and agent; valid until the next call.
peri_obs *peri_join_assembled(peri_join *join, const peri_obs *next);

/// Takes back what `obs` says is void. Returns how many items an observer will not be shown.
size_t peri_join_withdraw(peri_joiner *joiner, const peri_obs *obs, uint32_t turn,
                          peri_tap *tap);

/// Gives the kept item of a call's result what `obs` knows and it does not; with PERI_JOIN_MORE
/// its text too. PERI_ENOMEM leaves it as it was.
PERI_MUST_USE int peri_join_mend(const peri_obs *obs, peri_join_verdict verdict, peri_tap *tap);

#endif
