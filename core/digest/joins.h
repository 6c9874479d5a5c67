// Calls and results of one digest joined by call id, whatever their order (case C14). Never by
// position or name: what has no partner stays alone.
#ifndef PERI_DIGEST_JOINS_H
#define PERI_DIGEST_JOINS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/turn.h"

typedef struct peri_join {
    const peri_item *call, *result, *denial; // each NULL if there is none
} peri_join;

typedef struct peri_joins {
    peri_map by_id; // call id -> peri_join
    peri_arena arena;
    uint32_t ended_turn; // calls up to this turn get no result any more
} peri_joins;

/// Joins what `turn` holds. PERI_ENOMEM, then with nothing to free.
PERI_MUST_USE int peri_joins_init(peri_joins *joins, const peri_turn *turn, peri_str seed);
void peri_joins_deinit(peri_joins *joins);

/// What shares `item`'s call id; all NULL if it has none.
peri_join peri_joins_find(const peri_joins *joins, const peri_item *item);

#endif
