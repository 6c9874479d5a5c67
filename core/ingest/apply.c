// Executes a dialect's rules (dialect.h) on one record. Runs for every record of every stream:
// no allocation but the batch's arena, no script, no recursion.
#include "ingest/apply.h"

#include "ingest/extract.h"

peri_json peri_rule_find(const peri_rule_path *path, peri_json record, peri_json element) {
    peri_json v = path->from_record ? record : element;
    for (size_t i = 0; i < path->count; i++) v = peri_json_get(v, path->keys[i]);
    return v;
}

static bool present(peri_json v) {
    return peri_json_type_of(v) > PERI_JSON_NULL;
}

// A string's content or another scalar's spelling against each word.
static bool is_word(peri_json v, const peri_str *words) {
    peri_json_type type = peri_json_type_of(v);
    for (; words->ptr; words++) {
        if (type == PERI_JSON_STRING ? peri_json_is(v, *words)
                                     : peri_str_eq(peri_json_raw(v), *words)) {
            return true;
        }
    }
    return false;
}

static bool is_prefix(peri_json v, const peri_str *words) {
    if (peri_json_type_of(v) != PERI_JSON_STRING) return false;
    for (; words->ptr; words++) {
        if (peri_str_starts(peri_json_raw(v), *words)) return true;
    }
    return false;
}

static bool is_type(peri_json v, const peri_str *words) {
    static const peri_str names[] = {
        [PERI_JSON_ABSENT] = {"absent", 6}, [PERI_JSON_NULL] = {"null", 4},
        [PERI_JSON_BOOL] = {"boolean", 7},  [PERI_JSON_NUMBER] = {"number", 6},
        [PERI_JSON_STRING] = {"string", 6}, [PERI_JSON_ARRAY] = {"array", 5},
        [PERI_JSON_OBJECT] = {"object", 6},
    };
    for (; words->ptr; words++) {
        if (peri_str_eq(names[peri_json_type_of(v)], *words)) return true;
    }
    return false;
}

static bool is_empty(peri_json v) {
    switch (peri_json_type_of(v)) {
    case PERI_JSON_STRING:
        return peri_json_raw(v).len == 0;
    case PERI_JSON_ARRAY:
    case PERI_JSON_OBJECT: {
        peri_json_iter it = peri_json_begin(v);
        return !peri_json_more(&it);
    }
    default:
        return !present(v);
    }
}

static bool test_holds(const peri_rule_test *test, peri_json record, peri_json element) {
    peri_json v = peri_rule_find(&test->path, record, element);
    switch (test->op) {
    case PERI_TEST_WORD:
        return is_word(v, test->words) != test->negate;
    case PERI_TEST_PREFIX:
        return is_prefix(v, test->words) != test->negate;
    case PERI_TEST_PRESENT:
        return present(v) != test->negate;
    case PERI_TEST_ABSENT:
        return present(v) == test->negate;
    case PERI_TEST_TRUE:
        return peri_json_is_true(v) != test->negate;
    case PERI_TEST_FALSE:
        return peri_json_is_true(v) == test->negate;
    case PERI_TEST_TYPE:
        return is_type(v, test->words) != test->negate;
    case PERI_TEST_EMPTY:
        return is_empty(v) != test->negate;
    case PERI_TEST_FILLED:
        return is_empty(v) == test->negate;
    }
    return false;
}

static bool tests_hold(const peri_rule_test *tests, size_t count, peri_json record,
                       peri_json element) {
    for (size_t i = 0; i < count; i++) {
        if (!test_holds(&tests[i], record, element)) return false;
    }
    return true;
}

size_t peri_dialect_detects(const peri_dialect *dialect, peri_json record) {
    size_t best = 0;
    for (size_t i = 0; i < dialect->detect_count; i++) {
        const peri_detect *detect = &dialect->detects[i];
        if (detect->test_count > best &&
            tests_hold(detect->tests, detect->test_count, record, record)) {
            best = detect->test_count;
        }
    }
    return best;
}

// One record being turned into observations.
typedef struct apply {
    const peri_dialect *dialect;
    peri_json record;
    peri_arena *arena;
    peri_obs_fn fn;
    void *user;
    peri_apply_result result;
} apply;

static void emit_raw(apply *a) {
    peri_obs obs;
    peri_obs_init(&obs, PERI_OBS_RAW);
    for (size_t i = 0; i < a->dialect->common_count; i++) {
        const peri_rule_set *set = &a->dialect->common[i];
        peri_extract(&obs, set, a->record, a->record, a->arena);
    }
    peri_obs_value *value = peri_obs_add(&obs, PERI_OBS_F_VALUE);
    peri_obs_fill(value, 'J', a->record, (peri_text_caps){PERI_RAW_HEAD_CP, 0}, a->arena);
    if (value->text.cut) {
        value->bounded = (peri_str){0};
        peri_obs_add(&obs, PERI_OBS_F_TRUNCATED)->flag = true;
        peri_extract_count(peri_obs_add(&obs, PERI_OBS_F_BYTES), peri_json_raw(a->record).len,
                           a->arena);
    }
    a->result.emitted++;
    a->fn(a->user, &obs);
}

// A tool's result is told by preview and length (OB-3); the kept text beyond travels in x.
static void complete(peri_obs *obs, peri_arena *arena) {
    if (obs->kind != PERI_OBS_TOOL_RESULT) return;
    const peri_text *output = &obs->x.output;
    if (!peri_text_absent(output) && !peri_obs_get(obs, PERI_OBS_F_PREVIEW)) {
        peri_obs_value *preview = peri_obs_add(obs, PERI_OBS_F_PREVIEW);
        peri_utf8_size size = peri_utf8_cut_u16(output->head, PERI_OBS_PREVIEW_U16);
        if (preview) {
            preview->text.head = peri_str_sub(output->head, 0, size.bytes);
            preview->text.cp = (uint32_t)size.cp;
            preview->text.u16 = (uint32_t)size.u16;
        }
        peri_obs_value *count = peri_obs_add(obs, PERI_OBS_F_CHARACTERS);
        if (count) peri_extract_count(count, output->u16, arena);
    }
    if (!peri_obs_get(obs, PERI_OBS_F_IS_ERROR)) (void)peri_obs_add(obs, PERI_OBS_F_IS_ERROR);
}

// Fields that the joining stage can supply when a format does not repeat them.
static bool may_lack(const peri_obs *obs, peri_obs_field field) {
    switch (obs->kind) {
    case PERI_OBS_TOOL_RESULT: // the call it answers knows its name; a stray has no id
    case PERI_OBS_TOOL_DENIED:
        return field == PERI_OBS_F_NAME || field == PERI_OBS_F_CALL_ID;
    case PERI_OBS_TOOL:
        return field == PERI_OBS_F_INPUT;
    default:
        return false;
    }
}

static peri_obs_field lacks(const peri_obs *obs) {
    for (peri_obs_field field = 0; field < PERI_OBS_FIELD_COUNT; field++) {
        if (peri_obs_needs(obs->kind, field) == PERI_OBS_REQUIRED &&
            !peri_obs_get(obs, field) && !may_lack(obs, field)) {
            return field;
        }
    }
    return PERI_OBS_FIELD_COUNT;
}

static void fire(apply *a, const peri_rule_emit *emit, peri_json element) {
    peri_obs obs;
    peri_obs_init(&obs, emit->kind);
    for (size_t i = 0; i < a->dialect->common_count; i++) {
        const peri_rule_set *set = &a->dialect->common[i];
        peri_extract(&obs, set, a->record, a->record, a->arena);
    }
    for (size_t i = 0; i < emit->set_count; i++) {
        peri_extract(&obs, &emit->sets[i], a->record, element, a->arena);
    }
    complete(&obs, a->arena);
    peri_obs_field missing =
        peri_obs_missing(&obs) == PERI_OBS_FIELD_COUNT ? PERI_OBS_FIELD_COUNT : lacks(&obs);
    if (missing != PERI_OBS_FIELD_COUNT) {
        a->result.invalid++;
        a->result.invalid_kind = emit->kind;
        a->result.invalid_field = missing;
        return;
    }
    a->result.emitted++;
    a->fn(a->user, &obs);
}

static void run_emits(apply *a, const peri_rule_emit *emits, size_t count, peri_json element) {
    for (size_t i = 0; i < count; i++) {
        if (!tests_hold(emits[i].tests, emits[i].test_count, a->record, element)) continue;
        fire(a, &emits[i], element);
        if (!emits[i].more) return;
    }
}

static void run_rule(apply *a, const peri_rule *rule) {
    if (!rule->has_each) {
        run_emits(a, rule->emits, rule->emit_count, a->record);
    } else {
        peri_json each = peri_rule_find(&rule->each, a->record, a->record);
        if (peri_json_type_of(each) == PERI_JSON_ARRAY) {
            for (peri_json_iter it = peri_json_begin(each); peri_json_more(&it);) {
                run_emits(a, rule->emits, rule->emit_count, it.value);
            }
        } else if (present(each)) {
            run_emits(a, rule->emits, rule->emit_count, each);
        }
    }
    run_emits(a, rule->after, rule->after_count, a->record);
}

peri_apply_result peri_dialect_apply(const peri_dialect *dialect, peri_json record,
                                     peri_arena *arena, peri_obs_fn fn, void *user) {
    apply a = {.dialect = dialect, .record = record, .arena = arena, .fn = fn, .user = user};
    const peri_rule *rule = NULL;
    for (size_t i = 0; i < dialect->rule_count && !rule; i++) {
        const peri_rule *candidate = &dialect->rules[i];
        if (tests_hold(candidate->tests, candidate->test_count, record, record)) {
            rule = candidate;
        }
    }
    if (rule) run_rule(&a, rule);
    if (!rule) a.result.state = PERI_APPLY_UNKNOWN;
    if (a.result.invalid) a.result.state = PERI_APPLY_INVALID;
    if (a.result.state != PERI_APPLY_MATCHED) emit_raw(&a);
    return a.result;
}
