// What the verbs that look at definitions print of them. Texts of foreign files pass
// peri_prose_add_plain(), so that none can move the cursor of whoever is asked to trust them.
#include "tell.h"

#include <string.h>

#include "base/json.h"
#include "prose.h"

enum { LINE_MAX_CP = 200, OUTPUT_MAX_BYTES = 1024 * 1024, VALUE_COLUMN = 25 };

void peri_tell_diags(FILE *out, const peri_diag_list *diags) {
    peri_buf text;
    peri_buf_init(&text, OUTPUT_MAX_BYTES);
    for (size_t i = 0; i < diags->count; i++) peri_diag_format(&text, &diags->items[i]);
    if (diags->dropped_count) peri_buf_addf(&text, "    and %zu more\n", diags->dropped_count);
    fwrite(text.ptr ? text.ptr : "", 1, text.len, out);
    peri_buf_deinit(&text);
}

static void add_word(peri_buf *out, size_t *count, peri_str word) {
    if ((*count)++) peri_buf_add_c(out, ", ");
    peri_buf_add(out, word);
}

void peri_tell_triggers(peri_buf *out, const peri_observer *observer) {
    size_t count = 0;
    for (int i = 0; i < PERI_TRIGGER_COUNT; i++) {
        if (observer->triggers & (UINT32_C(1) << i)) {
            add_word(out, &count, peri_trigger_word((peri_trigger)i));
        }
    }
}

void peri_tell_can(peri_buf *out, uint32_t can) {
    size_t count = 0;
    if (can & PERI_CAN_ADVISE) add_word(out, &count, PERI_STR("advise"));
    if (can & PERI_CAN_VETO) add_word(out, &count, PERI_STR("veto"));
    if (can & PERI_CAN_REPORT) add_word(out, &count, PERI_STR("report"));
}

void peri_tell_runtime(peri_buf *out, const peri_observer *observer) {
    static const char *const words[] = {"lua", "model", "command"};
    bool worker = observer->runtime == PERI_RUN_COMMAND && observer->source_hash.len;
    peri_buf_add_c(out, worker ? "worker" : words[observer->runtime]);
}

static void key(peri_buf *out, const char *name) {
    peri_buf_addf(out, "    %-20s ", name);
}

static void text_line(peri_buf *out, const char *name, peri_str text) {
    if (!text.ptr) return;
    key(out, name);
    size_t start = out->len;
    peri_prose_add_plain(out, text, LINE_MAX_CP);
    peri_prose_wrap(out, start, VALUE_COLUMN);
}

static void list_line(peri_buf *out, const char *name, const peri_str *list, size_t count) {
    if (!count) return;
    key(out, name);
    size_t start = out->len;
    for (size_t i = 0; i < count; i++) {
        if (i) peri_buf_add_c(out, ", ");
        peri_prose_add_plain(out, list[i], LINE_MAX_CP);
    }
    peri_prose_wrap(out, start, VALUE_COLUMN);
}

static void tools_line(peri_buf *out, uint32_t tools) {
#define WORD(name, word) {word, sizeof(word) - 1},
    static const peri_str words[] = {PERI_TOOL_LIST(WORD)};
#undef WORD
    size_t count = 0;
    key(out, "tools");
    for (int i = 0; i < PERI_TOOL_COUNT; i++) {
        if (tools & (UINT32_C(1) << i)) add_word(out, &count, words[i]);
    }
    peri_buf_add_c(out, count ? "\n" : "none\n");
}

static void model_lines(peri_buf *out, const peri_observer *observer) {
#define WORD(name, word) {word, sizeof(word) - 1},
    static const peri_str thinking[] = {PERI_THINKING_LIST(WORD)};
#undef WORD
    tools_line(out, observer->tools);
    text_line(out, "model", observer->model);
    list_line(out, "fallback", observer->fallback, observer->fallback_count);
    text_line(out, "thinking", thinking[observer->thinking]);
}

void peri_tell_observer(peri_buf *out, const peri_observer *observer) {
    text_line(out, "name", observer->name);
    text_line(out, "description", observer->description);
    text_line(out, "enabled", observer->enabled ? PERI_STR("true") : PERI_STR("false"));
    key(out, "on");
    size_t start = out->len, count = 0;
    peri_tell_triggers(out, observer);
    peri_prose_wrap(out, start, VALUE_COLUMN);
    key(out, "sees");
    start = out->len;
    for (uint32_t i = 0; i < observer->sees_count; i++) {
        add_word(out, &count, peri_slice_word(observer->sees[i]));
    }
    if (!count) peri_buf_add_c(out, "nothing");
    peri_prose_wrap(out, start, VALUE_COLUMN);
    key(out, "can");
    peri_tell_can(out, observer->can);
    peri_buf_add_byte(out, '\n');
    list_line(out, "agents", observer->agents, observer->agent_count);
    text_line(out, "deliver", peri_lane_word(observer->lane));
    text_line(out, "severity", peri_weight_word(observer->severity));
    key(out, "priority");
    peri_buf_addf(out, "%u\n", observer->priority);
    key(out, "max_advisory_chars");
    peri_buf_addf(out, "%u\n", observer->max_advisory_cp);
    key(out, "timeout_ms");
    peri_buf_addf(out, "%u\n", observer->timeout_ms);
    if (observer->runtime == PERI_RUN_MODEL) model_lines(out, observer);
}

void peri_tell_json(const char *key, peri_str value) {
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    peri_buf_addf(&out, "{\"%s\":", key);
    peri_json_add_string(&out, value);
    peri_buf_add_c(&out, "}\n");
    fwrite(out.ptr ? out.ptr : "", 1, out.len, stdout);
    peri_buf_deinit(&out);
}

void peri_tell_log(void *user, const char *severity, peri_str message) {
    (void)user;
    if (strcmp(severity, "note") == 0) return;
    fprintf(stderr, "perilune: %.*s\n", PERI_FMT(message));
}
