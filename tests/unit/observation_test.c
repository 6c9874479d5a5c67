// The 36 kinds: what each must have, what it may have, and how one is written.
#include "model/observation.h"

#include "test.h"

// The table of contracts: kind and required fields, blank separated.
static const char *const table[] = {
    "subagent id callId name status",
    "message-usage tokens",
    "stderr text",
    "stopped reason",
    "steer text mode",
    "reasoning text",
    "file-change changes",
    "model-request request",
    "model-response response",
    "model-retry attempt",
    "model-error message",
    "model-route step choice model reason",
    "hook phase changed",
    "instructions-loaded count",
    "skills-loaded names",
    "tool-output callId channel text",
    "phase name",
    "summary durationMs status tokens",
    "warning message",
    "text text",
    "text-delta text",
    "result text",
    "prompt text",
    "tool name input",
    "tool-result callId name isError preview characters",
    "step index",
    "tool-denied callId name reason",
    "stop-prevented message",
    "compaction strategy messages",
    "conversation id",
    "usage tokens",
    "failure message",
    "quota message",
    "fallback from to failure",
    "finished",
    "raw value",
};

static peri_str word_of(peri_str *rest) {
    size_t blank = peri_str_find_byte(*rest, ' ', 0);
    peri_str word = peri_str_sub(*rest, 0, blank);
    *rest = blank == PERI_NPOS ? (peri_str){0} : peri_str_sub(*rest, blank + 1, rest->len);
    return word;
}

static peri_obs_kind kind_of(peri_str *row) {
    peri_obs_kind kind = peri_obs_kind_find(word_of(row));
    CHECK(kind < PERI_OBS_KIND_COUNT);
    return kind;
}

static peri_str write(const peri_obs *obs, peri_buf *out) {
    peri_buf_init(out, 1 << 20);
    peri_obs_write(out, obs);
    CHECK_EQ(out->status, PERI_OK);
    return peri_buf_str(out);
}

static void put(peri_obs *obs, peri_obs_field field, const char *text) {
    peri_obs_value *value = peri_obs_add(obs, field);
    CHECK(value != NULL);
    value->text = peri_text_of(peri_str_c(text), (peri_text_caps){100, 0});
}

IT("OB-1 knows 36 kinds with exactly these required fields") {
    CHECK_EQ(sizeof table / sizeof table[0], 36);
    CHECK_EQ(PERI_OBS_KIND_COUNT, 36);
    for (size_t i = 0; i < 36; i++) {
        peri_str row = peri_str_c(table[i]);
        peri_obs_kind kind = kind_of(&row);
        size_t required = 0, named = 0;
        for (peri_obs_field f = 0; f < PERI_OBS_FIELD_COUNT; f++) {
            required += peri_obs_needs(kind, f) == PERI_OBS_REQUIRED;
        }
        while (row.len) {
            peri_obs_field field = peri_obs_field_find(word_of(&row));
            CHECK(field < PERI_OBS_FIELD_COUNT);
            CHECK_EQ(peri_obs_needs(kind, field), PERI_OBS_REQUIRED);
            named++;
        }
        CHECK_EQ(required, named);
    }
}

IT("OB-1 names the required field that is missing, whichever it is") {
    for (size_t i = 0; i < 36; i++) {
        peri_str row = peri_str_c(table[i]);
        peri_obs obs;
        peri_obs_kind kind = kind_of(&row);
        for (peri_str left_out = row; left_out.len;) {
            peri_obs_field missing = peri_obs_field_find(word_of(&left_out));
            peri_obs_init(&obs, kind);
            for (peri_str rest = row; rest.len;) {
                peri_obs_field field = peri_obs_field_find(word_of(&rest));
                if (field != missing) CHECK(peri_obs_add(&obs, field) != NULL);
            }
            CHECK_EQ(peri_obs_missing(&obs, 0), missing);
            CHECK_EQ(peri_obs_missing(&obs, UINT64_C(1) << missing), PERI_OBS_FIELD_COUNT);
            CHECK(peri_obs_add(&obs, missing) != NULL);
            CHECK_EQ(peri_obs_missing(&obs, 0), PERI_OBS_FIELD_COUNT);
        }
    }
}

IT("OB-1 writes every kind with its fields as JSON that parses") {
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    for (size_t i = 0; i < 36; i++) {
        peri_str row = peri_str_c(table[i]);
        peri_obs obs;
        peri_buf out;
        peri_obs_kind kind = kind_of(&row);
        peri_obs_init(&obs, kind);
        for (peri_obs_field f = 0; f < PERI_OBS_FIELD_COUNT; f++) {
            if (peri_obs_needs(kind, f) == PERI_OBS_NONE) continue;
            put(&obs, f, peri_obs_field_type(f) == 'S' ? "say \"hi\"\n" : "7");
        }
        CHECK_OK(peri_json_parse(&doc, write(&obs, &out)));
        CHECK_EQ(doc.end, out.len);
        peri_json root = peri_json_root(&doc);
        CHECK(peri_json_is(peri_json_get(root, PERI_STR("kind")), peri_obs_kind_word(kind)));
        while (row.len) {
            peri_json value = peri_json_get(root, word_of(&row));
            CHECK(peri_json_type_of(value) > PERI_JSON_NULL);
        }
        peri_buf_deinit(&out);
    }
    peri_json_doc_deinit(&doc);
}

IT("finds no kind or field by a word that is none") {
    CHECK_EQ(peri_obs_kind_find(PERI_STR("Text")), PERI_OBS_KIND_COUNT);
    CHECK_EQ(peri_obs_kind_find(PERI_STR("")), PERI_OBS_KIND_COUNT);
    CHECK_EQ(peri_obs_field_find(PERI_STR("call_id")), PERI_OBS_FIELD_COUNT);
    for (peri_obs_field f = 0; f < PERI_OBS_FIELD_COUNT; f++) {
        CHECK_EQ(peri_obs_field_find(peri_obs_field_word(f)), f);
    }
}

IT("adds, replaces and takes off fields, up to its maximum") {
    peri_obs obs;
    peri_obs_init(&obs, PERI_OBS_TEXT);
    put(&obs, PERI_OBS_F_TEXT, "a");
    put(&obs, PERI_OBS_F_NAME, "n");
    put(&obs, PERI_OBS_F_TEXT, "b");
    CHECK_EQ(obs.value_count, 2);
    CHECK_STR(peri_obs_str(&obs, PERI_OBS_F_TEXT), "b");
    peri_obs_del(&obs, PERI_OBS_F_TEXT);
    peri_obs_del(&obs, PERI_OBS_F_TEXT);
    CHECK(peri_obs_get(&obs, PERI_OBS_F_TEXT) == NULL);
    CHECK_STR(peri_obs_str(&obs, PERI_OBS_F_NAME), "n");
    CHECK(!peri_obs_flag(&obs, PERI_OBS_F_IS_ERROR));
    for (peri_obs_field f = 0; obs.value_count < PERI_OBS_MAX_VALUES; f++)
        peri_obs_add(&obs, f);
    CHECK(peri_obs_add(&obs, PERI_OBS_FIELD_COUNT - 1) == NULL);
}

IT("OB-2 keeps pass, time, both numbers, source and scope") {
    peri_obs obs;
    peri_buf out;
    peri_obs_init(&obs, PERI_OBS_FINISHED);
    CHECK_EQ(obs.pass, 1);
    obs.pass = 3;
    obs.has_at = true;
    obs.at_wall_ms = 1500;
    obs.seq = 7;
    obs.has_source_seq = true;
    obs.source_seq = UINT64_MAX;
    obs.source = PERI_STR("claude");
    obs.scope = PERI_STR("{\"pass\":3}");
    obs.subagent_id = PERI_STR("t1");
    peri_str text = write(&obs, &out);
    CHECK_HAS(text, "\"pass\":3");
    CHECK_HAS(text, "\"at\":\"1970-01-01T00:00:01.500Z\"");
    CHECK_HAS(text, "\"seq\":7");
    CHECK_HAS(text, "\"sourceSeq\":18446744073709551615");
    CHECK_HAS(text, "\"source\":\"claude\"");
    CHECK_HAS(text, "\"scope\":{\"pass\":3}");
    CHECK_HAS(text, "\"subagentId\":\"t1\"");
    peri_buf_deinit(&out);
}

IT("writes no extension object where there is nothing to say in it") {
    peri_obs obs;
    peri_buf out;
    peri_obs_init(&obs, PERI_OBS_FINISHED);
    CHECK_EQ(peri_str_find(write(&obs, &out), PERI_STR("\"x\"")), PERI_NPOS);
    peri_buf_deinit(&out);
    obs.x.exit_code = 0;
    CHECK_HAS(write(&obs, &out), "\"x\":{\"exitCode\":0}");
    peri_buf_deinit(&out);
}

TEST_MAIN
