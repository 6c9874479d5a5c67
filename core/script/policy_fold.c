// What goes into a policy's fold and what comes back. A proposal is known again by the identity
// of its table, so an invented or copied one is passed over; whatever else is not of the agreed
// shape is a problem that names the field.
#include <lauxlib.h>

#include "script/policy_fold.h"

enum { REASON_MAX_BYTES = 512 };

#define WORD(word)                                                                             \
    { word, sizeof(word) - 1 }
static const peri_str budget_keys[] = {WORD("advisories"), WORD("vetoes"), {0}};
static const peri_str verdict_keys[] = {
    WORD("verdict"), WORD("lane"), WORD("reason"), WORD("ttl_turns"), {0}};

// ---- reconcile

static void push_batch(lua_State *L, peri__pack *pack, const peri__fold *f) {
    lua_createtable(L, (int)f->given, 0);
    for (size_t i = 0; i < f->given; i++) {
        peri__proposal_push(L, pack, f->shown[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

// A reason is short text that says something; absent otherwise.
static peri_str reason_of(const peri__fold *f, int entry) {
    lua_State *L = f->reader.L;
    peri_str reason = {0};
    lua_pushliteral(L, "reason");
    lua_rawget(L, entry);
    if (lua_type(L, -1) == LUA_TSTRING) reason = peri__text_at(L, -1, f->reader.arena);
    lua_pop(L, 1);
    reason.len = peri_utf8_cut_bytes(reason, REASON_MAX_BYTES);
    return reason.len && !peri_utf8_blank(reason) ? reason : (peri_str){0};
}

// An entry without a proposal of this batch or without a reason is passed over: the core then
// drops that proposal with a reason of its own.
static void take_dropped(peri__fold *f, peri__pack *pack, int entry) {
    lua_State *L = f->reader.L;
    if (!lua_istable(L, entry)) return;
    lua_pushliteral(L, "proposal");
    lua_rawget(L, entry);
    size_t index = peri__proposal_find(L, pack, lua_gettop(L));
    lua_pop(L, 1);
    if (index == PERI_NPOS || f->seen[index]) return;
    peri_str reason = reason_of(f, entry);
    if (!reason.ptr) return;
    f->seen[index] = true;
    f->drop_reason[index] = reason;
    lua_pushliteral(L, "into");
    lua_rawget(L, entry);
    size_t into = peri__proposal_find(L, pack, lua_gettop(L));
    lua_pop(L, 1);
    f->into[index] = into == PERI_NPOS ? 0 : (uint32_t)into + 1;
}

static void take_kept(peri__fold *f, peri__pack *pack, int entry) {
    size_t index = peri__proposal_find(f->reader.L, pack, entry);
    if (index == PERI_NPOS || f->seen[index]) return;
    f->seen[index] = true;
    f->order[f->kept++] = (uint32_t)index;
}

static void each_entry(peri__fold *f, peri__pack *pack, int list,
                       void (*take)(peri__fold *f, peri__pack *pack, int entry)) {
    lua_State *L = f->reader.L;
    size_t count = lua_objlen(L, list);
    for (size_t i = 1; i <= count && i <= INT32_MAX; i++) {
        peri_vm_tick(L, 1);
        lua_rawgeti(L, list, (int)i);
        take(f, pack, lua_gettop(L));
        lua_pop(L, 1);
    }
}

static void read_reconcile(peri__fold *f, peri__pack *pack) {
    lua_State *L = f->reader.L;
    int kept = 1, dropped = 2;
    if (!lua_istable(L, kept)) {
        peri__problem(&f->reader, "reconcile returned a %s, not the list it keeps",
                      luaL_typename(L, kept));
    } else if (!lua_istable(L, dropped) && !lua_isnil(L, dropped)) {
        peri__problem(&f->reader, "reconcile returned a %s, not the list it drops",
                      luaL_typename(L, dropped));
    } else {
        if (lua_istable(L, dropped)) each_entry(f, pack, dropped, take_dropped);
        each_entry(f, pack, kept, take_kept); // what is both kept and dropped is dropped
    }
}

// ---- budget

static void push_budget(lua_State *L, const peri__fold *f) {
    lua_createtable(L, 0, 2);
    lua_pushnumber(L, f->budget.advisories);
    lua_setfield(L, -2, "advisories");
    lua_pushnumber(L, f->budget.vetoes);
    lua_setfield(L, -2, "vetoes");
}

// The table a budget or deliver fold returned, which must be one, stands at `index`.
static bool open_table(peri__fold *f, int index, const char *what, const peri_str *keys) {
    f->reader.index = index;
    if (lua_istable(f->reader.L, index)) return peri__read_keys(&f->reader, keys);
    peri__problem(&f->reader, "%s returned a %s, not a table", what,
                  luaL_typename(f->reader.L, index));
    return false;
}

static void read_budget(peri__fold *f, int index) {
    uint64_t advisories = UINT64_MAX, vetoes = UINT64_MAX;
    if (!open_table(f, index, "budget", budget_keys)) return;
    if (!peri__read_count(&f->reader, "advisories", UINT32_MAX, &advisories)) return;
    if (!peri__read_count(&f->reader, "vetoes", UINT32_MAX, &vetoes)) return;
    if (advisories == UINT64_MAX || vetoes == UINT64_MAX) {
        peri__problem(&f->reader, "budget returned no %s",
                      vetoes == UINT64_MAX ? "vetoes" : "advisories");
        return;
    }
    f->budget = (peri_budget){(uint32_t)advisories, (uint32_t)vetoes};
}

// ---- deliver

static void push_verdict(lua_State *L, const peri__fold *f) {
    const peri_decision *verdict = &f->verdict;
    lua_createtable(L, 0, 4);
    peri__str_push(L, peri_verdict_word(verdict->verdict));
    lua_setfield(L, -2, "verdict");
    peri__str_push(L, peri_lane_word(verdict->lane));
    lua_setfield(L, -2, "lane");
    peri__str_push(L, verdict->reason);
    lua_setfield(L, -2, "reason");
    if (verdict->ttl_turns == 0) return;
    lua_pushnumber(L, verdict->ttl_turns);
    lua_setfield(L, -2, "ttl_turns");
}

static void read_verdict(peri__fold *f, int index) {
    peri__reader *reader = &f->reader;
    peri_decision *verdict = &f->verdict;
    peri_str word = {0}, lane = {0}, reason = {0};
    uint64_t ttl_turns = 0;
    if (!open_table(f, index, "deliver", verdict_keys)) return;
    if (!peri__read_text(reader, "verdict", &word) || !peri__read_text(reader, "lane", &lane) ||
        !peri__read_text(reader, "reason", &reason) ||
        !peri__read_count(reader, "ttl_turns", UINT32_MAX, &ttl_turns))
        return;
    verdict->verdict = peri_verdict_find(word);
    if (lane.ptr) verdict->lane = peri_lane_find(lane); // without one, the lane stays
    verdict->reason = reason_of(f, index);
    verdict->ttl_turns = (uint32_t)ttl_turns;
    word = peri__quoted(word);
    lane = peri__quoted(lane);
    if (verdict->verdict == PERI_VERDICT_COUNT) {
        peri__problem(reader, "unknown verdict \"%.*s\"", PERI_FMT(word));
    } else if (verdict->lane == PERI_LANE_COUNT) {
        peri__problem(reader, "unknown lane \"%.*s\"", PERI_FMT(lane));
    } else if (!verdict->reason.ptr) {
        peri__problem(reader, "the verdict has no reason");
    }
}

// ---- All three

int peri__fold_push(lua_State *L, peri__pack *pack, const peri__fold *f) {
    switch (f->function) {
    case PERI__FN_RECONCILE:
        push_batch(L, pack, f);
        return 1;
    case PERI__FN_BUDGET:
        push_budget(L, f);
        return 1;
    default:
        push_verdict(L, f);
        peri__proposal_push(L, pack, 0);
        return 2;
    }
}

void peri__fold_read(peri__fold *f, peri__pack *pack) {
    if (f->function == PERI__FN_RECONCILE) read_reconcile(f, pack);
    if (f->function == PERI__FN_BUDGET) read_budget(f, 1);
    if (f->function == PERI__FN_DELIVER) read_verdict(f, 1);
}
