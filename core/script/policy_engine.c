// The engine under core/policy: calls one fold of one policy within the VM's budget. A fold
// that fails leaves batch, budget, decision and ctx.state as they were. Which policies run, how
// often one may fail, and all ceilings are the core's business.
#include <lauxlib.h>
#include <stdlib.h>

#include "script/policy_fold.h"

// ---- ctx.state of (policy, session)

typedef struct state_row {
    peri_str session, json; // in `bytes`
    char bytes[];
} state_row;

static int save_state(peri__policy *policy, peri_str session, peri_str json) {
    if (!json.ptr) return PERI_OK;
    state_row *row = malloc(sizeof *row + session.len + json.len);
    if (!row) return PERI_ENOMEM;
    if (session.len) memcpy(row->bytes, session.ptr, session.len);
    memcpy(row->bytes + session.len, json.ptr, json.len);
    row->session = peri_str_of(row->bytes, session.len);
    row->json = peri_str_of(row->bytes + session.len, json.len);
    state_row *before = peri_map_get(&policy->states, session);
    int status = peri_map_set(&policy->states, row->session, row);
    free(status < 0 ? row : before);
    return status;
}

// A state that is kept elsewhere is fetched once; that there is none is noted as well.
static peri_str saved_state(peri__policy *policy, peri_str session, peri_arena *arena) {
    const state_row *row = peri_map_get(&policy->states, session);
    const peri_state_keeper *keeper = &policy->unit.pack->script->keeper;
    if (!row && keeper->load) {
        peri_str kept = keeper->load(keeper->user, session, policy->unit.name, arena);
        int status = save_state(policy, session, kept.ptr ? kept : PERI_STR("{}"));
        if (status < 0) return kept;
        row = peri_map_get(&policy->states, session);
    }
    return row ? row->json : (peri_str){0};
}

static int keep_state(peri__policy *policy, peri_str session, peri_str json) {
    const peri_state_keeper *keeper = &policy->unit.pack->script->keeper;
    int status = save_state(policy, session, json);
    if (status == PERI_OK && json.ptr && keeper->save)
        keeper->save(keeper->user, session, policy->unit.name, json);
    return status;
}

void peri__policy_free(peri__policy *policy) {
    if (!policy) return;
    size_t at = 0;
    for (peri_map_slot *slot; (slot = peri_map_next(&policy->states, &at));) free(slot->value);
    peri_map_deinit(&policy->states);
    peri__unit_deinit(&policy->unit);
    free(policy);
}

// ---- The call all folds share

// The state stands in the call's cache if the policy ever touched it.
static void read_state(lua_State *L, peri__pack *pack, peri__fold *f) {
    peri__cache_push(L, pack);
    lua_pushliteral(L, "state");
    lua_rawget(L, -2);
    f->reader.index = lua_gettop(L);
    if (lua_isnil(L, -1)) return;
    (void)peri__state_read(&f->reader, f->saved_state, &f->new_state);
}

static void fold_body(lua_State *L, peri__pack *pack, void *arg) {
    peri__fold *f = arg;
    f->reader.L = L;
    lua_rawgeti(L, LUA_REGISTRYINDEX, f->policy->unit.refs[f->function]);
    if (!lua_isfunction(L, 1)) luaL_error(L, "loaded again, the policy has lost a function");
    int nargs = peri__fold_push(L, pack, f);
    peri__view_push(L, pack, PERI__CTX, 0);
    lua_call(L, nargs + 1, f->function == PERI__FN_RECONCILE ? 2 : 1);
    peri__fold_read(f, pack);
    if (!f->reader.problem.ptr) read_state(L, pack, f);
}

static int run_fold(peri__fold *f, peri_str session, peri__live live, peri_str *error) {
    peri__unit *unit = &f->policy->unit;
    f->saved_state = live.state = saved_state(f->policy, session, live.arena);
    f->reader = (peri__reader){.pack = unit->pack, .arena = live.arena};
    peri_str text = {0};
    int status = peri__unit_ready(unit, live.arena, &text);
    if (status >= 0) status = peri__pack_call(unit->pack, fold_body, f, &live, &text);
    if (status >= 0 && f->reader.problem.ptr) {
        text = f->reader.problem;
        status = PERI_ESCRIPT;
    }
    if (status >= 0) status = keep_state(f->policy, session, f->new_state);
    if (status >= 0) return 1;
    *error = text.ptr ? text : peri_str_c(peri_status_message(status));
    return status == PERI_ETIMEOUT ? PERI_ETIMEOUT : PERI_ESCRIPT;
}

// The policy, if it has that fold.
static peri__policy *find_fold(void *user, size_t policy, int function) {
    peri_script *script = user;
    if (policy >= script->policy_count) return NULL;
    peri__policy *found = script->policies[policy];
    return found->has[function] ? found : NULL;
}

// ---- The engine's functions

static int reconcile(void *user, size_t policy, peri_str session,
                     const peri_policy_facts *facts, peri_policy_batch *batch,
                     peri_arena *arena, peri_str *error) {
    peri__fold f = {.policy = find_fold(user, policy, PERI__FN_RECONCILE),
                    .function = PERI__FN_RECONCILE,
                    .given = batch->kept,
                    .shown = batch->order};
    if (!f.policy) return 0;
    f.order = peri_arena_zero(arena, batch->count * sizeof *f.order);
    f.drop_reason = peri_arena_zero(arena, batch->count * sizeof *f.drop_reason);
    f.into = peri_arena_zero(arena, batch->count * sizeof *f.into);
    f.seen = peri_arena_zero(arena, batch->count * sizeof *f.seen);
    if (!f.order || !f.drop_reason || !f.into || !f.seen) {
        *error = PERI_STR("out of memory");
        return PERI_ESCRIPT;
    }
    peri__live live = {
        .arena = arena, .facts = facts, .proposals = batch->all, .proposal_count = batch->kept};
    int status = run_fold(&f, session, live, error);
    if (status < 0) return status;
    for (size_t i = 0; i < batch->count; i++) {
        if (f.drop_reason[i].ptr) batch->drop_reason[i] = f.drop_reason[i];
        if (batch->into && f.drop_reason[i].ptr) batch->into[i] = f.into[i];
    }
    memcpy(batch->order, f.order, f.kept * sizeof *f.order);
    batch->kept = f.kept;
    return status;
}

static int budget(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                  peri_budget *left, peri_arena *arena, peri_str *error) {
    peri__fold f = {.policy = find_fold(user, policy, PERI__FN_BUDGET),
                    .function = PERI__FN_BUDGET,
                    .budget = *left};
    if (!f.policy) return 0;
    peri__live live = {.arena = arena, .facts = facts};
    int status = run_fold(&f, session, live, error);
    if (status >= 0) *left = f.budget;
    return status;
}

static int deliver(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                   const peri_proposal *proposal, peri_decision *decision, peri_arena *arena,
                   peri_str *error) {
    peri__fold f = {.policy = find_fold(user, policy, PERI__FN_DELIVER),
                    .function = PERI__FN_DELIVER,
                    .verdict = *decision};
    if (!f.policy) return 0;
    peri__live live = {
        .arena = arena, .facts = facts, .proposals = &proposal, .proposal_count = 1};
    int status = run_fold(&f, session, live, error);
    if (status >= 0) *decision = f.verdict;
    return status;
}

static size_t count(void *user) {
    return ((const peri_script *)user)->policy_count;
}

static peri_str name(void *user, size_t policy) {
    const peri_script *script = user;
    return policy < script->policy_count ? script->policies[policy]->unit.name : (peri_str){0};
}

peri_policy_engine peri_script_policies(peri_script *script) {
    return (peri_policy_engine){.user = script,
                                .count = count,
                                .name = name,
                                .reconcile = reconcile,
                                .budget = budget,
                                .deliver = deliver};
}
