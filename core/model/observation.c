// The 36 kinds: their words, their fields, which of them must be there, and writing one as JSON.
// Reading is ingest's work: the dialect `observations` is a table of rules like any other.
#include "model/observation.h"

#include "base/clock.h"

#define MUST(name) (UINT64_C(1) << PERI_OBS_F_##name)

typedef struct kind_schema {
    peri_str word;
    uint64_t required, optional; // bit per peri_obs_field
} kind_schema;

_Static_assert(PERI_OBS_FIELD_COUNT <= 64, "a schema is two 64-bit sets");

// Required fields: contracts.md 2. Optional ones: the document the kinds come from.
static const kind_schema schemas[PERI_OBS_KIND_COUNT] = {
#define WORD(name, text) [PERI_OBS_##name].word = {text, sizeof(text) - 1},
    PERI_OBS_KIND_LIST(WORD)
#undef WORD
#define NEEDS(name, must, may) [PERI_OBS_##name].required = (must), [PERI_OBS_##name].optional = (may)
    NEEDS(MODEL_ROUTE, MUST(STEP) | MUST(CHOICE) | MUST(MODEL) | MUST(REASON), MUST(CONFIDENCE)),
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

peri_obs_field peri_obs_missing(const peri_obs *obs) {
    uint64_t need = schemas[obs->kind].required;
    for (size_t i = 0; i < obs->value_count; i++) {
        need &= ~(UINT64_C(1) << obs->values[i].field);
    }
    return need ? (peri_obs_field)__builtin_ctzll(need) : PERI_OBS_FIELD_COUNT;
}

// Writing. A member is preceded by a comma unless it is the first of its object.
typedef struct writer {
    peri_buf *out;
    bool started;
} writer;

static void member(writer *w, peri_str name) {
    if (w->started) peri_buf_add_byte(w->out, ',');
    w->started = true;
    peri_json_add_string(w->out, name);
    peri_buf_add_byte(w->out, ':');
}

static void string_member(writer *w, const char *name, peri_str text) {
    if (!text.ptr) return;
    member(w, peri_str_c(name));
    peri_json_add_string(w->out, text);
}

static void text_member(writer *w, const char *name, const peri_text *text) {
    if (peri_text_absent(text)) return;
    member(w, peri_str_c(name));
    if (!text->cut) {
        peri_json_add_string(w->out, text->head);
        return;
    }
    peri_buf whole;
    peri_buf_init(&whole, SIZE_MAX / 4);
    peri_text_add(&whole, text);
    if (whole.status < 0) w->out->status = whole.status;
    peri_json_add_string(w->out, peri_buf_str(&whole));
    peri_buf_deinit(&whole);
}

static void usage_member(writer *w, const peri_usage *usage) {
    member(w, PERI_STR("tokens"));
    peri_buf_addf(w->out, "{\"input\":%lld,\"cached\":%lld", (long long)usage->input,
                  (long long)usage->cached);
    if (usage->cache_created) {
        peri_buf_addf(w->out, ",\"cacheCreated\":%lld", (long long)usage->cache_created);
    }
    peri_buf_addf(w->out, ",\"output\":%lld", (long long)usage->output);
    if (usage->complete) peri_buf_add_c(w->out, ",\"complete\":true");
    peri_buf_add_byte(w->out, '}');
}

static void value_member(writer *w, const peri_obs *obs, const peri_obs_value *value) {
    peri_str name = fields[value->field].word;
    switch (fields[value->field].type) {
    case 'S':
        text_member(w, name.ptr, &value->text);
        return;
    case 'U':
        usage_member(w, &obs->tokens);
        return;
    case 'B':
        member(w, name);
        peri_buf_add_c(w->out, value->flag ? "true" : "false");
        return;
    default:
        break;
    }
    member(w, name);
    if (!value->text.cut) {
        peri_buf_add(w->out, value->text.head);
    } else if (value->bounded.ptr) {
        peri_buf_add(w->out, value->bounded);
    } else { // too large even with its strings cut: its beginning, as a string
        peri_json_add_string(w->out, value->text.head);
    }
}

static void x_member(writer *outer, const peri_obs_x *x) {
    size_t before = outer->out->len;
    bool was_started = outer->started;
    member(outer, PERI_STR("x"));
    peri_buf_add_byte(outer->out, '{');
    writer w = {.out = outer->out};
    string_member(&w, "agentName", x->agent_name);
    string_member(&w, "origin", x->origin);
    string_member(&w, "answer", x->answer);
    string_member(&w, "record", x->record);
    string_member(&w, "parent", x->parent);
    string_member(&w, "cwd", x->cwd);
    string_member(&w, "source", x->source);
    string_member(&w, "version", x->version);
    text_member(&w, "output", &x->output);
    if (x->exit_code != PERI_OBS_NO_EXIT) {
        member(&w, PERI_STR("exitCode"));
        peri_buf_add_int(w.out, x->exit_code);
    }
    const struct {
        const char *name;
        bool set;
    } flags[] = {{"maybe", x->maybe}, {"midTurn", x->mid_turn}, {"continues", x->continues}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (!flags[i].set) continue;
        member(&w, peri_str_c(flags[i].name));
        peri_buf_add_c(w.out, "true");
    }
    peri_buf_add_byte(outer->out, '}');
    if (!w.started) { // nothing to say: no member
        peri_buf_truncate(outer->out, before);
        outer->started = was_started;
    }
}

void peri_obs_write(peri_buf *out, const peri_obs *obs) {
    peri_buf_add_byte(out, '{');
    writer w = {.out = out};
    string_member(&w, "kind", schemas[obs->kind].word);
    for (size_t i = 0; i < obs->value_count; i++) value_member(&w, obs, &obs->values[i]);
    string_member(&w, "subagentId", obs->subagent_id);
    member(&w, PERI_STR("pass"));
    peri_buf_add_uint(out, obs->pass);
    if (obs->has_at) {
        member(&w, PERI_STR("at"));
        peri_buf_add_byte(out, '"');
        peri_time_format(out, obs->at_wall_ms);
        peri_buf_add_byte(out, '"');
    }
    if (obs->seq) {
        member(&w, PERI_STR("seq"));
        peri_buf_add_uint(out, obs->seq);
    }
    if (obs->has_source_seq) {
        member(&w, PERI_STR("sourceSeq"));
        peri_buf_add_uint(out, obs->source_seq);
    }
    string_member(&w, "source", obs->source);
    if (obs->scope.ptr) {
        member(&w, PERI_STR("scope"));
        peri_buf_add(out, obs->scope);
    }
    string_member(&w, "session", obs->session);
    string_member(&w, "agent", obs->agent);
    x_member(&w, &obs->x);
    peri_buf_add_byte(out, '}');
}
