// The 36 kinds: their words, their fields, and which of them must be there. Writing one as JSON
// is observation_write.c; reading is ingest's work: the dialect `observations` is a table of
// rules like any other.
#include "model/observation.h"

#define MUST(name) (UINT64_C(1) << PERI_OBS_F_##name)

typedef struct kind_schema {
    peri_str word;
    uint64_t required, optional; // bit per peri_obs_field
} kind_schema;

_Static_assert(PERI_OBS_FIELD_COUNT <= 64, "a schema is two 64-bit sets");

// Which fields each kind must have, and which it may.
static const kind_schema schemas[PERI_OBS_KIND_COUNT] = {
#define WORD(name, text) [PERI_OBS_##name].word = {text, sizeof(text) - 1},
    PERI_OBS_KIND_LIST(WORD)
#undef WORD
#define NEEDS(name, must, may)                                                                 \
    [PERI_OBS_##name].required = (must), [PERI_OBS_##name].optional = (may)
        NEEDS(MODEL_ROUTE, MUST(STEP) | MUST(CHOICE) | MUST(MODEL) | MUST(REASON),
              MUST(CONFIDENCE)),
    NEEDS(SUBAGENT, MUST(ID) | MUST(CALL_ID) | MUST(NAME) | MUST(STATUS), MUST(CONVERSATION)),
    NEEDS(MESSAGE_USAGE, MUST(TOKENS), MUST(MESSAGE_ID) | MUST(PARENT_CALL_ID)),
    NEEDS(STDERR, MUST(TEXT), MUST(TRUNCATED)),
    NEEDS(STOPPED, MUST(REASON), 0),
    NEEDS(STEER, MUST(TEXT) | MUST(MODE), 0),
    NEEDS(REASONING, MUST(TEXT), MUST(PARENT_CALL_ID)),
    NEEDS(FILE_CHANGE, MUST(CHANGES), MUST(CALL_ID)),
    NEEDS(MODEL_REQUEST, MUST(REQUEST), 0),
    NEEDS(MODEL_RESPONSE, MUST(RESPONSE), 0),
    NEEDS(MODEL_RETRY, MUST(ATTEMPT), MUST(MESSAGE)),
    NEEDS(MODEL_ERROR, MUST(MESSAGE), 0),
    NEEDS(HOOK, MUST(PHASE) | MUST(CHANGED), 0),
    NEEDS(INSTRUCTIONS_LOADED, MUST(COUNT), 0),
    NEEDS(SKILLS_LOADED, MUST(NAMES), 0),
    NEEDS(TOOL_OUTPUT, MUST(CALL_ID) | MUST(CHANNEL) | MUST(TEXT), 0),
    NEEDS(PHASE, MUST(NAME), MUST(AGENT) | MUST(BRANCH) | MUST(DIRECTORY)),
    NEEDS(SUMMARY, MUST(DURATION_MS) | MUST(STATUS) | MUST(TOKENS), 0),
    NEEDS(WARNING, MUST(MESSAGE), 0),
    NEEDS(TEXT, MUST(TEXT), MUST(PARENT_CALL_ID)),
    NEEDS(TEXT_DELTA, MUST(TEXT), MUST(PARENT_CALL_ID)),
    NEEDS(RESULT, MUST(TEXT), 0),
    NEEDS(PROMPT, MUST(TEXT), 0),
    NEEDS(TOOL, MUST(NAME) | MUST(INPUT), MUST(CALL_ID) | MUST(PARENT_CALL_ID)),
    NEEDS(TOOL_RESULT,
          MUST(CALL_ID) | MUST(NAME) | MUST(IS_ERROR) | MUST(PREVIEW) | MUST(CHARACTERS),
          MUST(PARENT_CALL_ID)),
    NEEDS(STEP, MUST(INDEX), 0),
    NEEDS(TOOL_DENIED, MUST(CALL_ID) | MUST(NAME) | MUST(REASON), 0),
    NEEDS(STOP_PREVENTED, MUST(MESSAGE), 0),
    NEEDS(COMPACTION, MUST(STRATEGY) | MUST(MESSAGES), 0),
    NEEDS(CONVERSATION, MUST(ID), 0),
    NEEDS(USAGE, MUST(TOKENS), MUST(CUMULATIVE)),
    NEEDS(FAILURE, MUST(MESSAGE), 0),
    NEEDS(QUOTA, MUST(MESSAGE), MUST(RESET_AT)),
    NEEDS(FALLBACK, MUST(FROM) | MUST(TO) | MUST(FAILURE), MUST(MESSAGE) | MUST(RESET_AT)),
    NEEDS(FINISHED, 0, 0),
    NEEDS(RAW, MUST(VALUE), MUST(BYTES) | MUST(TRUNCATED)),
#undef NEEDS
};

static const struct {
    peri_str word;
    char type;
} fields[PERI_OBS_FIELD_COUNT] = {
#define FIELD(name, text, kind) [PERI_OBS_F_##name] = {{text, sizeof(text) - 1}, #kind[0]},
    PERI_OBS_FIELD_LIST(FIELD)
#undef FIELD
};

void peri_obs_init(peri_obs *obs, peri_obs_kind kind) {
    // The values are not cleared: value_count says how many of them are set.
    memset(obs, 0, offsetof(peri_obs, values));
    memset(&obs->x, 0, sizeof obs->x);
    obs->kind = kind;
    obs->pass = 1;
    obs->x.exit_code = PERI_OBS_NO_EXIT;
}

const peri_obs_value *peri_obs_get(const peri_obs *obs, peri_obs_field field) {
    for (size_t i = 0; i < obs->value_count; i++) {
        if (obs->values[i].field == field) return &obs->values[i];
    }
    return NULL;
}

peri_str peri_obs_str(const peri_obs *obs, peri_obs_field field) {
    const peri_obs_value *value = peri_obs_get(obs, field);
    return value ? value->text.head : (peri_str){0};
}

bool peri_obs_flag(const peri_obs *obs, peri_obs_field field) {
    const peri_obs_value *value = peri_obs_get(obs, field);
    return value && value->flag;
}

peri_obs_value *peri_obs_add(peri_obs *obs, peri_obs_field field) {
    peri_obs_value *slot = NULL;
    for (size_t i = 0; i < obs->value_count && !slot; i++) {
        if (obs->values[i].field == field) slot = &obs->values[i];
    }
    if (!slot) {
        if (obs->value_count == PERI_OBS_MAX_VALUES) return NULL;
        slot = &obs->values[obs->value_count++];
    }
    *slot = (peri_obs_value){.field = (uint8_t)field};
    return slot;
}

void peri_obs_del(peri_obs *obs, peri_obs_field field) {
    size_t at = 0;
    while (at < obs->value_count && obs->values[at].field != field) at++;
    if (at == obs->value_count) return;
    obs->value_count--;
    memmove(obs->values + at, obs->values + at + 1,
            (obs->value_count - at) * sizeof obs->values[0]);
}

peri_str peri_obs_kind_word(peri_obs_kind kind) {
    return schemas[kind].word;
}

peri_obs_kind peri_obs_kind_find(peri_str word) {
    peri_obs_kind kind = 0;
    while (kind < PERI_OBS_KIND_COUNT && !peri_str_eq(schemas[kind].word, word)) kind++;
    return kind;
}

peri_str peri_obs_field_word(peri_obs_field field) {
    return fields[field].word;
}

peri_obs_field peri_obs_field_find(peri_str word) {
    peri_obs_field field = 0;
    while (field < PERI_OBS_FIELD_COUNT && !peri_str_eq(fields[field].word, word)) field++;
    return field;
}

char peri_obs_field_type(peri_obs_field field) {
    return fields[field].type;
}

peri_obs_need peri_obs_needs(peri_obs_kind kind, peri_obs_field field) {
    uint64_t bit = UINT64_C(1) << field;
    if (schemas[kind].required & bit) return PERI_OBS_REQUIRED;
    return schemas[kind].optional & bit ? PERI_OBS_OPTIONAL : PERI_OBS_NONE;
}

peri_obs_field peri_obs_missing(const peri_obs *obs, uint64_t spared) {
    uint64_t need = schemas[obs->kind].required & ~spared;
    for (size_t i = 0; i < obs->value_count; i++) {
        need &= ~(UINT64_C(1) << obs->values[i].field);
    }
    return need ? (peri_obs_field)__builtin_ctzll(need) : PERI_OBS_FIELD_COUNT;
}
