// From a dialect's Lua table to compiled rules. The table crosses as JSON
// (lua/perilune/dialects/init.lua has brought it into its long form), so that nothing here
// touches a Lua stack.
#include "script/dialect_load.h"

#include <stdlib.h>

#include "ingest/dialect.h"
#include "script/dialect_vm.h"
#include "script/lanes_load.h"

enum { ARENA_MAX_BYTES = 4 * 1024 * 1024 };

struct peri_dialect_file {
    peri_arena arena; // owns every array and text of the rules
    peri_buf json;    // what the file said
    peri_json_doc doc;
    peri_dialect dialect;
    peri_dialect_vm vm;
};

typedef struct loader {
    peri_dialect_file *to;
    peri_str file;
    peri_diag_list *diags;
    int status; // sticky
} loader;

static void wrong(loader *l, const char *id, const char *hint, const char *what,
                  peri_str word) {
    peri_diag_addf(l->diags, PERI_ERROR, id, l->file, 0, 0, hint, "%s '%.*s'", what,
                   PERI_FMT(word));
    l->status = PERI_EINVAL;
}

static peri_str text_of(loader *l, peri_json v) {
    return peri_json_str(v, &l->to->arena);
}

static peri_json member(peri_json v, const char *key) {
    return peri_json_get(v, peri_str_c(key));
}

// Room for `count` elements of `size` bytes, never NULL for the caller
// to check: an empty array on failure.
static void *array(loader *l, size_t count, size_t size, size_t max) {
    if (count > max) {
        peri_diag_addf(l->diags, PERI_ERROR, "dialect-limit", l->file, 0, 0, NULL,
                       "a list of %zu entries is longer than the %zu allowed", count, max);
        l->status = PERI_ELIMIT;
        return NULL;
    }
    void *room = peri_arena_zero(&l->to->arena, (count + 1) * size);
    if (!room) l->status = PERI_ENOMEM;
    return room;
}

static peri_rule_path read_path(loader *l, peri_json v) {
    peri_rule_path path = {0};
    peri_str text = text_of(l, v);
    if (!text.ptr) {
        wrong(l, "dialect-path", "name members, such as \"message.content\"",
              "not a path:", peri_json_raw(v));
        return path;
    }
    if (text.len && (text.ptr[0] == '^' || text.ptr[0] == '@')) {
        path.from = text.ptr[0] == '^' ? PERI_FROM_RECORD : PERI_FROM_LINE;
        text = peri_str_sub(text, 1, text.len);
    }
    if (peri_str_eq(text, PERI_STR("."))) return path;
    while (text.len) {
        if (path.count == PERI_DIALECT_MAX_KEYS) {
            wrong(l, "dialect-path", "at most 6 names", "path too long at", text);
            return path;
        }
        size_t dot = peri_str_find_byte(text, '.', 0);
        path.keys[path.count++] = peri_str_sub(text, 0, dot);
        text = dot == PERI_NPOS ? (peri_str){0} : peri_str_sub(text, dot + 1, text.len);
    }
    path.id = peri_paths_add(l->to->dialect.paths, path.keys, path.count);
    return path;
}

static const peri_str *read_words(loader *l, peri_json v) {
    size_t count = peri_json_count(v), at = 0;
    peri_str *words = array(l, count, sizeof *words, 256);
    if (!words) return NULL;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        peri_str word = text_of(l, it.value);
        words[at++] = word.ptr ? word : peri_json_raw(it.value);
    }
    return words;
}

static const peri_str op_words[] = {
    {"word", 4},  {"prefix", 6}, {"present", 7}, {"absent", 6}, {"true", 4},
    {"false", 5}, {"type", 4},   {"empty", 5},   {"filled", 6}, {0},
};

static const peri_rule_test *read_tests(loader *l, peri_json v, size_t *count) {
    size_t total = peri_json_count(v), at = 0;
    peri_rule_test *tests = array(l, total, sizeof *tests, PERI_DIALECT_MAX_TESTS);
    *count = tests ? total : 0;
    if (!tests) return NULL;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        peri_rule_test *test = &tests[at++];
        test->path = read_path(l, member(it.value, "path"));
        test->has_other = peri_json_type_of(member(it.value, "other")) == PERI_JSON_STRING;
        if (test->has_other) test->other = read_path(l, member(it.value, "other"));
        test->negate = peri_json_is_true(member(it.value, "negate"));
        test->words = read_words(l, member(it.value, "words"));
        size_t op = 0;
        while (op_words[op].len && !peri_json_is(member(it.value, "op"), op_words[op])) op++;
        test->op = (peri_test_op)op;
        if (test->op == PERI_TEST_WORD && !test->has_other) {
            test->bits = peri_paths_add_words(l->to->dialect.paths, test->path.id, test->words);
        }
    }
    return tests;
}

static void read_any(loader *l, peri_json v, peri_rule_pick *pick) {
    size_t total = peri_json_count(v), at = 0;
    peri_rule_when *any = array(l, total, sizeof *any, 8);
    if (!any) return;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it); at++) {
        any[at].tests = read_tests(l, it.value, &any[at].test_count);
    }
    pick->any = any;
    pick->any_count = total;
}

static peri_rule_pick read_pick(loader *l, peri_json v) {
    peri_rule_pick pick = {0};
    peri_json paths = member(v, "paths");
    pick.path_count = peri_json_count(paths);
    peri_rule_path *room = array(l, pick.path_count, sizeof *room, 8);
    if (!room) return (peri_rule_pick){0};
    size_t at = 0;
    for (peri_json_iter it = peri_json_begin(paths); peri_json_more(&it);) {
        room[at++] = read_path(l, it.value);
    }
    pick.paths = room;
    pick.constant = member(v, "default");
    pick.after = text_of(l, member(v, "after"));
    pick.prefix = text_of(l, member(v, "prefix"));
    pick.join = text_of(l, member(v, "join"));
    pick.begin = text_of(l, member(v, "begin"));
    pick.end = text_of(l, member(v, "end"));
    pick.json = peri_json_is_true(member(v, "json"));
    pick.yes = member(v, "yes");
    read_any(l, member(v, "any"), &pick);
    return pick;
}

// A field must be one of the kind's; `kind` is PERI_OBS_KIND_COUNT
// for the common ones, which are no kind's.
static void check_target(loader *l, peri_obs_kind kind, int target, peri_str word) {
    if (target < PERI_TARGET_FIELD) return;
    if (kind == PERI_OBS_KIND_COUNT) {
        wrong(l, "dialect-field", "name it in the rules of its kind",
              "not common to all kinds:", word);
        return;
    }
    peri_obs_field field = (peri_obs_field)(target - PERI_TARGET_FIELD);
    if (peri_obs_needs(kind, field) == PERI_OBS_NONE) {
        peri_str name = peri_obs_kind_word(kind);
        peri_diag_addf(l->diags, PERI_ERROR, "dialect-field", l->file, 0, 0, NULL,
                       "the kind %.*s has no field '%.*s'", PERI_FMT(name), PERI_FMT(word));
        l->status = PERI_EINVAL;
    }
}

static const peri_rule_set *read_sets(loader *l, peri_json v, peri_obs_kind kind,
                                      size_t *count) {
    size_t total = peri_json_count(v), at = 0;
    peri_rule_set *sets = array(l, total, sizeof *sets, 32);
    *count = sets ? total : 0;
    if (!sets) return NULL;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        peri_str word = text_of(l, member(it.value, "target"));
        peri_rule_set *set = &sets[at++];
        set->target = peri_rule_target_find(word);
        if (set->target < 0) wrong(l, "dialect-target", NULL, "nothing is called", word);
        check_target(l, kind, set->target, word);
        set->pick = read_pick(l, member(it.value, "pick"));
    }
    return sets;
}

static peri_obs_kind read_kind(loader *l, peri_json v) {
    peri_str word = text_of(l, v);
    peri_obs_kind kind = peri_obs_kind_find(word);
    if (kind != PERI_OBS_KIND_COUNT) return kind;
    peri_str words[PERI_OBS_KIND_COUNT + 1] = {{0}};
    for (int i = 0; i < PERI_OBS_KIND_COUNT; i++)
        words[i] = peri_obs_kind_word((peri_obs_kind)i);
    peri_str near = peri_diag_nearest(word, words);
    char hint[64] = "see AgentObservation's kinds";
    if (near.len) {
        peri_buf out = {.ptr = hint, .cap = sizeof hint, .max = sizeof hint - 1};
        peri_buf_addf(&out, "did you mean '%.*s'?", PERI_FMT(near));
        hint[out.len] = '\0';
    }
    wrong(l, "dialect-kind", hint, "unknown kind", word);
    return PERI_OBS_RAW;
}

static const peri_rule_emit *read_emits(loader *l, peri_json v, size_t *count) {
    size_t total = peri_json_count(v), at = 0;
    peri_rule_emit *emits = array(l, total, sizeof *emits, PERI_DIALECT_MAX_EMITS);
    *count = emits ? total : 0;
    if (!emits) return NULL;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        peri_rule_emit *emit = &emits[at++];
        emit->kind = read_kind(l, member(it.value, "kind"));
        emit->tests = read_tests(l, member(it.value, "tests"), &emit->test_count);
        emit->sets = read_sets(l, member(it.value, "sets"), emit->kind, &emit->set_count);
        emit->more = peri_json_is_true(member(it.value, "more"));
    }
    return emits;
}

static void read_rules(loader *l, peri_json v) {
    size_t total = peri_json_count(v), at = 0;
    peri_dialect_rule *rules = array(l, total, sizeof *rules, PERI_DIALECT_MAX_RULES);
    if (!rules) return;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        peri_dialect_rule *rule = &rules[at++];
        rule->tests = read_tests(l, member(it.value, "tests"), &rule->test_count);
        rule->has_each = peri_json_type_of(member(it.value, "each")) == PERI_JSON_STRING;
        if (rule->has_each) rule->each = read_path(l, member(it.value, "each"));
        rule->before = read_emits(l, member(it.value, "before"), &rule->before_count);
        rule->emits = read_emits(l, member(it.value, "emits"), &rule->emit_count);
        rule->after = read_emits(l, member(it.value, "after"), &rule->after_count);
        int64_t map;
        if (peri_json_int(member(it.value, "map"), &map) == PERI_OK) rule->map = (uint32_t)map;
    }
    l->to->dialect.rules = rules;
    l->to->dialect.rule_count = total;
}

static void read_detects(loader *l, peri_json v) {
    size_t total = peri_json_count(v), at = 0;
    peri_detect *detects = array(l, total, sizeof *detects, PERI_DIALECT_MAX_EMITS);
    if (!detects) return;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        peri_detect *detect = &detects[at++];
        detect->tests = read_tests(l, member(it.value, "tests"), &detect->test_count);
    }
    l->to->dialect.detects = detects;
    l->to->dialect.detect_count = total;
}

static void read_sidecar(loader *l, peri_json v) {
    if (peri_json_type_of(v) != PERI_JSON_OBJECT) return;
    peri_sidecar *sidecar = &l->to->dialect.sidecar;
    sidecar->suffix = text_of(l, member(v, "suffix"));
    sidecar->agent_name = read_path(l, member(v, "agent_name"));
    sidecar->observer = read_path(l, member(v, "observer"));
    sidecar->stopped = read_path(l, member(v, "stopped"));
    sidecar->parent = read_path(l, member(v, "parent"));
}

static void read_dialect(loader *l) {
    peri_json root = peri_json_root(&l->to->doc);
    peri_dialect *dialect = &l->to->dialect;
    dialect->name = text_of(l, member(root, "name"));
    if (!dialect->name.len)
        wrong(l, "dialect-name", "name = \"...\"", "a dialect needs", PERI_STR("name"));
    int64_t api = 0;
    if (peri_json_int(member(root, "api"), &api) < 0 || api != 1) {
        wrong(l, "api-version", "this build knows api 1", "unknown api",
              peri_json_raw(member(root, "api")));
    }
    read_detects(l, member(root, "detects"));
    dialect->common =
        read_sets(l, member(root, "common"), PERI_OBS_KIND_COUNT, &dialect->common_count);
    read_rules(l, member(root, "rules"));
    read_sidecar(l, member(root, "sidecar"));
    dialect->observer_origin = text_of(l, member(root, "observerOrigin"));
    dialect->observer_file = text_of(l, member(root, "observerFile"));
    dialect->root = text_of(l, member(root, "root"));
    dialect->local_ids = peri_json_is_true(member(root, "localIds"));
    int64_t rank;
    if (peri_json_int(member(root, "rank"), &rank) == PERI_OK && rank > 0 && rank < 100) {
        dialect->rank = (uint32_t)rank;
    }
    int lanes = peri_lanes_load(member(root, "lanes"), l->file, &l->to->arena, l->diags,
                                &dialect->lanes);
    if (lanes < 0) l->status = lanes;
    peri_dialect_vm_expect(&l->to->vm, peri_json_is_true(member(root, "maps")));
    dialect->maps = peri_dialect_vm_maps(&l->to->vm);
}

// Evaluates the file; its rules as JSON.
static peri_str run(loader *l) {
    peri_str error = {0};
    l->status = peri_dialect_vm_read(&l->to->vm, &l->to->json, &l->to->arena, &error);
    if (l->status < 0) {
        peri_str why = error.len ? error : peri_str_c(peri_status_message(l->status));
        peri_diag_addf(l->diags, PERI_ERROR, "dialect-script", l->file, 0, 0, NULL, "%.*s",
                       PERI_FMT(why));
    }
    return peri_buf_str(&l->to->json);
}

static peri_dialect_file *new_file(void) {
    peri_dialect_file *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    peri_arena_init(&made->arena, ARENA_MAX_BYTES);
    peri_buf_init(&made->json, PERI_DIALECT_MAX_BYTES);
    peri_json_doc_init(&made->doc);
    made->dialect.paths = peri_paths_new(&made->arena);
    return made;
}

int peri_dialect_file_load(peri_str file, peri_str text, peri_str rules,
                           const peri_vm_options *vm, peri_diag_list *diags,
                           peri_dialect_file **out) {
    peri_dialect_file *made = new_file();
    if (!made) return PERI_ENOMEM;
    loader l = {.to = made, .file = file, .diags = diags};
    peri_str kept = peri_arena_copy(&made->arena, text);
    l.status = made->dialect.paths && kept.ptr ? PERI_OK : PERI_ENOMEM;
    peri_dialect_vm_init(&made->vm, peri_arena_copy(&made->arena, file), kept, vm);
    if (l.status == PERI_OK && !rules.ptr) rules = run(&l);
    if (l.status == PERI_OK) l.status = peri_json_parse(&made->doc, rules);
    if (l.status == PERI_OK) read_dialect(&l);
    if (l.status < 0) {
        peri_dialect_file_free(made);
        return l.status;
    }
    *out = made;
    return PERI_OK;
}

void peri_dialect_file_free(peri_dialect_file *file) {
    if (!file) return;
    peri_dialect_vm_deinit(&file->vm);
    peri_json_doc_deinit(&file->doc);
    peri_buf_deinit(&file->json);
    peri_arena_deinit(&file->arena);
    free(file);
}

const peri_dialect *peri_dialect_file_get(const peri_dialect_file *file) {
    return &file->dialect;
}

int peri_dialect_file_say(peri_dialect_file *file, const peri_channel *channel) {
    return peri_lanes_say(&file->dialect.lanes, channel, &file->arena);
}
