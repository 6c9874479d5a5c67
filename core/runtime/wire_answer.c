// A command's answer, both ways (wire.h). Reading it trusts nothing: an unknown key, a wrong
// type, a second value or a number of another run make it a failed run, with the reason in one
// clause. Called by the command runtime and, for the way out, by host/worker.c.
#include "runtime/wire.h"

#include <stdio.h>

#include "base/diag.h"
#include "base/json.h"

enum { QUOTED_BYTES = 80, ANSWER_MAX_DEPTH = 64, ANSWER_MAX_NODES = 16 * 1024 };

#define WORD(word)                                                                             \
    { word, sizeof(word) - 1 }
static const peri_str known_keys[] = {
    WORD("run"),      WORD("advise"),   WORD("veto"), WORD("report"), WORD("fingerprint"),
    WORD("severity"), WORD("evidence"), WORD("data"), WORD("state"),  WORD("skipped"),
    WORD("failed"),   WORD("timeout"),  WORD("lost"), WORD("awake"),  {0},
};

// ---- Writing

static void put_text(peri_buf *out, const char *name, peri_str text) {
    if (!text.ptr) return;
    peri_buf_addf(out, ",\"%s\":", name);
    peri_json_add_string(out, text);
}

static void put_draft(peri_buf *out, const peri_draft *draft) {
    put_text(out, "advise", draft->advise);
    put_text(out, "veto", draft->veto);
    put_text(out, "report", draft->report);
    put_text(out, "fingerprint", draft->fingerprint);
    put_text(out, "severity", draft->severity);
    for (uint32_t i = 0; i < draft->evidence_count; i++) {
        peri_buf_addf(out, "%s%llu", i ? "," : ",\"evidence\":[",
                      (unsigned long long)draft->evidence[i]);
    }
    if (draft->evidence_count) peri_buf_add_byte(out, ']');
    if (!draft->data.ptr) return;
    peri_buf_add_c(out, ",\"data\":");
    peri_buf_add(out, draft->data);
}

void peri_wire_put_answer(peri_buf *out, uint64_t run, const peri_run_result *result) {
    peri_buf_addf(out, "{\"run\":%llu", (unsigned long long)run);
    if (result->state == PERI_RUN_PROPOSED) put_draft(out, &result->draft);
    if (result->state == PERI_RUN_SKIPPED) peri_buf_add_c(out, ",\"skipped\":true");
    if (result->state == PERI_RUN_LOST) peri_buf_add_c(out, ",\"lost\":true");
    if (result->state == PERI_RUN_NO_RUNTIME) peri_buf_add_c(out, ",\"awake\":true");
    if (result->state == PERI_RUN_TIMEOUT) put_text(out, "timeout", result->error);
    if (result->state == PERI_RUN_FAILED) put_text(out, "failed", result->error);
    if (result->saved_state.ptr) {
        peri_buf_add_c(out, ",\"state\":");
        peri_buf_add(out, result->saved_state);
    }
    peri_buf_add_c(out, "}\n");
}

// ---- Reading

typedef struct reader {
    peri_arena *arena;
    peri_run_result *result;
    bool failed; // the first problem is told
} reader;

static void problem(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void problem(reader *r, const char *format, ...) {
    if (r->failed) return;
    r->failed = true;
    char text[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t used = len < 0 ? 0 : (size_t)len < sizeof text ? (size_t)len : sizeof text - 1;
    used = peri_utf8_valid_prefix(peri_str_of(text, used));
    *r->result = (peri_run_result){.state = PERI_RUN_FAILED};
    r->result->error = peri_arena_copy(r->arena, peri_str_of(text, used));
    if (!r->result->error.ptr) r->result->error = PERI_STR("out of memory");
}

// The beginning of foreign text, short enough for a message.
static peri_str quoted(peri_str text) {
    text = peri_str_sub(text, 0, QUOTED_BYTES);
    text.len = peri_utf8_valid_prefix(text);
    return text;
}

static void check_keys(reader *r, peri_json root) {
    for (peri_json_iter it = peri_json_begin(root); peri_json_more(&it);) {
        const peri_str *known = known_keys;
        while (known->len && !peri_str_eq(*known, it.key)) known++;
        if (known->len) continue;
        peri_str near = peri_diag_nearest(it.key, known_keys), key = quoted(it.key);
        problem(r, "bad answer: unknown key \"%.*s\"%s%.*s%s", PERI_FMT(key),
                near.len ? ", did you mean \"" : "", PERI_FMT(near), near.len ? "\"?" : "");
    }
}

// Null is as good as absent.
static bool is_there(peri_json value) {
    return peri_json_type_of(value) > PERI_JSON_NULL;
}

static void get_text(reader *r, peri_json root, const char *name, peri_str *out) {
    peri_json value = peri_json_get(root, peri_str_c(name));
    if (!is_there(value)) return;
    if (peri_json_type_of(value) != PERI_JSON_STRING) {
        problem(r, "bad answer: \"%s\" is no text", name);
        return;
    }
    *out = peri_arena_copy(r->arena, peri_json_str(value, r->arena));
    if (!out->ptr) problem(r, "out of memory");
}

static void get_object(reader *r, peri_json root, const char *name, size_t max_bytes,
                       peri_str *out) {
    peri_json value = peri_json_get(root, peri_str_c(name));
    if (!is_there(value)) return;
    if (peri_json_type_of(value) != PERI_JSON_OBJECT) {
        problem(r, "bad answer: \"%s\" is no object", name);
        return;
    }
    peri_buf compact;
    peri_buf_init(&compact, PERI_WIRE_ANSWER_BYTES);
    (void)peri_json_compact(value, &compact, SIZE_MAX, 0);
    if (compact.len > max_bytes) {
        problem(r, "bad answer: \"%s\" is over %zu bytes", name, max_bytes);
    } else {
        *out = peri_arena_copy(r->arena, peri_buf_str(&compact));
        if (!out->ptr) problem(r, "out of memory");
    }
    peri_buf_deinit(&compact);
}

static void get_evidence(reader *r, peri_json root, peri_draft *draft) {
    peri_json list = peri_json_get(root, PERI_STR("evidence"));
    if (!is_there(list)) return;
    if (peri_json_type_of(list) != PERI_JSON_ARRAY ||
        peri_json_count(list) > PERI_PROPOSAL_MAX_EVIDENCE) {
        problem(r, "bad answer: \"evidence\" is no list of at most %d numbers",
                PERI_PROPOSAL_MAX_EVIDENCE);
        return;
    }
    for (peri_json_iter it = peri_json_begin(list); peri_json_more(&it);) {
        int64_t seq;
        if (peri_json_int(it.value, &seq) < 0 || seq < 0) {
            problem(r, "bad answer: \"evidence\" holds something else than whole numbers");
            return;
        }
        draft->evidence[draft->evidence_count++] = (uint64_t)seq;
    }
}

static void check_run(reader *r, peri_json root, uint64_t run) {
    peri_json value = peri_json_get(root, PERI_STR("run"));
    int64_t given;
    if (!is_there(value)) return;
    if (peri_json_int(value, &given) < 0 || given < 0 || (uint64_t)given != run) {
        problem(r, "bad answer: it is to another run than %llu", (unsigned long long)run);
    }
}

static void read_object(reader *r, peri_json root, uint64_t run) {
    peri_run_result *result = r->result;
    peri_draft *draft = &result->draft;
    peri_str failed = {0}, timeout = {0};
    check_keys(r, root);
    check_run(r, root, run);
    get_text(r, root, "advise", &draft->advise);
    get_text(r, root, "veto", &draft->veto);
    get_text(r, root, "report", &draft->report);
    get_text(r, root, "fingerprint", &draft->fingerprint);
    get_text(r, root, "severity", &draft->severity);
    get_text(r, root, "failed", &failed);
    get_text(r, root, "timeout", &timeout);
    get_evidence(r, root, draft);
    get_object(r, root, "data", PERI_WIRE_ANSWER_BYTES, &draft->data);
    get_object(r, root, "state", PERI_STATE_MAX_BYTES, &result->saved_state);
    if (r->failed) return;
    bool skipped = peri_json_is_true(peri_json_get(root, PERI_STR("skipped")));
    if (failed.ptr || timeout.ptr) {
        *result = (peri_run_result){.state = timeout.ptr ? PERI_RUN_TIMEOUT : PERI_RUN_FAILED,
                                    .error = timeout.ptr ? timeout : failed};
    } else if (peri_json_is_true(peri_json_get(root, PERI_STR("lost")))) {
        *result = (peri_run_result){.state = PERI_RUN_LOST};
    } else if (skipped) {
        result->state = PERI_RUN_SKIPPED;
    } else if (peri_json_is_true(peri_json_get(root, PERI_STR("awake")))) {
        result->state = PERI_RUN_NO_RUNTIME;
    } else if (draft->advise.ptr || draft->veto.ptr || draft->report.ptr) {
        result->state = PERI_RUN_PROPOSED;
    }
}

static void read_valid(reader *r, peri_str line, uint64_t run) {
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    doc.max_depth = ANSWER_MAX_DEPTH;
    doc.max_nodes = ANSWER_MAX_NODES;
    doc.refuse_duplicates = true;
    int status = peri_json_parse(&doc, line);
    peri_json root = peri_json_root(&doc);
    if (status == PERI_ENOMEM) {
        problem(r, "out of memory");
    } else if (status < 0 || doc.end != line.len) {
        peri_str shown = quoted(line);
        problem(r, "bad answer: not one JSON value: \"%.*s\"", PERI_FMT(shown));
    } else if (peri_json_type_of(root) == PERI_JSON_OBJECT) {
        read_object(r, root, run);
    } else if (peri_json_type_of(root) != PERI_JSON_NULL) {
        problem(r, "bad answer: neither an object nor null");
    }
    peri_json_doc_deinit(&doc);
}

void peri_wire_read_answer(peri_str line, uint64_t run, peri_arena *arena,
                           peri_run_result *result) {
    reader r = {.arena = arena, .result = result};
    *result = (peri_run_result){.state = PERI_RUN_SILENT};
    if (peri_utf8_valid(line)) {
        read_valid(&r, line, run);
        return;
    }
    peri_buf mended;
    peri_buf_init(&mended, 3 * (size_t)PERI_WIRE_ANSWER_BYTES);
    peri_utf8_repair(&mended, line);
    read_valid(&r, peri_buf_str(&mended), run);
    peri_buf_deinit(&mended);
}
