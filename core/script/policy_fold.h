// One fold of one policy in flight: what is given to it and what it answers. policy_engine.c
// makes the call, policy_fold.c turns C into Lua values and the answer back.
#ifndef PERI_SCRIPT_POLICY_FOLD_H
#define PERI_SCRIPT_POLICY_FOLD_H

#include "script/script_internal.h"

/// The answer is written here and handed over only when all went well.
typedef struct peri__fold {
    peri__policy *policy;
    int function; // PERI__FN_*
    peri__reader reader;
    peri_str saved_state, new_state;
    size_t given;          // reconcile: how many proposals are shown
    const uint32_t *shown; // their indexes
    uint32_t *order;       // what it keeps; room for all
    size_t kept;
    peri_str *drop_reason; // by index; absent: not dropped
    uint32_t *into;        // by index, of a dropped one: 1 + the one it joins
    bool *seen;            // by index: kept or dropped already
    peri_budget budget;    // budget
    peri_decision verdict; // deliver
} peri__fold;

/// Pushes the fold's arguments but ctx; returns how many.
int peri__fold_push(lua_State *L, peri__pack *pack, const peri__fold *fold);

/// Reads the answer, which stands from index 1 on; `fold->reader.problem` says what is wrong.
void peri__fold_read(peri__fold *fold, peri__pack *pack);

#endif
