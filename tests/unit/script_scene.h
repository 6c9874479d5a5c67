// What the tests of script/ share: a script host, a small turn to look at, and one call to run
// a Lua observer on it.
#ifndef PERI_SCRIPT_SCENE_H
#define PERI_SCRIPT_SCENE_H

#include "script/script.h"
#include "test.h"

enum { SCENE_MAX_ITEMS = 32 };

typedef struct scene {
    peri_script *script;
    peri_diag_list diags;
    peri_arena arena; // of results and copies
    peri_item items[SCENE_MAX_ITEMS];
    const peri_item *refs[SCENE_MAX_ITEMS];
    peri_turn turn;
    char printed[256]; // "WHO: TEXT" of the last print
} scene;

static inline void scene_print(void *user, peri_str from, peri_str text) {
    scene *s = user;
    snprintf(s->printed, sizeof s->printed, "%.*s: %.*s", PERI_FMT(from), PERI_FMT(text));
}

static inline scene *scene_new(void) {
    scene *s = calloc(1, sizeof *s);
    if (!s) TEST_FAIL("out of memory");
    peri_diag_list_init(&s->diags);
    peri_arena_init(&s->arena, 8u << 20);
    CHECK_OK(peri_script_new(&(peri_script_options){.on_print = scene_print,
                                                    .user = s,
                                                    .limits = {.wall_ms = 10000}},
                             &s->script));
    s->turn = (peri_turn){.session = PERI_STR("s1"),
                          .agent = PERI_STR("main"),
                          .agent_name = PERI_STR("coder"),
                          .cwd = PERI_STR("/home/dev/project"),
                          .trigger = PERI_TRIGGER_TURN_END,
                          .step = 3,
                          .turn = 2,
                          .items = s->refs,
                          .log = s->refs,
                          .last_user = PERI_STR("please fix it"),
                          .usage = {.input = 1200, .cached = 800, .output = 90}};
    return s;
}

static inline void scene_free(scene *s) {
    peri_script_free(s->script);
    peri_diag_list_deinit(&s->diags);
    peri_arena_deinit(&s->arena);
    free(s);
}

static inline peri_text scene_text(const char *text) {
    return peri_text_of(peri_str_c(text), (peri_text_caps){1000, 1000});
}

// Adds one item to what is new and to the turn's log. Its sequence number is its place.
static inline peri_item *scene_add(scene *s, peri_item_kind kind, const char *name,
                                   const char *call_id, const char *text) {
    size_t at = s->turn.item_count;
    if (at == SCENE_MAX_ITEMS) TEST_FAIL("the scene is full");
    peri_item *item = &s->items[at];
    peri_text whole = scene_text(text);
    *item = (peri_item){.kind = kind,
                        .exit_code = PERI_OBS_NO_EXIT,
                        .step = s->turn.step,
                        .turn = s->turn.turn,
                        .seq = at + 1,
                        .hash = peri_str_hash(whole.head, PERI_HASH_SEED),
                        .call_id = peri_str_c(call_id),
                        .name = peri_str_c(name),
                        .text = whole};
    s->refs[at] = item;
    s->turn.item_count = s->turn.log_count = at + 1;
    return item;
}

static inline peri_item *scene_call(scene *s, const char *name, const char *id,
                                    const char *input) {
    return scene_add(s, PERI_ITEM_TOOL_CALL, name, id, input);
}

static inline peri_item *scene_result(scene *s, const char *id, const char *text) {
    return scene_add(s, PERI_ITEM_TOOL_RESULT, NULL, id, text);
}

// Loads `text` as an observer of the pack `pack`; NULL if it was refused.
static inline const peri_observer *scene_load(scene *s, const char *pack, const char *text) {
    const peri_observer *out = NULL;
    int status =
        peri_script_add_observer(s->script, peri_str_c(pack), PERI_STR("user"),
                                 PERI_STR("o.lua"), peri_str_c(text), NULL, &s->diags, &out);
    if (status < 0 && status != PERI_EINVAL) TEST_FAIL("%s", peri_status_name(status));
    return status < 0 ? NULL : out;
}

static inline peri_run_result scene_run_with(scene *s, const peri_observer *observer,
                                             peri_str saved_state, peri_outcome last) {
    if (!observer) {
        const peri_diag *d = s->diags.items;
        TEST_FAIL("not loaded: %.*s", PERI_FMT(s->diags.count ? d->message : PERI_STR("?")));
    }
    peri_run_request request = {
        .observer = observer, .turn = &s->turn, .saved_state = saved_state, .last = last};
    peri_run_result result;
    peri_script_run(&request, &s->arena, &result);
    return result;
}

static inline peri_run_result scene_run(scene *s, const peri_observer *observer) {
    return scene_run_with(s, observer, (peri_str){0}, (peri_outcome){0});
}

// Runs an observer whose body is `body` (it sees `turn` and `ctx`) in a pack of its own.
static inline peri_run_result scene_do(scene *s, const char *body) {
    static unsigned made;
    char text[8192], pack[32];
    snprintf(pack, sizeof pack, "pack%u", ++made % 60);
    snprintf(text, sizeof text,
             "-- perilune-api: 1\nreturn { name = 'o%u', description = 'd', on = 'turn_end', "
             "can = { 'advise', 'report' },\nobserve = function(turn, ctx) %s end }",
             made, body);
    return scene_run(s, scene_load(s, pack, text));
}

// The value of a Lua expression over `turn` and `ctx`, as text; the error if it raised.
static inline peri_str scene_eval(scene *s, const char *expression) {
    char body[4096];
    snprintf(body, sizeof body, "return { report = tostring(%s) }", expression);
    peri_run_result result = scene_do(s, body);
    return result.state == PERI_RUN_PROPOSED ? result.draft.report : result.error;
}

#endif
