// What a `when` asks of a record: words, beginnings, presence, types. Runs several times for
// every record, so that it unescapes nothing it need not and allocates nothing at all.
#include "ingest/match.h"

static bool same(peri_json a, peri_json b) {
    return a.doc == b.doc && a.node == b.node;
}

// What is found from the record is remembered apart from what
// is found from an element or the line.
static peri_path_base base_of(const peri_rule_path *path, const peri_rule_scope *scope) {
    peri_json v = path->from == PERI_FROM_ELEMENT  ? scope->element
                  : path->from == PERI_FROM_RECORD ? scope->record
                                                   : scope->line;
    return (peri_path_base){v, same(v, scope->record) ? 0 : 1};
}

// True if this path of this record is one that is remembered.
static bool remembered(const peri_rule_path *path, const peri_rule_scope *scope) {
    return path->id && scope->paths && scope->stamp == peri_paths_stamp(scope->paths);
}

peri_json peri_rule_find(const peri_rule_path *path, const peri_rule_scope *scope) {
    peri_path_base base = base_of(path, scope);
    if (remembered(path, scope)) return peri_paths_find(scope->paths, base, path->id);
    peri_json v = base.value;
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

static bool starts(peri_str raw, peri_str word) {
    while (word.len && raw.len) {
        char bytes[4] = {raw.ptr[0]};
        size_t used = 1, len = 1;
        if (raw.ptr[0] == '\\') len = peri_utf8_encode(bytes, peri_json_unescape(raw, &used));
        if (len > word.len || memcmp(bytes, word.ptr, len) != 0) return false;
        raw = peri_str_sub(raw, used, raw.len);
        word = peri_str_sub(word, len, word.len);
    }
    return word.len == 0;
}

static bool is_prefix(peri_json v, const peri_str *words) {
    if (peri_json_type_of(v) != PERI_JSON_STRING) return false;
    for (; words->ptr; words++) {
        if (starts(peri_json_raw(v), *words)) return true;
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

static bool is(const peri_rule_test *test, peri_json v) {
    switch (test->op) {
    case PERI_TEST_WORD:
        return is_word(v, test->words);
    case PERI_TEST_PREFIX:
        return is_prefix(v, test->words);
    case PERI_TEST_PRESENT:
        return present(v);
    case PERI_TEST_ABSENT:
        return !present(v);
    case PERI_TEST_TRUE:
        return peri_json_is_true(v);
    case PERI_TEST_FALSE:
        return !peri_json_is_true(v);
    case PERI_TEST_TYPE:
        return is_type(v, test->words);
    case PERI_TEST_EMPTY:
        return is_empty(v);
    case PERI_TEST_FILLED:
        return !is_empty(v);
    }
    return false;
}

static bool holds(const peri_rule_test *test, const peri_rule_scope *scope) {
    if (test->bits && remembered(&test->path, scope)) { // nearly all of them are so
        peri_path_base base = base_of(&test->path, scope);
        int word = peri_paths_word(scope->paths, base, test->path.id);
        if (word != PERI_WORD_ESCAPED) return word >= 0 && test->bits >> word & 1;
    }
    peri_json v = peri_rule_find(&test->path, scope);
    if (test->has_other && !present(v)) v = peri_rule_find(&test->other, scope);
    return is(test, v);
}

bool peri_tests_hold(const peri_rule_test *tests, size_t count, const peri_rule_scope *scope) {
    for (size_t i = 0; i < count; i++) {
        if (holds(&tests[i], scope) == tests[i].negate) return false;
    }
    return true;
}
