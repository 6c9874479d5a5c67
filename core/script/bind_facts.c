// The view `ctx` of a policy: the facts the core counts, and proposals as
// plain tables. A policy may change or copy such a table as it likes; what it stands for is
// known by its identity alone, so no content can pass for another proposal.
#include <lauxlib.h>

#include "script/script_internal.h"

static const peri_policy_facts *facts_of(const peri__pack *pack) {
    return pack->live.facts;
}

static void set_number(lua_State *L, const char *name, double value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

// ---- Proposals

// Makes a proposal's table. In Lua, because a constructor fills a table of known keys in a
// fraction of the time that as many lua_setfield() take.
static const char maker[] =
    "return function(id, observer, kind, text, fingerprint, severity, priority, deliver, step,\n"
    "turn, evidence, data, invents) return { id = id, observer = observer, kind = kind, text = text,\n"
    "fingerprint = fingerprint, severity = severity, priority = priority, deliver = deliver,\n"
    "step = step, turn = turn, evidence = evidence, data = data,\n"
    "invents = invents } end";
enum { MAKER_ARGS = 13 };

void peri__proposals_open(lua_State *L, peri__pack *pack) {
    if (luaL_loadbuffer(L, maker, sizeof maker - 1, "=proposal") != 0) lua_error(L);
    lua_call(L, 0, 1);
    pack->maker_ref = luaL_ref(L, LUA_REGISTRYINDEX);
}

static void push_evidence(lua_State *L, const peri_proposal *p) {
    lua_createtable(L, (int)p->evidence_count, 0);
    for (uint32_t i = 0; i < p->evidence_count; i++) {
        lua_pushnumber(L, (lua_Number)p->evidence[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

static void push_data(lua_State *L, const peri_proposal *p) {
    if (!p->data.len || peri_vm_push_json(L, p->data) < 0) lua_pushnil(L);
}

void peri__proposal_push(lua_State *L, peri__pack *pack, size_t index) {
    const peri_proposal *p = pack->live.proposals[index];
    luaL_checkstack(L, MAKER_ARGS + LUA_MINSTACK, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, pack->maker_ref);
    peri__str_push(L, p->id);
    peri__str_push(L, p->observer);
    peri__str_push(L, peri_proposal_kind_word(p->kind));
    peri__str_push(L, p->text);
    peri__str_push(L, p->fingerprint);
    peri__str_push(L, peri_weight_word(p->severity));
    lua_pushnumber(L, p->priority);
    peri__str_push(L, peri_lane_word(p->lane));
    lua_pushnumber(L, p->step);
    lua_pushnumber(L, p->turn);
    push_evidence(L, p);
    push_data(L, p);
    peri__str_push(L, p->invents);
    lua_call(L, MAKER_ARGS, 1);
    peri__cache_push(L, pack); // table cache
    lua_pushvalue(L, -2);
    lua_pushinteger(L, (lua_Integer)index + 1); // table cache table index
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

size_t peri__proposal_find(lua_State *L, const peri__pack *pack, int at) {
    if (!lua_istable(L, at)) return PERI_NPOS;
    lua_pushvalue(L, at);
    peri__cache_push(L, pack);
    lua_insert(L, -2);
    lua_rawget(L, -2); // cache index
    size_t index = lua_isnumber(L, -1) ? (size_t)lua_tointeger(L, -1) - 1 : PERI_NPOS;
    lua_pop(L, 2);
    return index;
}

// ---- Questions about one proposal, fingerprint or observer

static const peri_proposal *proposal_arg(lua_State *L, const peri__pack *pack,
                                         const char *method) {
    size_t index = peri__proposal_find(L, pack, 1);
    if (index == PERI_NPOS) {
        luaL_error(L, "%s wants a proposal of this batch, not a %s", method,
                   luaL_typename(L, 1));
    }
    return pack->live.proposals[index];
}

static peri_str text_arg(lua_State *L, int at, const char *method) {
    if (lua_type(L, at) != LUA_TSTRING) {
        luaL_error(L, "%s wants text as argument %d, not a %s", method, at,
                   luaL_typename(L, at));
    }
    size_t len;
    const char *ptr = lua_tolstring(L, at, &len);
    return peri_str_of(ptr, len);
}

static int ctx_age(lua_State *L) {
    const peri__pack *pack = peri__method_pack(L);
    const peri_policy_facts *facts = facts_of(pack);
    lua_pushnumber(L, facts->age(facts->user, proposal_arg(L, pack, "age")));
    return 1;
}

static int ctx_similar(lua_State *L) {
    const peri__pack *pack = peri__method_pack(L);
    const peri_policy_facts *facts = facts_of(pack);
    lua_pushnumber(L, facts->similar(facts->user, proposal_arg(L, pack, "similar")));
    return 1;
}

static int ctx_new_input(lua_State *L) {
    const peri__pack *pack = peri__method_pack(L);
    const peri_policy_facts *facts = facts_of(pack);
    lua_pushboolean(L, facts->new_input(facts->user, proposal_arg(L, pack, "new_input")));
    return 1;
}

static int ctx_overtaken(lua_State *L) {
    const peri__pack *pack = peri__method_pack(L);
    const peri_policy_facts *facts = facts_of(pack);
    lua_pushboolean(L, facts->overtaken(facts->user, proposal_arg(L, pack, "overtaken")));
    return 1;
}

static int ctx_taken(lua_State *L) {
    const peri__pack *pack = peri__method_pack(L);
    const peri_policy_facts *facts = facts_of(pack);
    lua_pushboolean(L, facts->taken(facts->user, text_arg(L, 1, "taken")));
    return 1;
}

static int ctx_vetoes(lua_State *L) {
    const peri__pack *pack = peri__method_pack(L);
    const peri_policy_facts *facts = facts_of(pack);
    peri_str observer = text_arg(L, 1, "vetoes"), fingerprint = text_arg(L, 2, "vetoes");
    peri_veto_counts counts = facts->vetoes(facts->user, observer, fingerprint);
    lua_createtable(L, 0, 3);
    set_number(L, "key", counts.key);
    set_number(L, "observer", counts.observer);
    set_number(L, "session", counts.session);
    return 1;
}

static void push_age(lua_State *L, const peri__view *view) {
    peri__method_push(L, ctx_age);
}

static void push_similar(lua_State *L, const peri__view *view) {
    peri__method_push(L, ctx_similar);
}

static void push_new_input(lua_State *L, const peri__view *view) {
    peri__method_push(L, ctx_new_input);
}

static void push_overtaken(lua_State *L, const peri__view *view) {
    peri__method_push(L, ctx_overtaken);
}

static void push_taken(lua_State *L, const peri__view *view) {
    peri__method_push(L, ctx_taken);
}

static void push_vetoes(lua_State *L, const peri__view *view) {
    peri__method_push(L, ctx_vetoes);
}

// ---- Plain facts

static void push_left(lua_State *L, const peri__view *view) {
    lua_createtable(L, 0, 2);
    set_number(L, "advisories", facts_of(view->pack)->left.advisories);
    set_number(L, "vetoes", facts_of(view->pack)->left.vetoes);
}

static void push_limits(lua_State *L, const peri__view *view) {
    lua_createtable(L, 0, 2);
    set_number(L, "advisories_per_turn", facts_of(view->pack)->limits.advisories_per_turn);
    set_number(L, "veto_budget", facts_of(view->pack)->limits.veto_budget);
}

static void push_run_state(lua_State *L, const peri__view *view) {
    peri__str_push(L, peri_run_phase_word(facts_of(view->pack)->phase));
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

// The civil date of a day since 1970, by 400-year eras that begin on a 1st of March.
static void set_date(lua_State *L, int64_t day) {
    int64_t shifted = day + 719468;
    int64_t era = floor_div(shifted, 146097), of_era = shifted - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t march_month = (5 * of_year + 2) / 153;
    int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    int64_t before_month = (153 * march_month + 2) / 5;
    set_number(L, "day", (double)(of_year - before_month + 1));
    set_number(L, "month", (double)month);
    set_number(L, "year", (double)(year + era * 400 + (month <= 2)));
}

// wday counts from Sunday = 1, as os.date does.
static void push_local_time(lua_State *L, const peri__view *view) {
    const peri_policy_facts *facts = facts_of(view->pack);
    int64_t minutes = floor_div(facts->wall_ms, 60000) + facts->zone_min;
    int64_t day = floor_div(minutes, 1440), of_day = minutes - day * 1440;
    lua_createtable(L, 0, 6);
    int64_t hour = of_day / 60;
    set_number(L, "hour", (double)hour);
    set_number(L, "min", (double)(of_day % 60));
    set_number(L, "wday", (double)(day + 4 - floor_div(day + 4, 7) * 7 + 1));
    set_date(L, day);
}

static void push_state(lua_State *L, const peri__view *view) {
    peri__state_push(L, view->pack->live.state);
}

static const peri__field ctx_fields[] = {
    {"left", push_left, true},
    {"limits", push_limits, true},
    {"run_state", push_run_state, false},
    {"age", push_age, true},
    {"similar", push_similar, true},
    {"new_input", push_new_input, true},
    {"overtaken", push_overtaken, true},
    {"taken", push_taken, true},
    {"vetoes", push_vetoes, true},
    {"local_time", push_local_time, true},
    {"state", push_state, true},
    {0},
};

const peri__noun peri__noun_ctx = {.name = "ctx", .fields = ctx_fields, .writable = "state"};
