// One assignment of a rule: which value of the record (pick.h) goes where in the observation,
// as what (content.h). Who asks for more than a field needs is refused.
#include "ingest/extract.h"

#include "base/clock.h"
#include "ingest/content.h"
#include "ingest/pick.h"
#include "ingest/whole.h"

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

void peri_extract_count(peri_obs_value *value, uint64_t count, peri_arena *arena) {
    if (!value) return;
    char digits[24];
    peri_buf out = {.ptr = digits, .cap = sizeof digits, .max = sizeof digits - 1};
    peri_buf_add_uint(&out, count);
    value->number = (double)count;
    value->text.head = peri_arena_copy(arena, peri_buf_str(&out));
    value->text.cp = value->text.u16 = (uint32_t)out.len;
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

// What a target is in the observation, where that is a member and nothing more.
typedef enum target_type { OTHER, TEXT, FLAG, TOKENS } target_type;

static const struct {
    target_type type;
    size_t offset;
} targets[PERI_TARGET_FIELD] = {
#define AT(target, what, member) [PERI_TARGET_##target] = {what, offsetof(peri_obs, member)}
    AT(SESSION, TEXT, session),
    AT(OWNER, TEXT, agent),
    AT(SUBAGENT_ID, TEXT, subagent_id),
    AT(PRODUCER, TEXT, source),
    AT(AGENT_NAME, TEXT, x.agent_name),
    AT(ORIGIN, TEXT, x.origin),
    AT(ANSWER, TEXT, x.answer),
    AT(RECORD, TEXT, x.record),
    AT(ENTRY, TEXT, x.entry),
    AT(FOLLOWS, TEXT, x.follows),
    AT(PARENT, TEXT, x.parent),
    AT(CWD, TEXT, x.cwd),
    AT(LABEL, TEXT, x.source),
    AT(VERSION, TEXT, x.version),
    AT(PERMISSION_MODE, TEXT, x.permission_mode),
    AT(OBSERVERS, TEXT, x.observers),
    AT(RESTRICTED, TEXT, x.restricted),
    AT(OBSERVER_TASK, TEXT, x.observer_task),
    AT(OBSERVER_TYPE, TEXT, x.observer_type),
    AT(CHILD, TEXT, x.child),
    AT(EVENT, TEXT, x.event),
    AT(EVENT_TOOL, TEXT, x.event_tool),
    AT(PARENT_RECORD, TEXT, x.parent_record),
    AT(MAYBE, FLAG, x.maybe),
    AT(MID_TURN, FLAG, x.mid_turn),
    AT(CONTINUES, FLAG, x.continues),
    AT(OBSERVER, FLAG, x.observer),
    AT(ENDS_STEP, FLAG, x.ends_step),
    AT(ENDS_SESSION, FLAG, x.ends_session),
    AT(MENDS, FLAG, x.mends),
    AT(REPEATS, FLAG, x.repeats),
    AT(PARTIAL, FLAG, x.partial),
    AT(ASSEMBLE, FLAG, x.assemble),
    AT(CLIENT_OBSERVES, FLAG, x.client_observes),
    AT(UNSPAWNED, FLAG, x.unspawned),
    AT(TOKENS_INPUT, TOKENS, tokens.input),
    AT(TOKENS_CACHED, TOKENS, tokens.cached),
    AT(TOKENS_CREATED, TOKENS, tokens.cache_created),
    AT(TOKENS_OUTPUT, TOKENS, tokens.output),
#undef AT
};

static void set_tokens(peri_obs *obs, int64_t *to, peri_json v) {
    int64_t count;
    if (peri_json_int(v, &count) < 0 || count < 0) return;
    *to = count;
    if (!peri_obs_get(obs, PERI_OBS_F_TOKENS)) (void)peri_obs_add(obs, PERI_OBS_F_TOKENS);
}

// A whole number within the bounds, or the default.
static int64_t number_of(const peri_rule_set *set, peri_json v, peri_arena *arena, int64_t min,
                         int64_t max, int64_t otherwise) {
    int64_t number;
    if (!peri_pick_number(&set->pick, v, arena, &number)) return otherwise;
    return number < min || number > max ? otherwise : number;
}

static void set_other(peri_obs *obs, const peri_rule_set *set, peri_json v, peri_json record,
                      peri_arena *arena) {
    peri_text_caps output = {PERI_OUTPUT_HEAD_CP, PERI_OUTPUT_TAIL_CP};
    int64_t number;
    switch (set->target) {
    case PERI_TARGET_AT:
        set_time(obs, v);
        return;
    case PERI_TARGET_SEQ:
        number = number_of(set, v, arena, 0, INT64_MAX, -1);
        obs->has_source_seq = number >= 0;
        if (number >= 0) obs->source_seq = (uint64_t)number;
        return;
    case PERI_TARGET_PASS:
        obs->pass = (uint32_t)number_of(set, v, arena, 1, UINT32_MAX, obs->pass);
        return;
    case PERI_TARGET_SCOPE:
        if (peri_json_type_of(v) == PERI_JSON_OBJECT)
            obs->scope = peri_content_bounded(v, arena);
        return;
    case PERI_TARGET_RETRACTS:
        if (peri_json_type_of(v) == PERI_JSON_ARRAY)
            obs->x.retracts = peri_content_bounded(v, arena);
        return;
    case PERI_TARGET_ORDINAL:
        obs->ordinal = (uint32_t)number_of(set, v, arena, 0, UINT32_MAX, obs->ordinal);
        return;
    case PERI_TARGET_EXIT_CODE:
        obs->x.exit_code =
            (int32_t)number_of(set, v, arena, INT32_MIN + 1, INT32_MAX, obs->x.exit_code);
        return;
    case PERI_TARGET_ROLLBACK:
        obs->x.rollback = (uint32_t)number_of(set, v, arena, 0, UINT32_MAX, 0);
        return;
    case PERI_TARGET_DURATION:
        obs->x.duration_ms = (uint32_t)number_of(set, v, arena, 0, UINT32_MAX, 0);
        return;
    case PERI_TARGET_WHOLE:
        peri_extract_whole(obs, v, record, arena);
        return;
    case PERI_TARGET_OUTPUT:
        obs->x.output = peri_content_text(v, output, arena);
        return;
    default:
        return;
    }
}

// Only the texts of header and `x` can be joined.
static void set_text(peri_obs *obs, int target, peri_str text) {
    if (target >= PERI_TARGET_FIELD || targets[target].type != TEXT) return;
    *(peri_str *)(void *)((char *)obs + targets[target].offset) = text;
}

static void set_header(peri_obs *obs, const peri_rule_set *set, peri_json v, peri_json record,
                       peri_arena *arena) {
    void *member = (char *)obs + targets[set->target].offset;
    switch (targets[set->target].type) {
    case TEXT:
        *(peri_str *)member = peri_pick_text(&set->pick, v, arena);
        return;
    case FLAG:
        *(bool *)member = peri_json_is_true(v);
        return;
    case TOKENS:
        set_tokens(obs, member, v);
        return;
    case OTHER:
        set_other(obs, set, v, record, arena);
        return;
    }
}

// The object form of token counts, as AgentObservation itself has it.
static void set_tokens_object(peri_obs *obs, peri_json v) {
    peri_usage *tokens = &obs->tokens;
    set_tokens(obs, &tokens->input, peri_json_get(v, PERI_STR("input")));
    set_tokens(obs, &tokens->cached, peri_json_get(v, PERI_STR("cached")));
    set_tokens(obs, &tokens->cache_created, peri_json_get(v, PERI_STR("cacheCreated")));
    set_tokens(obs, &tokens->output, peri_json_get(v, PERI_STR("output")));
    tokens->complete = peri_json_is_true(peri_json_get(v, PERI_STR("complete")));
}

static peri_text_caps caps_of(peri_obs_kind kind, peri_obs_field field, char type) {
    if (field == PERI_OBS_F_PREVIEW) return (peri_text_caps){PERI_OBS_PREVIEW_U16, 0};
    if (type != 'S') return (peri_text_caps){PERI_INPUT_HEAD_CP, 0};
    bool said = kind == PERI_OBS_TEXT || kind == PERI_OBS_PROMPT || kind == PERI_OBS_RESULT ||
                kind == PERI_OBS_STEER;
    return said ? (peri_text_caps){PERI_TEXT_HEAD_CP, 0}
                : (peri_text_caps){PERI_OUTPUT_HEAD_CP, 0};
}

static void set_field(peri_obs *obs, const peri_rule_set *set, peri_json v, peri_arena *arena) {
    peri_obs_field field = (peri_obs_field)(set->target - PERI_TARGET_FIELD);
    char type = peri_obs_field_type(field);
    if (type == 'U') {
        set_tokens_object(obs, v);
        return;
    }
    peri_obs_value *value = peri_obs_add(obs, field);
    if (!value) return;
    peri_text_caps caps = caps_of(obs->kind, field, type);
    if (type == 'S' && (set->pick.begin.ptr || set->pick.after.ptr)) {
        value->text = peri_text_of(peri_pick_text(&set->pick, v, arena), caps);
        value->hash = peri_str_hash_wide(value->text.head);
        return;
    }
    peri_json_doc inner;
    peri_json_doc_init(&inner);
    if (set->pick.json && peri_pick_inner(v, &inner, arena)) v = peri_json_root(&inner);
    peri_obs_fill(value, type, v, caps, arena);
    peri_json_doc_deinit(&inner);
}

void peri_extract_value(peri_obs *obs, const peri_rule_set *set, peri_json v, peri_json record,
                        peri_arena *arena) {
    if (peri_json_type_of(v) <= PERI_JSON_NULL) return;
    if (set->target >= PERI_TARGET_FIELD) {
        set_field(obs, set, v, arena);
    } else {
        set_header(obs, set, v, record, arena);
    }
}

void peri_extract(peri_obs *obs, const peri_rule_set *set, const peri_rule_scope *scope,
                  peri_arena *arena) {
    if (set->pick.join.ptr) {
        peri_str joined = peri_pick_joined(&set->pick, scope, arena);
        if (joined.ptr) set_text(obs, set->target, joined);
        return;
    }
    peri_json v = peri_pick_find(&set->pick, scope);
    peri_extract_value(obs, set, v, scope->record, arena);
}
