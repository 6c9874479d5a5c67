// Writing an observation as AgentObservation JSON. What is written must read back as the same
// observation (spec OB-2), so `x` carries all that the 36 kinds have no field for: the agent's
// key, what our dialects know, and the true sizes of values that are held in part.
#include "base/clock.h"
#include "model/observation.h"

// A member is preceded by a comma unless it is the first of its object.
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

static void uint_member(writer *w, const char *name, uint64_t value) {
    member(w, peri_str_c(name));
    peri_buf_add_uint(w->out, value);
}

static void flag_member(writer *w, const char *name, bool set) {
    if (!set) return;
    member(w, peri_str_c(name));
    peri_buf_add_c(w->out, "true");
}

static void text_member(writer *w, peri_str name, const peri_text *text) {
    if (peri_text_absent(text)) return;
    member(w, name);
    if (!text->cut) {
        peri_json_add_string(w->out, text->head);
        return;
    }
    peri_buf both;
    peri_buf_init(&both, SIZE_MAX / 4);
    peri_text_add(&both, text);
    if (both.status < 0 && w->out->status == PERI_OK) w->out->status = both.status;
    peri_json_add_string(w->out, peri_buf_str(&both));
    peri_buf_deinit(&both);
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

// A number or any JSON. One that could not be kept is null: the line must parse.
static void json_member(writer *w, peri_str name, const peri_obs_value *value) {
    member(w, name);
    if (!value->text.head.len) {
        peri_buf_add_c(w->out, "null");
    } else if (!value->text.cut) {
        peri_buf_add(w->out, value->text.head);
    } else if (value->bounded.ptr) {
        peri_buf_add(w->out, value->bounded);
    } else { // too large even with its strings cut: its beginning, as a string
        peri_json_add_string(w->out, value->text.head);
    }
}

static void value_member(writer *w, const peri_obs *obs, const peri_obs_value *value) {
    peri_str name = peri_obs_field_word((peri_obs_field)value->field);
    switch (peri_obs_field_type((peri_obs_field)value->field)) {
    case 'S':
        text_member(w, name, &value->text);
        return;
    case 'U':
        usage_member(w, &obs->tokens);
        return;
    case 'B':
        member(w, name);
        peri_buf_add_c(w->out, value->flag ? "true" : "false");
        return;
    default:
        json_member(w, name, value);
        return;
    }
}

// What a kind must have and the stream did not tell: a stray result's call, a step's number.
static void missing_member(writer *w, peri_obs_field field) {
    member(w, peri_obs_field_word(field));
    switch (peri_obs_field_type(field)) {
    case 'S':
        peri_buf_add_c(w->out, "\"\"");
        return;
    case 'N':
        peri_buf_add_c(w->out, "0");
        return;
    case 'B':
        peri_buf_add_c(w->out, "false");
        return;
    default:
        peri_buf_add_c(w->out, "null");
        return;
    }
}

// The fields of the kind, in the order of the schema whatever order they were told in.
static void field_members(writer *w, const peri_obs *obs) {
    for (peri_obs_field field = 0; field < PERI_OBS_FIELD_COUNT; field++) {
        const peri_obs_value *value = peri_obs_get(obs, field);
        if (value) {
            value_member(w, obs, value);
        } else if (peri_obs_needs(obs->kind, field) == PERI_OBS_REQUIRED) {
            missing_member(w, field);
        }
    }
}

// "NAME":{"head":N,"tail":N,"codePoints":N,"characters":N}: which part of a text is written.
static void begin_whole(writer *w, peri_str name, const peri_text *text) {
    member(w, name);
    writer part = {.out = w->out};
    peri_buf_add_byte(w->out, '{');
    uint_member(&part, "head", peri_utf8_count(text->head).cp);
    uint_member(&part, "tail", peri_utf8_count(text->tail).cp);
    uint_member(&part, "codePoints", text->cp);
    uint_member(&part, "characters", text->u16);
}

static void whole_value(writer *w, const peri_obs_value *value) {
    char type = peri_obs_field_type((peri_obs_field)value->field);
    if (!value->text.cut || (type != 'S' && type != 'J')) return;
    begin_whole(w, peri_obs_field_word((peri_obs_field)value->field), &value->text);
    peri_buf_addf(w->out, ",\"hash\":\"%lld\"", (long long)value->hash); // beyond 2^53
    if (type == 'J' && value->bounded.ptr) { // what stands in the field is another shortening
        peri_buf_add_c(w->out, ",\"text\":");
        peri_json_add_string(w->out, value->text.head);
    }
    peri_buf_add_byte(w->out, '}');
}

// A raw record that is cut says so in fields of its own.
static void whole_member(writer *outer, const peri_obs *obs) {
    bool any = obs->x.output.cut;
    for (size_t i = 0; i < obs->value_count; i++) any |= obs->values[i].text.cut;
    if (!any || obs->kind == PERI_OBS_RAW) return;
    member(outer, PERI_STR("whole"));
    writer w = {.out = outer->out};
    peri_buf_add_byte(w.out, '{');
    for (size_t i = 0; i < obs->value_count; i++) whole_value(&w, &obs->values[i]);
    if (obs->x.output.cut) {
        begin_whole(&w, PERI_STR("output"), &obs->x.output);
        peri_buf_add_byte(w.out, '}');
    }
    peri_buf_add_byte(w.out, '}');
}

// A tool's output that its preview shows in full is not written twice.
static bool output_is_preview(const peri_obs *obs) {
    const peri_obs_value *preview = peri_obs_get(obs, PERI_OBS_F_PREVIEW);
    return obs->kind == PERI_OBS_TOOL_RESULT && preview && !obs->x.output.cut &&
           !preview->text.cut && peri_str_eq(preview->text.head, obs->x.output.head);
}

static void x_texts(writer *w, const peri_obs *obs) {
    const peri_obs_x *x = &obs->x;
    const struct {
        const char *name;
        peri_str text;
    } texts[] = {
        {"session", obs->session},
        {"agent", obs->agent},
        {"agentName", x->agent_name},
        {"origin", x->origin},
        {"answer", x->answer},
        {"record", x->record},
        {"entry", x->entry},
        {"follows", x->follows},
        {"parent", x->parent},
        {"cwd", x->cwd},
        {"source", x->source},
        {"version", x->version},
        {"permissionMode", x->permission_mode},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].text.len) string_member(w, texts[i].name, texts[i].text);
    }
}

static void x_member(writer *outer, const peri_obs *obs) {
    const peri_obs_x *x = &obs->x;
    size_t before = outer->out->len;
    bool was_started = outer->started;
    member(outer, PERI_STR("x"));
    peri_buf_add_byte(outer->out, '{');
    writer w = {.out = outer->out};
    x_texts(&w, obs);
    if (!output_is_preview(obs)) text_member(&w, PERI_STR("output"), &x->output);
    if (x->exit_code != PERI_OBS_NO_EXIT) {
        member(&w, PERI_STR("exitCode"));
        peri_buf_add_int(w.out, x->exit_code);
    }
    flag_member(&w, "maybe", x->maybe);
    flag_member(&w, "midTurn", x->mid_turn);
    flag_member(&w, "continues", x->continues);
    flag_member(&w, "observer", x->observer);
    flag_member(&w, "endsStep", x->ends_step);
    flag_member(&w, "endsSession", x->ends_session);
    flag_member(&w, "mends", x->mends);
    flag_member(&w, "partial", x->partial);
    if (x->rollback) uint_member(&w, "rollback", x->rollback);
    if (x->duration_ms) uint_member(&w, "durationMs", x->duration_ms);
    if (x->retracts.ptr) {
        member(&w, PERI_STR("retracts"));
        peri_buf_add(w.out, x->retracts);
    }
    if (x->record.len && obs->ordinal) uint_member(&w, "ordinal", obs->ordinal);
    whole_member(&w, obs);
    peri_buf_add_byte(outer->out, '}');
    if (!w.started) { // nothing to say: no member
        peri_buf_truncate(outer->out, before);
        outer->started = was_started;
    }
}

void peri_obs_write(peri_buf *out, const peri_obs *obs) {
    peri_buf_add_byte(out, '{');
    writer w = {.out = out};
    string_member(&w, "kind", peri_obs_kind_word(obs->kind));
    field_members(&w, obs);
    string_member(&w, "subagentId", obs->subagent_id);
    uint_member(&w, "pass", obs->pass);
    if (obs->has_at) {
        member(&w, PERI_STR("at"));
        peri_buf_add_byte(out, '"');
        peri_time_format(out, obs->at_wall_ms);
        peri_buf_add_byte(out, '"');
    }
    if (obs->seq) uint_member(&w, "seq", obs->seq);
    if (obs->has_source_seq) uint_member(&w, "sourceSeq", obs->source_seq);
    string_member(&w, "source", obs->source);
    if (obs->scope.ptr) {
        member(&w, PERI_STR("scope"));
        peri_buf_add(out, obs->scope);
    }
    x_member(&w, obs);
    peri_buf_add_byte(out, '}');
}
