// Any bytes as an agent's stream, of a given dialect or one to be found out: every observation
// is whole JSON with the fields of its kind, and another cut into chunks gives the same ones.
#include <stdlib.h>

#include "reading.h"

enum { MAX_DIALECTS = 32 };

static const peri_dialect *dialects[MAX_DIALECTS];
static size_t dialect_count;

static void load_dialects(void) {
    for (const peri_embedded *e = peri_embedded_files; e->path; e++) {
        peri_str path = peri_str_c(e->path);
        if (!peri_str_starts(path, PERI_STR("lua/perilune/dialects/")) ||
            peri_str_ends(path, PERI_STR("/init.lua")) || dialect_count == MAX_DIALECTS)
            continue;
        dialects[dialect_count++] = peri_dialect_file_get(compile(e->text, NULL));
    }
}

static void check_observation(void *user, peri_obs *obs) {
    peri_json_doc doc;
    peri_buf *all = user;
    size_t from = all->len;
    peri_obs_write(all, obs);
    if (all->status < 0) return; // more than a run may say
    peri_json_doc_init(&doc);
    peri_str text = peri_str_sub(peri_buf_str(all), from, all->len);
    if (!peri_utf8_valid(text) || peri_json_parse(&doc, text) < 0 || doc.end != text.len)
        abort();
    peri_json_doc_deinit(&doc);
    peri_buf_add_byte(all, '\n');
}

static void on_problem(void *user, peri_ingest_problem problem, uint64_t line, uint64_t offset,
                       peri_str message) {
    peri_str word = peri_ingest_problem_word(problem);
    (void)message;
    peri_buf_addf(user, "%.*s %llu %llu\n", PERI_FMT(word), (unsigned long long)line,
                  (unsigned long long)offset);
}

static void read_all(peri_str bytes, size_t piece, const peri_dialect *known, size_t cap,
                     peri_buf *out) {
    peri_reader reader;
    peri_reader_init(&reader, dialects, dialect_count, known, cap,
                     (peri_ingest_events){out, check_observation, on_problem});
    for (size_t at = 0; at < bytes.len; at += piece) {
        peri_str chunk = peri_str_sub(bytes, at, piece);
        while (peri_reader_step(&reader, &chunk) > 0) {}
    }
    int status = peri_reader_finish(&reader);
    if (status < 0 && status != PERI_EFORMAT) abort();
    if (reader.counts.blank > reader.counts.lines) abort();
    peri_reader_deinit(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!dialect_count) load_dialects();
    if (size < 2) return 0;
    const peri_dialect *known = data[0] < dialect_count ? dialects[data[0]] : NULL;
    size_t piece = data[1] + 1u, cap = data[1] & 1 ? 0 : 4096;
    peri_str bytes = peri_str_of((const char *)data + 2, size - 2);
    peri_buf whole, pieces;
    peri_buf_init(&whole, 1 << 24);
    peri_buf_init(&pieces, 1 << 24);
    read_all(bytes, bytes.len + 1, known, cap, &whole);
    read_all(bytes, piece, known, cap, &pieces);
    if (!peri_str_eq(peri_buf_str(&whole), peri_buf_str(&pieces))) abort();
    peri_buf_deinit(&whole);
    peri_buf_deinit(&pieces);
    return 0;
}
