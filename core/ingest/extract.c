// Values out of records: texts with both ends kept, compact JSON with a form that still parses,
// numbers digit for digit. What is foreign stays bounded here; who asks for more than a field
// needs is refused.
#include "ingest/extract.h"

#include "base/clock.h"
#include "ingest/apply.h"

int peri_rule_target_find(peri_str word) {
    static const peri_str words[] = {
#define TARGET_WORD(name, text) [PERI_TARGET_##name] = {text, sizeof(text) - 1},
        PERI_TARGET_LIST(TARGET_WORD)
#undef TARGET_WORD
    };
    for (int i = 0; i < PERI_TARGET_FIELD; i++) {
        if (peri_str_eq(words[i], word)) return i;
    }
    peri_obs_field field = peri_obs_field_find(word);
    return field == PERI_OBS_FIELD_COUNT ? -1 : PERI_TARGET_FIELD + (int)field;
}

// What a content block shows as text; an image is named, not shown.
static peri_json block_text(peri_json block) {
    if (peri_json_type_of(block) == PERI_JSON_STRING) return block;
    peri_json text = peri_json_get(block, PERI_STR("text"));
    return peri_json_type_of(text) == PERI_JSON_STRING ? text : (peri_json){0};
}

static void add_block(peri_buf *joined, peri_json block, size_t *left_out) {
    if (joined->len) peri_buf_add_byte(joined, '\n');
    peri_json text = block_text(block);
    if (!text.doc) {
        peri_str type = peri_json_raw(peri_json_get(block, PERI_STR("type")));
        peri_buf_addf(joined, "[%.*s]", PERI_FMT(type.len ? type : PERI_STR("block")));
        return;
    }
    peri_arena scratch;
    peri_arena_init(&scratch, 4 * (size_t)PERI_TEXT_HEAD_CP + 4096);
    peri_text part = peri_json_text(text, (peri_text_caps){PERI_TEXT_HEAD_CP, 0}, &scratch);
    peri_buf_add(joined, part.head);
    if (part.cut) *left_out += part.cp - PERI_TEXT_HEAD_CP;
    peri_arena_deinit(&scratch);
}

enum { JOINED_MAX_BYTES = 1024 * 1024 };

// Several blocks: joined in full up to a cap, then treated as one text.
static peri_text joined_text(peri_json array, peri_text_caps caps, peri_arena *arena) {
    peri_buf joined;
    peri_buf_init(&joined, JOINED_MAX_BYTES);
    size_t left_out = 0;
    for (peri_json_iter it = peri_json_begin(array); peri_json_more(&it);) {
        add_block(&joined, it.value, &left_out);
    }
    peri_text text = peri_text_of(peri_buf_str(&joined), caps);
    text.head = peri_arena_copy(arena, text.head.ptr ? text.head : PERI_STR(""));
    text.tail = peri_arena_copy(arena, text.tail);
    text.cp += (uint32_t)left_out;
    text.u16 += (uint32_t)left_out;
    text.cut = text.cut || left_out || joined.status < 0;
    peri_buf_deinit(&joined);
    return text;
}

peri_text peri_content_text(peri_json from, peri_text_caps caps, peri_arena *arena) {
    switch (peri_json_type_of(from)) {
    case PERI_JSON_STRING:
        return peri_json_text(from, caps, arena);
    case PERI_JSON_ARRAY: {
        peri_json_iter it = peri_json_begin(from);
        if (!peri_json_more(&it)) return peri_text_of(PERI_STR(""), caps);
        peri_json only = block_text(it.value);
        if (only.doc && !peri_json_more(&it)) return peri_json_text(only, caps, arena);
        return joined_text(from, caps, arena);
    }
    case PERI_JSON_NUMBER:
    case PERI_JSON_BOOL:
        return peri_text_of(peri_json_raw(from), caps);
    case PERI_JSON_OBJECT: {
        peri_obs_value value = {0};
        peri_obs_fill(&value, 'J', from, caps, arena);
        return value.text;
    }
    default:
        return (peri_text){0};
    }
}

// The compact form, written into the arena.
static peri_text compact_text(peri_json from, size_t head_cp, peri_arena *arena) {
    peri_buf out;
    peri_buf_init(&out, SIZE_MAX / 4);
    peri_utf8_size whole = peri_json_compact(from, &out, head_cp, 0);
    peri_text text = {
        .head = out.status < 0 ? (peri_str){0} : peri_arena_copy(arena, peri_buf_str(&out)),
        .cp = (uint32_t)whole.cp,
        .u16 = (uint32_t)whole.u16,
        .cut = whole.cp > head_cp,
    };
    peri_buf_deinit(&out);
    return text;
}

static peri_str bounded_json(peri_json from, peri_arena *arena) {
    peri_buf out;
    peri_buf_init(&out, PERI_BOUNDED_MAX_BYTES);
    (void)peri_json_compact(from, &out, SIZE_MAX, PERI_BOUNDED_STRING_CP);
    peri_str bounded =
        out.status < 0 ? (peri_str){0} : peri_arena_copy(arena, peri_buf_str(&out));
    peri_buf_deinit(&out);
    return bounded;
}

void peri_extract_count(peri_obs_value *value, uint64_t count, peri_arena *arena) {
    if (!value) return;
    char digits[24];
    peri_buf out = {.ptr = digits, .cap = sizeof digits, .max = sizeof digits - 1};
    peri_buf_add_uint(&out, count);
    value->number = (double)count;
    value->text.head = peri_arena_copy(arena, peri_buf_str(&out));
    value->text.cp = value->text.u16 = (uint32_t)out.len;
}

void peri_obs_fill(peri_obs_value *value, char type, peri_json from, peri_text_caps caps,
                   peri_arena *arena) {
    switch (type) {
    case 'B':
        value->flag = peri_json_is_true(from);
        return;
    case 'N':
        if (peri_json_double(from, &value->number) < 0) return;
        value->text = peri_text_of(peri_json_raw(from), caps);
        return;
    case 'S':
        value->text = peri_content_text(from, caps, arena);
        value->hash = peri_str_hash_wide(peri_json_raw(from));
        return;
    default:
        value->text = compact_text(from, caps.head_cp, arena);
        if (value->text.cut) value->bounded = bounded_json(from, arena);
        value->hash = peri_str_hash_wide(peri_json_raw(from));
        return;
    }
}

static peri_json find(const peri_rule_pick *pick, peri_json record, peri_json element) {
    for (size_t i = 0; i < pick->path_count; i++) {
        peri_json v = peri_rule_find(&pick->paths[i], record, element);
        if (peri_json_type_of(v) > PERI_JSON_NULL) return v;
    }
    return pick->constant;
}

// The whole number behind `after` at the start of a text, such as "Exit code 2".
static bool number_after(peri_json v, peri_str after, int64_t *out) {
    peri_str raw = peri_json_raw(block_text(v).doc ? block_text(v) : v);
    if (peri_json_type_of(v) == PERI_JSON_ARRAY) {
        peri_json_iter it = peri_json_begin(v);
        raw = peri_json_more(&it) ? peri_json_raw(block_text(it.value)) : (peri_str){0};
    }
    if (!peri_str_starts(raw, after)) return false;
    raw = peri_str_sub(raw, after.len, raw.len);
    size_t len = 0;
    while (len < raw.len && len < 10 &&
           ((raw.ptr[len] >= '0' && raw.ptr[len] <= '9') || (len == 0 && raw.ptr[0] == '-'))) {
        len++;
    }
    return peri_str_int(peri_str_sub(raw, 0, len), out) == PERI_OK;
}

static peri_str short_text(peri_json v, peri_arena *arena) {
    peri_text text = peri_content_text(v, (peri_text_caps){PERI_OUTPUT_HEAD_CP, 0}, arena);
    return text.head;
}

static peri_str prefixed(peri_str prefix, peri_str text, peri_arena *arena) {
    if (!prefix.len || !text.ptr) return text;
    char *ptr = peri_arena_alloc(arena, prefix.len + text.len);
    if (!ptr) return (peri_str){0};
    memcpy(ptr, prefix.ptr, prefix.len);
    memcpy(ptr + prefix.len, text.ptr, text.len);
    return (peri_str){ptr, prefix.len + text.len};
}

// Numbers below this are seconds when a time is given as one; above, milliseconds.
#define SECONDS_BELOW INT64_C(100000000000)

static void set_time(peri_obs *obs, peri_json v) {
    int64_t at;
    if (peri_json_type_of(v) == PERI_JSON_NUMBER) {
        double number;
        if (peri_json_double(v, &number) < 0 || number < 0 || number > 9e15) return;
        at = number < (double)SECONDS_BELOW ? (int64_t)(number * 1000) : (int64_t)number;
    } else if (peri_time_parse(peri_json_raw(v), &at) < 0) {
        return;
    }
    obs->has_at = true;
    obs->at_wall_ms = at;
}

static peri_str *text_target(peri_obs *obs, int target) {
    switch (target) {
    case PERI_TARGET_SESSION:
        return &obs->session;
    case PERI_TARGET_OWNER:
        return &obs->agent;
    case PERI_TARGET_SUBAGENT_ID:
        return &obs->subagent_id;
    case PERI_TARGET_PRODUCER:
        return &obs->source;
    case PERI_TARGET_AGENT_NAME:
        return &obs->x.agent_name;
    case PERI_TARGET_ORIGIN:
        return &obs->x.origin;
    case PERI_TARGET_ANSWER:
        return &obs->x.answer;
    case PERI_TARGET_RECORD:
        return &obs->x.record;
    case PERI_TARGET_PARENT:
        return &obs->x.parent;
    case PERI_TARGET_CWD:
        return &obs->x.cwd;
    case PERI_TARGET_LABEL:
        return &obs->x.source;
    case PERI_TARGET_VERSION:
        return &obs->x.version;
    default:
        return NULL;
    }
}

static int64_t *token_target(peri_obs *obs, int target) {
    switch (target) {
    case PERI_TARGET_TOKENS_INPUT:
        return &obs->tokens.input;
    case PERI_TARGET_TOKENS_CACHED:
        return &obs->tokens.cached;
    case PERI_TARGET_TOKENS_CREATED:
        return &obs->tokens.cache_created;
    case PERI_TARGET_TOKENS_OUTPUT:
        return &obs->tokens.output;
    default:
        return NULL;
    }
}

static void set_tokens(peri_obs *obs, int target, peri_json v) {
    int64_t count;
    if (peri_json_int(v, &count) < 0 || count < 0) return;
    *token_target(obs, target) = count;
    if (!peri_obs_get(obs, PERI_OBS_F_TOKENS)) (void)peri_obs_add(obs, PERI_OBS_F_TOKENS);
}

static void set_header(peri_obs *obs, const peri_rule_set *set, peri_json v,
                       peri_arena *arena) {
    int64_t number;
    switch (set->target) {
    case PERI_TARGET_AT:
        set_time(obs, v);
        return;
    case PERI_TARGET_SEQ:
        if (peri_json_int(v, &number) < 0 || number < 0) return;
        obs->has_source_seq = true;
        obs->source_seq = (uint64_t)number;
        return;
    case PERI_TARGET_PASS:
        if (peri_json_int(v, &number) == PERI_OK && number >= 1 && number <= UINT32_MAX) {
            obs->pass = (uint32_t)number;
        }
        return;
    case PERI_TARGET_SCOPE:
        if (peri_json_type_of(v) == PERI_JSON_OBJECT) {
            obs->scope = bounded_json(v, arena);
        }
        return;
    case PERI_TARGET_EXIT_CODE:
        if (set->pick.after.ptr ? number_after(v, set->pick.after, &number)
                                : peri_json_int(v, &number) == PERI_OK) {
            obs->x.exit_code = (int32_t)number;
        }
        return;
    case PERI_TARGET_MAYBE:
        obs->x.maybe = peri_json_is_true(v);
        return;
    case PERI_TARGET_MID_TURN:
        obs->x.mid_turn = peri_json_is_true(v);
        return;
    case PERI_TARGET_CONTINUES:
        obs->x.continues = peri_json_is_true(v);
        return;
    case PERI_TARGET_OUTPUT:
        obs->x.output = peri_content_text(
            v, (peri_text_caps){PERI_OUTPUT_HEAD_CP, PERI_OUTPUT_TAIL_CP}, arena);
        return;
    default:
        set_tokens(obs, set->target, v);
        return;
    }
}

// The object form of token counts, as AgentObservation itself has it.
static void set_tokens_object(peri_obs *obs, peri_json v) {
    static const struct {
        peri_str key;
        int target;
    } keys[] = {
        {{"input", 5}, PERI_TARGET_TOKENS_INPUT},
        {{"cached", 6}, PERI_TARGET_TOKENS_CACHED},
        {{"cacheCreated", 12}, PERI_TARGET_TOKENS_CREATED},
        {{"output", 6}, PERI_TARGET_TOKENS_OUTPUT},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        set_tokens(obs, keys[i].target, peri_json_get(v, keys[i].key));
    }
    obs->tokens.complete = peri_json_is_true(peri_json_get(v, PERI_STR("complete")));
}

static peri_text_caps caps_of(peri_obs_kind kind, char type) {
    if (type != 'S') return (peri_text_caps){PERI_INPUT_HEAD_CP, 0};
    bool said = kind == PERI_OBS_TEXT || kind == PERI_OBS_PROMPT || kind == PERI_OBS_RESULT ||
                kind == PERI_OBS_STEER;
    return said ? (peri_text_caps){PERI_TEXT_HEAD_CP, 0}
                : (peri_text_caps){PERI_OUTPUT_HEAD_CP, 0};
}

void peri_extract(peri_obs *obs, const peri_rule_set *set, peri_json record, peri_json element,
                  peri_arena *arena) {
    peri_json v = find(&set->pick, record, element);
    if (peri_json_type_of(v) <= PERI_JSON_NULL) return;
    if (set->target >= PERI_TARGET_FIELD) {
        peri_obs_field field = (peri_obs_field)(set->target - PERI_TARGET_FIELD);
        char type = peri_obs_field_type(field);
        if (type == 'U') {
            set_tokens_object(obs, v);
            return;
        }
        peri_obs_value *value = peri_obs_add(obs, field);
        if (value) peri_obs_fill(value, type, v, caps_of(obs->kind, type), arena);
        return;
    }
    peri_str *text = text_target(obs, set->target);
    if (text) {
        *text = prefixed(set->pick.prefix, short_text(v, arena), arena);
    } else {
        set_header(obs, set, v, arena);
    }
}
