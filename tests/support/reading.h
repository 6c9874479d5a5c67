// Reading a stream the way the host does, for the tests of core/ingest: a dialect compiled from
// its Lua text, a reader over a piece of bytes, and what came out of it as JSON lines.
#ifndef PERI_TEST_READING_H
#define PERI_TEST_READING_H

#include "ingest/source.h"
#include "script/dialect_load.h"
#include "script/embedded.h"
#include "test.h"

#define STREAMS PERI_TESTS_DIR "/fault/streams/"

// require("perilune.x.y") is lua/perilune/x/y.lua or lua/perilune/x/y/init.lua.
static inline peri_str reading_module(void *user, peri_str name) {
    (void)user;
    char path[256] = "lua/";
    size_t len = 4;
    for (size_t i = 0; i < name.len && len < 128; i++) {
        path[len++] = name.ptr[i] == '.' ? '/' : name.ptr[i];
    }
    strcpy(path + len, ".lua");
    peri_str text = peri_embedded_find(peri_str_c(path));
    if (text.ptr) return text;
    strcpy(path + len, "/init.lua");
    return peri_embedded_find(peri_str_c(path));
}

// Compiles `text`; NULL with the diagnostics in `*said` (caller frees) if it is refused.
static inline peri_dialect_file *compile(peri_str text, char **said) {
    peri_diag_list diags;
    peri_buf out;
    peri_dialect_file *file = NULL;
    peri_vm_options vm = {.find_module = reading_module, .limits.wall_ms = 10000};
    peri_diag_list_init(&diags);
    peri_buf_init(&out, 1 << 16);
    int status =
        peri_dialect_file_load(PERI_STR("d.lua"), text, (peri_str){0}, &vm, &diags, &file);
    for (size_t i = 0; i < diags.count; i++) peri_diag_format(&out, &diags.items[i]);
    if (status < 0 && diags.error_count == 0) TEST_FAIL("refused without a word");
    if (said) *said = strdup(peri_buf_c(&out));
    if (status < 0 && !said) TEST_FAIL("%s", peri_buf_c(&out));
    peri_buf_deinit(&out);
    peri_diag_list_deinit(&diags);
    return status < 0 ? NULL : file;
}

static inline peri_dialect_file *shipped_dialect(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "lua/perilune/dialects/%s.lua", name);
    return compile(peri_embedded_find(peri_str_c(path)), NULL);
}

// What a reader said: observations and problems, one JSON object or line of text each.
typedef struct heard {
    peri_buf observations, problems;
    size_t observation_count, problem_count;
    peri_obs_kind last_kind;
} heard;

static inline void hear_observation(void *user, peri_obs *obs) {
    heard *h = user;
    h->observation_count++;
    h->last_kind = obs->kind;
    peri_obs_write(&h->observations, obs);
    peri_buf_add_byte(&h->observations, '\n');
}

static inline void hear_problem(void *user, peri_ingest_problem problem, uint64_t line,
                                uint64_t offset, peri_str message) {
    heard *h = user;
    peri_str word = peri_ingest_problem_word(problem);
    h->problem_count++;
    peri_buf_addf(&h->problems, "%.*s %llu %llu %.*s\n", PERI_FMT(word),
                  (unsigned long long)line, (unsigned long long)offset, PERI_FMT(message));
}

static inline void heard_init(heard *h) {
    *h = (heard){0};
    peri_buf_init(&h->observations, 1 << 24);
    peri_buf_init(&h->problems, 1 << 20);
}

static inline void heard_deinit(heard *h) {
    peri_buf_deinit(&h->observations);
    peri_buf_deinit(&h->problems);
}

static inline peri_ingest_events hearing(heard *h) {
    return (peri_ingest_events){h, hear_observation, hear_problem};
}

// Feeds `bytes` in pieces of `piece` bytes.
static inline void feed(peri_reader *reader, peri_str bytes, size_t piece) {
    for (size_t at = 0; at < bytes.len; at += piece) {
        peri_str chunk = peri_str_sub(bytes, at, piece);
        while (peri_reader_step(reader, &chunk) > 0) {}
        CHECK_EQ(chunk.len, 0);
    }
}

#endif
