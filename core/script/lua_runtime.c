// The runtime of Lua observers: one wake, one protected call, at most one draft. Whatever the
// script does (loops, bombs, throws, returns junk), it fails alone and is told apart in
// peri_run_result; nothing propagates. Called by host.c through peri_runtime.
#include <lauxlib.h>

#include "script/script_internal.h"

enum { DATA_MAX_BYTES = 4096 };

typedef struct run_frame {
    const peri_run_request *request;
    peri__scripted *observer;
    peri_arena *arena;
    peri_run_state state;
    peri_draft draft;
    peri_str saved_state;
    peri_str problem; // what is wrong with what came back; absent: nothing
} run_frame;

#define WORD(word)                                                                             \
    { word, sizeof(word) - 1 }
static const peri_str draft_keys[] = {
    WORD("advise"),   WORD("veto"),     WORD("report"), WORD("fingerprint"),
    WORD("severity"), WORD("evidence"), WORD("data"),   {0},
};

static void set_str(lua_State *L, const char *name, peri_str text) {
    peri__str_push(L, text);
    lua_setfield(L, -2, name);
}

// Pushes ctx: a plain table, the state inside it the observer's to change.
static void push_ctx(lua_State *L, const peri_run_request *request) {
    const peri_outcome *last = &request->last;
    lua_createtable(L, 0, 3);
    set_str(L, "observer", request->observer->name);
    peri__state_push(L, request->saved_state);
    lua_setfield(L, -2, "state");
    if (!last->text.ptr && !last->verdict.ptr) return;
    lua_createtable(L, 0, 6); // ctx last
    set_str(L, "text", last->text);
    set_str(L, "fingerprint", last->fingerprint);
    set_str(L, "verdict", last->verdict);
    set_str(L, "lane", last->lane);
    set_str(L, "reason", last->reason);
    set_str(L, "state", last->state);
    lua_setfield(L, -2, "last");
}

// The sequence at the top of the stack: whole numbers 1..n and nothing else.
static void read_evidence_list(peri__reader *reader, peri_draft *draft) {
    lua_State *L = reader->L;
    uint32_t count = 0;
    uint64_t place = 0, highest = 0, value = 0;
    lua_pushnil(L);
    while (lua_next(L, -2)) { // list key value
        if (!peri__count_at(L, -2, PERI_PROPOSAL_MAX_EVIDENCE, &place) || place == 0) {
            peri__problem(reader, "evidence is not a list of at most %d numbers",
                          PERI_PROPOSAL_MAX_EVIDENCE);
        } else if (!peri__count_at(L, -1, UINT64_C(1) << 53, &value)) {
            peri__problem(reader, "evidence[%d] is not a whole number", (int)place);
        }
        if (reader->problem.ptr) return;
        draft->evidence[place - 1] = value;
        if (place > highest) highest = place;
        count++;
        lua_pop(L, 1);
    }
    if (highest != count) peri__problem(reader, "evidence has holes");
    draft->evidence_count = count;
}

static void read_evidence(peri__reader *reader, peri_draft *draft) {
    lua_State *L = reader->L;
    int top = lua_gettop(L);
    lua_pushliteral(L, "evidence");
    lua_rawget(L, reader->index);
    if (lua_istable(L, -1)) {
        read_evidence_list(reader, draft);
    } else if (!lua_isnil(L, -1)) {
        peri__problem(reader, "evidence is a %s, not a list", luaL_typename(L, -1));
    }
    lua_settop(L, top);
}

// The returned value stands at the top of the stack.
static void read_draft(lua_State *L, peri__pack *pack, run_frame *frame) {
    if (lua_isnil(L, -1)) return;
    peri__reader reader = {.L = L, .pack = pack, .index = lua_gettop(L), .arena = frame->arena};
    peri_draft *draft = &frame->draft;
    if (!lua_istable(L, -1)) {
        peri__problem(&reader, "observe returned a %s, not nil or a table",
                      luaL_typename(L, -1));
    } else if (peri__read_keys(&reader, draft_keys) &&
               peri__read_text(&reader, "advise", &draft->advise) &&
               peri__read_text(&reader, "veto", &draft->veto) &&
               peri__read_text(&reader, "report", &draft->report) &&
               peri__read_text(&reader, "fingerprint", &draft->fingerprint) &&
               peri__read_text(&reader, "severity", &draft->severity) &&
               peri__read_json(&reader, "data", DATA_MAX_BYTES, &draft->data)) {
        read_evidence(&reader, draft);
        if (!draft->advise.ptr && !draft->veto.ptr && !draft->report.ptr) {
            peri__problem(&reader, "none of advise, veto and report was given");
        }
        frame->state = PERI_RUN_PROPOSED;
    }
    frame->problem = reader.problem;
}

static void read_state(lua_State *L, peri__pack *pack, run_frame *frame, int ctx) {
    lua_pushliteral(L, "state");
    lua_rawget(L, ctx);
    peri__reader reader = {.L = L, .pack = pack, .index = lua_gettop(L), .arena = frame->arena};
    peri__state_read(&reader, frame->request->saved_state, &frame->saved_state);
    frame->problem = reader.problem;
}

// nil says no like false does: `return turn.goal and ...` is how people write it.
static bool is_awake(lua_State *L, const peri__scripted *observer, int turn) {
    const peri__unit *unit = &observer->unit;
    if (!observer->def.has_wake || unit->refs[PERI__FN_WAKE] == LUA_NOREF) return true;
    lua_rawgeti(L, LUA_REGISTRYINDEX, unit->refs[PERI__FN_WAKE]);
    lua_pushvalue(L, turn);
    lua_call(L, 1, 1);
    bool awake = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return awake;
}

static void run_body(lua_State *L, peri__pack *pack, void *arg) {
    run_frame *frame = arg;
    const peri__unit *unit = &frame->observer->unit;
    peri__view_push(L, pack, PERI__TURN, 0); // turn
    if (!is_awake(L, frame->observer, 1)) {
        frame->state = PERI_RUN_SKIPPED;
        return;
    }
    if (unit->refs[PERI__FN_OBSERVE] == LUA_NOREF) { // awake, but for a model or a command
        frame->state = PERI_RUN_NO_RUNTIME;
        return;
    }
    push_ctx(L, frame->request); // turn ctx
    lua_rawgeti(L, LUA_REGISTRYINDEX, unit->refs[PERI__FN_OBSERVE]);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1); // turn ctx result
    read_draft(L, pack, frame);
    if (!frame->problem.ptr) read_state(L, pack, frame, 2);
}

static peri_str place_problem(const run_frame *frame) {
    const peri__scripted *observer = frame->observer;
    peri_buf text;
    peri_buf_init(&text, PERI_RUN_MAX_ERROR_BYTES);
    peri_buf_addf(&text, "%.*s:%u: %.*s", PERI_FMT(peri_str_sub(observer->def.file, 0, 256)),
                  observer->line, PERI_FMT(frame->problem));
    peri_str placed = peri_arena_copy(frame->arena, peri_buf_str(&text));
    peri_buf_deinit(&text);
    return placed.ptr ? placed : frame->problem;
}

static void fail(peri_run_result *result, int status, peri_str error) {
    result->state = status == PERI_ETIMEOUT ? PERI_RUN_TIMEOUT : PERI_RUN_FAILED;
    result->error = error.ptr ? error : peri_str_c(peri_status_message(status));
}

void peri_script_run(const peri_run_request *request, peri_arena *arena,
                     peri_run_result *result) {
    *result = (peri_run_result){.state = PERI_RUN_NO_RUNTIME};
    peri__scripted *observer = request->observer->owner;
    const peri_observer *def = request->observer;
    bool is_lua = def->runtime == PERI_RUN_LUA;
    if (!observer || !(is_lua || def->has_wake || def->has_lua_form)) return;
    run_frame frame = {
        .request = request, .observer = observer, .arena = arena, .state = PERI_RUN_SILENT};
    peri_str error = {0};
    int status = peri__unit_ready(&observer->unit, arena, &error);
    bool runs = is_lua || def->has_lua_form;
    if (status >= 0 && runs && observer->unit.refs[PERI__FN_OBSERVE] == LUA_NOREF) {
        error = PERI_STR("loaded again, the script has no observe");
        status = PERI_ESCRIPT;
    }
    if (status >= 0) {
        peri__live live = {.arena = arena, .turn = request->turn};
        peri__pack *pack = observer->unit.pack;
        status = peri__pack_call(pack, run_body, &frame, &live, &error);
    }
    if (status >= 0 && frame.problem.ptr) {
        error = place_problem(&frame);
        status = PERI_ESCRIPT;
    }
    if (status < 0) {
        fail(result, status, error);
        return;
    }
    result->state = frame.state;
    result->draft = frame.draft;
    result->saved_state = frame.saved_state;
}

// A script's run is over when its call is.
static void start(void *user, const peri_run_request *request, peri_arena *arena,
                  peri_run_done done, void *done_user) {
    peri_run_result result;
    (void)user;
    peri_script_run(request, arena, &result);
    done(done_user, &result);
}

peri_runtime peri_script_runtime(peri_script *script) {
    return (peri_runtime){.user = script, .start = start};
}
