// Joins calls and results by id, over what the pairing has not digested yet and the kept part
// of the turn: a result may come a digest later than its call. Called by digest.c; asked by
// element.c and slices.c.
#include "digest/joins.h"

static int join(peri_joins *joins, const peri_item *item) {
    bool call = item->kind == PERI_ITEM_TOOL_CALL, denial = item->kind == PERI_ITEM_TOOL_DENIED;
    if (!call && !denial && item->kind != PERI_ITEM_TOOL_RESULT) return PERI_OK;
    if (item->call_id.len == 0) return PERI_OK;
    peri_join *found = peri_map_get(&joins->by_id, item->call_id);
    if (!found) {
        found = peri_arena_zero(&joins->arena, sizeof *found);
        if (!found) return PERI_ENOMEM;
        int status = peri_map_set(&joins->by_id, item->call_id, found);
        if (status < 0) return status;
    }
    const peri_item **slot = call ? &found->call : denial ? &found->denial : &found->result;
    if (!*slot) *slot = item;
    return PERI_OK;
}

static int join_all(peri_joins *joins, const peri_item *const *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool ended = items[i]->kind == PERI_ITEM_TURN_ENDED;
        if (ended && items[i]->turn > joins->ended_turn) joins->ended_turn = items[i]->turn;
        int status = join(joins, items[i]);
        if (status < 0) return status;
    }
    return PERI_OK;
}

int peri_joins_init(peri_joins *joins, const peri_turn *turn, peri_str seed) {
    size_t most = turn->item_count + turn->log_count;
    joins->ended_turn = turn->turn > 0 ? turn->turn - 1 : 0;
    peri_map_init(&joins->by_id, most, peri_str_hash(seed, PERI_HASH_SEED));
    peri_arena_init(&joins->arena, most * 2 * sizeof(peri_join) + 1024);
    int status = join_all(joins, turn->log, turn->log_count);
    if (status == PERI_OK) status = join_all(joins, turn->items, turn->item_count);
    if (status < 0) peri_joins_deinit(joins);
    return status;
}

void peri_joins_deinit(peri_joins *joins) {
    peri_map_deinit(&joins->by_id);
    peri_arena_deinit(&joins->arena);
}

peri_join peri_joins_find(const peri_joins *joins, const peri_item *item) {
    const peri_join *found = NULL;
    if (item->call_id.len) found = peri_map_get(&joins->by_id, item->call_id);
    return found ? *found : (peri_join){0};
}
