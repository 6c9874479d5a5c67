// The reader of source.h. A line is repaired if it must be, parsed, searched for what a torn
// write left whole (case C03), and handed to the dialect record by record.
#include "ingest/source.h"

#include "ingest/content.h"
#include "ingest/match.h"

enum {
    ARENA_MAX_BYTES = 32 * 1024 * 1024,
    UNDECIDED_MAX_BYTES = 4 * 1024 * 1024,
    RESYNC_TRIES = 64, // starts of objects looked at in a torn line
};

peri_str peri_ingest_problem_word(peri_ingest_problem problem) {
    static const peri_str words[] = {
        [PERI_PROBLEM_MALFORMED] = {"malformed-line", 14},
        [PERI_PROBLEM_TORN] = {"torn-line", 9},
        [PERI_PROBLEM_OVERSIZED] = {"oversized-line", 14},
        [PERI_PROBLEM_DEEP] = {"deep-line", 9},
        [PERI_PROBLEM_INVALID] = {"invalid-record", 14},
        [PERI_PROBLEM_MAP] = {"map-failed", 10},
    };
    return words[problem];
}

void peri_reader_init(peri_reader *reader, const peri_dialect *const *dialects, size_t count,
                      const peri_dialect *dialect, size_t max_line_bytes,
                      peri_ingest_events events) {
    *reader = (peri_reader){
        .dialects = dialects, .dialect_count = count, .dialect = dialect, .events = events};
    peri_framer_init(&reader->framer, max_line_bytes);
    peri_json_doc_init(&reader->doc);
    peri_arena_init(&reader->arena, ARENA_MAX_BYTES);
    peri_buf_init(&reader->mended, 3 * (size_t)PERI_LINE_CAP_BYTES);
    peri_buf_init(&reader->undecided, UNDECIDED_MAX_BYTES);
}

void peri_reader_deinit(peri_reader *reader) {
    peri_framer_deinit(&reader->framer);
    peri_json_doc_deinit(&reader->doc);
    peri_arena_deinit(&reader->arena);
    peri_buf_deinit(&reader->mended);
    peri_buf_deinit(&reader->undecided);
}

static void problem(peri_reader *reader, peri_ingest_problem what, const peri_line *line,
                    size_t at, peri_str message) {
    if (!reader->events.on_problem) return;
    reader->events.on_problem(reader->events.user, what, line->number,
                              line->offset + line->left_out + at, message);
}

static void on_observation(void *user, peri_obs *obs) {
    peri_reader *reader = user;
    reader->counts.observations++;
    reader->events.on_observation(reader->events.user, obs);
}

static void apply(peri_reader *reader, peri_json record, const peri_line *line) {
    reader->counts.records++;
    peri_apply_result result =
        peri_dialect_apply(reader->dialect, record, &reader->arena, on_observation, reader);
    reader->counts.raw += result.state == PERI_APPLY_UNKNOWN;
    reader->counts.invalid += result.state == PERI_APPLY_INVALID;
    reader->counts.failed_maps += result.state == PERI_APPLY_FAILED;
    if (result.state == PERI_APPLY_INVALID) {
        char text[160];
        peri_buf out = {.ptr = text, .cap = sizeof text, .max = sizeof text - 1};
        peri_str kind = peri_obs_kind_word(result.invalid_kind);
        peri_str field = peri_obs_field_word(result.invalid_field);
        peri_buf_addf(&out, "a %.*s without its %.*s is kept as raw", PERI_FMT(kind),
                      PERI_FMT(field));
        problem(reader, PERI_PROBLEM_INVALID, line, 0, peri_buf_str(&out));
    }
    if (result.state == PERI_APPLY_FAILED) {
        problem(reader, PERI_PROBLEM_MAP, line, 0,
                result.error.len ? result.error : PERI_STR("a dialect's map function failed"));
    }
    peri_arena_reset(&reader->arena);
}

// A line that is no record at all: its beginning becomes a `raw`, so that nothing vanishes.
static void emit_lost(peri_reader *reader, peri_str text, uint64_t bytes) {
    peri_obs obs;
    peri_obs_init(&obs, PERI_OBS_RAW);
    peri_buf json;
    peri_buf_init(&json, PERI_LINE_PREVIEW_BYTES * 8);
    peri_str head = peri_str_sub(text, 0, peri_utf8_cut_u16(text, PERI_RAW_HEAD_CP).bytes);
    peri_json_add_string(&json, head);
    peri_obs_value *value = peri_obs_add(&obs, PERI_OBS_F_VALUE);
    value->text = peri_text_of(peri_buf_str(&json), (peri_text_caps){UINT32_MAX / 2, 0});
    if (head.len < bytes) {
        peri_obs_value *count = peri_obs_add(&obs, PERI_OBS_F_BYTES);
        char digits[24];
        peri_buf number = {.ptr = digits, .cap = sizeof digits, .max = sizeof digits - 1};
        peri_buf_add_uint(&number, bytes);
        count->number = (double)bytes;
        count->text = peri_text_of(peri_buf_str(&number), (peri_text_caps){32, 0});
        peri_obs_add(&obs, PERI_OBS_F_TRUNCATED)->flag = true;
        on_observation(reader, &obs); // `digits` lives in this block
    } else {
        on_observation(reader, &obs);
    }
    peri_buf_deinit(&json);
}

// Finds the largest whole object that ends a torn line. Its offset, or PERI_NPOS.
static size_t resync(peri_reader *reader, peri_str text, size_t from) {
    for (int tries = 0; tries < RESYNC_TRIES; tries++) {
        size_t at = peri_str_find_byte(text, '{', from);
        if (at == PERI_NPOS || at + 1 >= text.len) return PERI_NPOS;
        from = at + 1;
        if (text.ptr[at + 1] != '"') continue;
        peri_str rest = peri_str_sub(text, at, text.len);
        if (peri_json_parse(&reader->doc, rest) == PERI_OK && reader->doc.end == rest.len)
            return at;
    }
    return PERI_NPOS;
}

static void torn(peri_reader *reader, const peri_line *line, peri_str text, size_t at,
                 int status) {
    size_t good = status == PERI_EPARSE ? resync(reader, text, at + 1) : PERI_NPOS;
    if (good != PERI_NPOS) {
        reader->counts.torn++;
        problem(
            reader, PERI_PROBLEM_TORN, line, at,
            PERI_STR("a record was cut off and the next one glued on; the next one is kept"));
        apply(reader, peri_json_root(&reader->doc), line);
        return;
    }
    bool deep = status == PERI_EDEPTH || status == PERI_ELIMIT;
    if (line->unfinished && !deep) {
        reader->counts.unfinished++; // the writer is not done; nothing is wrong
        return;
    }
    reader->counts.malformed++;
    emit_lost(reader, peri_str_sub(text, at, text.len), text.len - at);
    if (deep) {
        problem(reader, PERI_PROBLEM_DEEP, line, at + reader->doc.error_at,
                PERI_STR("nested too deep or too many values; its beginning is kept as raw"));
    } else {
        problem(reader, PERI_PROBLEM_MALFORMED, line, at + reader->doc.error_at,
                PERI_STR("not a JSON object; its beginning is kept as raw"));
    }
}

// A line that was peeked at lies parsed in the document.
static int parse(peri_reader *reader, peri_str text) {
    bool known = text.ptr == reader->peeked.ptr && text.len == reader->peeked.len;
    reader->peeked = (peri_str){0};
    return known ? PERI_OK : peri_json_parse(&reader->doc, text);
}

// The line as valid UTF-8.
static int mend(peri_reader *reader, peri_str *text) {
    if (peri_utf8_valid(*text)) return PERI_OK;
    peri_buf_clear(&reader->mended);
    reader->counts.repaired += peri_utf8_repair(&reader->mended, *text);
    *text = peri_buf_str(&reader->mended);
    return reader->mended.status;
}

// All records of one line, for a stream whose dialect is known.
// PERI_ENOMEM: the rest of them is lost.
static int read_records(peri_reader *reader, const peri_line *line, peri_str text) {
    size_t at = 0;
    while (at < text.len) {
        peri_str rest = peri_str_sub(text, at, text.len);
        int status = parse(reader, rest);
        if (status == PERI_ENOMEM) return status;
        bool object = status == PERI_OK &&
                      peri_json_type_of(peri_json_root(&reader->doc)) == PERI_JSON_OBJECT;
        if (!object && !peri_utf8_valid(rest)) {
            status = mend(reader, &text);
            if (status < 0) return status;
            continue; // up to `at` it was valid and is as it was
        }
        reader->counts.repaired += status == PERI_OK ? reader->doc.repaired : 0;
        if (!object) {
            if (status == PERI_OK) reader->doc.error_at = 0;
            torn(reader, line, text, at, status == PERI_OK ? PERI_EPARSE : status);
            return PERI_OK;
        }
        reader->counts.welded += at > 0;
        at += reader->doc.end;
        apply(reader, peri_json_root(&reader->doc), line);
        at += peri_padding(peri_str_sub(text, at, text.len));
    }
    return PERI_OK;
}

static void read_oversized(peri_reader *reader, const peri_line *line, peri_str text) {
    reader->counts.oversized++;
    emit_lost(reader, text, line->bytes);
    problem(reader, PERI_PROBLEM_OVERSIZED, line, 0,
            PERI_STR("the line is over the cap or beyond memory; only its beginning is kept"));
}

static int read_line(peri_reader *reader, const peri_line *line, peri_str text) {
    if (!line->oversized) return read_records(reader, line, text);
    read_oversized(reader, line, text);
    return PERI_OK;
}

// Reads again the lines that came before the dialect was known.
static int replay_undecided(peri_reader *reader) {
    peri_str held = peri_buf_str(&reader->undecided);
    int status = PERI_OK;
    for (uint32_t i = 0; i < reader->tried && status == PERI_OK; i++) {
        const peri_line *line = &reader->undecided_lines[i];
        status = read_line(reader, line, peri_str_sub(held, 0, line->text.len));
        held = peri_str_sub(held, line->text.len, held.len);
    }
    peri_buf_deinit(&reader->undecided);
    return status;
}

static const peri_dialect *best_dialect(peri_reader *reader, peri_str text) {
    if (peri_json_parse(&reader->doc, text) < 0) return NULL;
    const peri_dialect *best = NULL;
    size_t best_score = 0;
    for (size_t i = 0; i < reader->dialect_count; i++) {
        size_t score = peri_dialect_detects(reader->dialects[i], peri_json_root(&reader->doc));
        if (score > best_score) {
            best_score = score;
            best = reader->dialects[i];
        }
    }
    return best;
}

static int undecided_line(peri_reader *reader, const peri_line *line, peri_str text) {
    reader->dialect = line->oversized ? NULL : best_dialect(reader, text);
    if (reader->dialect) {
        int status = replay_undecided(reader);
        return status < 0 ? status : read_line(reader, line, text);
    }
    peri_buf_add(&reader->undecided, text);
    peri_line *kept = &reader->undecided_lines[reader->tried++];
    *kept = *line;
    kept->text.len = text.len; // repaired; its bytes lie in `undecided`
    reader->refused = reader->tried == PERI_DETECT_RECORDS || reader->undecided.status < 0;
    return PERI_OK;
}

static bool is_blank(peri_str text) {
    return peri_str_trim(text).len == 0;
}

static int take_line(peri_reader *reader, const peri_line *line) {
    reader->counts.lines++;
    reader->counts.bytes += line->bytes + !line->unfinished;
    peri_str text = line->text;
    if (line->oversized && text.len) { // the last character of a preview may be torn
        text.len = peri_utf8_cut_bytes(text, text.len - 1);
    }
    if (is_blank(text) && !line->oversized) {
        reader->counts.blank++;
        return PERI_OK;
    }
    bool parsed = reader->dialect && !line->oversized; // the parser sees what is no UTF-8
    int status = parsed ? PERI_OK : mend(reader, &text);
    if (status == PERI_OK && reader->dialect) {
        status = read_line(reader, line, text);
    } else if (status == PERI_OK && !reader->refused) {
        status = undecided_line(reader, line, text);
    } else if (status == PERI_OK) {
        reader->counts.malformed++;
    }
    reader->counts.torn += status < 0;
    return status;
}

int peri_reader_step(peri_reader *reader, peri_str *chunk) {
    peri_line line;
    if (!peri_framer_take(&reader->framer, chunk, &line)) return 0;
    int status = take_line(reader, &line);
    return status < 0 ? status : 1;
}

void peri_reader_rest(peri_reader *reader) {
    peri_json_doc_deinit(&reader->doc);
    peri_arena_deinit(&reader->arena);
    peri_buf_deinit(&reader->mended);
    reader->peeked = (peri_str){0};
    if (!reader->framer.held_bytes) peri_buf_deinit(&reader->framer.held);
}

int peri_reader_finish(peri_reader *reader) {
    peri_line line;
    int status =
        peri_framer_finish(&reader->framer, &line) ? take_line(reader, &line) : PERI_OK;
    if (status < 0) return status;
    return reader->dialect || reader->counts.lines == reader->counts.blank ? PERI_OK
                                                                           : PERI_EFORMAT;
}

int64_t peri_reader_peek_at(peri_reader *reader, peri_str line) {
    const int64_t untold = INT64_MIN + 1;
    reader->peeked = (peri_str){0};
    if (!reader->dialect || peri_json_parse(&reader->doc, line) < 0) return untold;
    reader->peeked = line;
    int64_t at;
    bool told =
        peri_dialect_at(reader->dialect, peri_json_root(&reader->doc), &reader->arena, &at);
    peri_arena_reset(&reader->arena);
    return told ? at : untold;
}

int peri_sidecar_read(const peri_sidecar *sidecar, peri_str text, peri_arena *arena,
                      peri_sidecar_facts *out) {
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    int status = peri_utf8_valid(text) ? peri_json_parse(&doc, text) : PERI_EPARSE;
    if (status == PERI_OK) {
        peri_json root = peri_json_root(&doc);
        peri_rule_scope scope = {.element = root, .record = root, .line = root};
        peri_json name = peri_rule_find(&sidecar->agent_name, &scope);
        peri_json parent = peri_rule_find(&sidecar->parent, &scope);
        *out = (peri_sidecar_facts){
            .agent_name = peri_arena_copy(arena, peri_json_str(name, arena)),
            .parent = peri_arena_copy(arena, peri_json_str(parent, arena)),
            .observer = peri_json_is_true(peri_rule_find(&sidecar->observer, &scope)),
            .stopped = peri_json_is_true(peri_rule_find(&sidecar->stopped, &scope)),
        };
    }
    peri_json_doc_deinit(&doc);
    return status;
}
