// Executes a dialect's rules (dialect.h) on one record. Runs for every record of every stream:
// no allocation but the batch's arena, no recursion, and a script only where a rule says `map`.
#include "ingest/apply.h"

#include "ingest/content.h"
#include "ingest/extract.h"
#include "ingest/match.h"

static bool present(peri_json v) {
    return peri_json_type_of(v) > PERI_JSON_NULL;
}

// Where the paths of a line begin.
static peri_rule_scope scope_of(const peri_dialect *dialect, peri_json line) {
    peri_json record = line;
    if (dialect->root.len) {
        peri_json inner = peri_json_get(line, dialect->root);
        if (peri_json_type_of(inner) == PERI_JSON_OBJECT) record = inner;
    }
    return (peri_rule_scope){.element = record,
                             .record = record,
                             .line = line,
                             .paths = dialect->paths,
                             .stamp = dialect->paths ? peri_paths_begin(dialect->paths) : 0};
}

size_t peri_dialect_detects(const peri_dialect *dialect, peri_json record) {
    peri_rule_scope scope = scope_of(dialect, record);
    size_t best = 0;
    for (size_t i = 0; i < dialect->detect_count; i++) {
        const peri_detect *detect = &dialect->detects[i];
        if (detect->test_count > best &&
            peri_tests_hold(detect->tests, detect->test_count, &scope)) {
            best = detect->test_count;
        }
    }
    return best;
}

// One record being turned into observations.
typedef struct apply {
    const peri_dialect *dialect;
    peri_rule_scope scope; // of the record; that of an element differs in `element`
    peri_arena *arena;
    peri_obs_fn fn;
    void *user;
    peri_apply_result result;
} apply;

static void begin(apply *a, peri_obs *obs, peri_obs_kind kind) {
    peri_obs_init(obs, kind);
    obs->ordinal = a->result.emitted;
    for (size_t i = 0; i < a->dialect->common_count; i++) {
        peri_extract(obs, &a->dialect->common[i], &a->scope, a->arena);
    }
}

static void emit_raw(apply *a) {
    peri_obs obs;
    begin(a, &obs, PERI_OBS_RAW);
    peri_obs_value *value = peri_obs_add(&obs, PERI_OBS_F_VALUE);
    peri_obs_fill(value, 'J', a->scope.line, (peri_text_caps){PERI_RAW_HEAD_CP, 0}, a->arena);
    if (value->text.cut) {
        value->bounded = (peri_str){0};
        peri_obs_add(&obs, PERI_OBS_F_TRUNCATED)->flag = true;
        peri_extract_count(peri_obs_add(&obs, PERI_OBS_F_BYTES),
                           peri_json_raw(a->scope.line).len, a->arena);
    }
    a->result.emitted++;
    a->fn(a->user, &obs);
}

// A tool's result is told by preview and length (OB-3); the kept text beyond travels in x.
static void complete(peri_obs *obs, peri_arena *arena) {
    if (obs->kind != PERI_OBS_TOOL_RESULT) return;
    if (!peri_obs_get(obs, PERI_OBS_F_IS_ERROR)) { // then how the command ended tells
        peri_obs_value *error = peri_obs_add(obs, PERI_OBS_F_IS_ERROR);
        if (error) error->flag = obs->x.exit_code != PERI_OBS_NO_EXIT && obs->x.exit_code != 0;
    }
    const peri_obs_value *given = peri_obs_get(obs, PERI_OBS_F_PREVIEW);
    peri_text whole = obs->x.output;
    if (peri_text_absent(&whole) && given) whole = given->text;
    if (peri_text_absent(&whole)) return;
    if (!peri_obs_get(obs, PERI_OBS_F_CHARACTERS)) {
        peri_extract_count(peri_obs_add(obs, PERI_OBS_F_CHARACTERS), whole.u16, arena);
    }
    peri_str head = given ? given->text.head : whole.head;
    uint64_t hash = given ? given->hash : 0;
    peri_utf8_size size = peri_utf8_cut_u16(head, PERI_OBS_PREVIEW_U16);
    peri_obs_value *preview = peri_obs_add(obs, PERI_OBS_F_PREVIEW);
    if (!preview) return;
    preview->hash = hash;
    preview->text = (peri_text){.head = peri_str_sub(head, 0, size.bytes),
                                .cp = (uint32_t)size.cp,
                                .u16 = (uint32_t)size.u16};
}

// Fields that the joining stage can supply when a format does not repeat them, a bit for each.
static uint64_t may_lack(peri_obs_kind kind) {
#define BIT(field) (UINT64_C(1) << PERI_OBS_F_##field)
    switch (kind) {
    case PERI_OBS_TOOL_RESULT: // the call it answers knows its name; a stray has no id
    case PERI_OBS_TOOL_DENIED:
    case PERI_OBS_SUBAGENT: // as does the call that started it
        return BIT(NAME) | BIT(CALL_ID);
    case PERI_OBS_TOOL:
        return BIT(INPUT);
    case PERI_OBS_STEP: // steps are counted by the host
        return BIT(INDEX);
    default:
        return 0;
    }
#undef BIT
}

// Completes an observation and hands it on, or notes what it lacks.
static void hand_on(apply *a, peri_obs *obs) {
    complete(obs, a->arena);
    peri_obs_field missing = peri_obs_missing(obs, may_lack(obs->kind));
    if (missing != PERI_OBS_FIELD_COUNT) {
        a->result.invalid++;
        a->result.invalid_kind = obs->kind;
        a->result.invalid_field = missing;
        return;
    }
    a->result.emitted++;
    a->fn(a->user, obs);
}

static void fire(apply *a, const peri_rule_emit *emit, const peri_rule_scope *scope) {
    peri_obs obs;
    begin(a, &obs, emit->kind);
    for (size_t i = 0; i < emit->set_count; i++) {
        peri_extract(&obs, &emit->sets[i], scope, a->arena);
    }
    hand_on(a, &obs);
}

static void run_emits(apply *a, const peri_rule_emit *emits, size_t count, peri_json element) {
    peri_rule_scope scope = a->scope;
    scope.element = element;
    for (size_t i = 0; i < count; i++) {
        if (!peri_tests_hold(emits[i].tests, emits[i].test_count, &scope)) continue;
        fire(a, &emits[i], &scope);
        if (!emits[i].more) return;
    }
}

// One member of what a map function passed to emit(). `x` holds members of its own.
static void set_member(apply *a, peri_obs *obs, const char *prefix, peri_str name,
                       peri_json v) {
    char word[64];
    peri_buf out = {.ptr = word, .cap = sizeof word, .max = sizeof word - 1};
    peri_buf_add_c(&out, prefix);
    peri_buf_add(&out, name);
    peri_rule_set set = {.target = peri_rule_target_find(peri_buf_str(&out))};
    if (out.status < 0 || set.target < 0) return;
    peri_obs_field field = (peri_obs_field)(set.target - PERI_TARGET_FIELD);
    if (set.target >= PERI_TARGET_FIELD && peri_obs_needs(obs->kind, field) == PERI_OBS_NONE) {
        return;
    }
    peri_extract_value(obs, &set, v, a->scope.record, a->arena);
}

static void emit_mapped(void *user, peri_str kind, peri_json fields) {
    apply *a = user;
    peri_obs_kind known = peri_obs_kind_find(kind);
    if (known == PERI_OBS_KIND_COUNT) {
        emit_raw(a);
        a->result.emitted++;
        return;
    }
    peri_obs obs;
    begin(a, &obs, known);
    for (peri_json_iter it = peri_json_begin(fields); peri_json_more(&it);) {
        if (!peri_str_eq(it.key, PERI_STR("x"))) set_member(a, &obs, "", it.key, it.value);
    }
    peri_json x = peri_json_get(fields, PERI_STR("x"));
    for (peri_json_iter it = peri_json_begin(x); peri_json_more(&it);) {
        set_member(a, &obs, "x.", it.key, it.value);
    }
    hand_on(a, &obs);
}

static void run_map(apply *a, uint32_t map) {
    const peri_dialect_maps *maps = &a->dialect->maps;
    int status =
        maps->run(maps->user, map, a->scope.record, a->arena, emit_mapped, a, &a->result.error);
    if (status < 0) a->result.state = PERI_APPLY_FAILED;
}

static void run_rule(apply *a, const peri_dialect_rule *rule) {
    if (rule->map) {
        run_map(a, rule->map);
        return;
    }
    peri_json record = a->scope.record;
    run_emits(a, rule->before, rule->before_count, record);
    if (!rule->has_each) {
        run_emits(a, rule->emits, rule->emit_count, record);
    } else {
        peri_json each = peri_rule_find(&rule->each, &a->scope);
        if (peri_json_type_of(each) == PERI_JSON_ARRAY) {
            for (peri_json_iter it = peri_json_begin(each); peri_json_more(&it);) {
                run_emits(a, rule->emits, rule->emit_count, it.value);
            }
        } else if (present(each)) {
            run_emits(a, rule->emits, rule->emit_count, each);
        }
    }
    run_emits(a, rule->after, rule->after_count, record);
}

peri_apply_result peri_dialect_apply(const peri_dialect *dialect, peri_json record,
                                     peri_arena *arena, peri_obs_fn fn, void *user) {
    apply a = {.dialect = dialect,
               .scope = scope_of(dialect, record),
               .arena = arena,
               .fn = fn,
               .user = user};
    const peri_dialect_rule *rule = NULL;
    for (size_t i = 0; i < dialect->rule_count && !rule; i++) {
        const peri_dialect_rule *candidate = &dialect->rules[i];
        if (peri_tests_hold(candidate->tests, candidate->test_count, &a.scope)) {
            rule = candidate;
        }
    }
    if (rule) run_rule(&a, rule);
    if (!rule) a.result.state = PERI_APPLY_UNKNOWN;
    if (a.result.invalid) a.result.state = PERI_APPLY_INVALID;
    if (a.result.state != PERI_APPLY_MATCHED) emit_raw(&a);
    return a.result;
}

bool peri_dialect_at(const peri_dialect *dialect, peri_json record, peri_arena *arena,
                     int64_t *at_wall_ms) {
    peri_rule_scope scope = scope_of(dialect, record);
    peri_obs obs;
    peri_obs_init(&obs, PERI_OBS_RAW);
    for (size_t i = 0; i < dialect->common_count; i++) {
        const peri_rule_set *set = &dialect->common[i];
        if (set->target == PERI_TARGET_AT) peri_extract(&obs, set, &scope, arena);
    }
    if (obs.has_at) *at_wall_ms = obs.at_wall_ms;
    return obs.has_at;
}
