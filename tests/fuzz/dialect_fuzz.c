// Any bytes as one agent's stream into a whole host: the records keep their order, each is one
// JSON object, every digest is valid UTF-8 within its ceiling. The first byte picks the
// dialect.
#include <stdlib.h>

#include "base/json.h"
#include "host/author.h"
#include "perilune/perilune.h"

#include "digest/digest.h"

enum { MAX_DIALECTS = 32, INPUTS_OF_A_HOST = 200 };

static peri_host *host;
static char *names[MAX_DIALECTS];
static size_t name_count, inputs;
static uint64_t last_seq;

static void on_record(void *user, const peri_record *record) {
    peri_json_doc doc;
    (void)user;
    if (record->seq <= last_seq) abort();
    last_seq = record->seq;
    peri_json_doc_init(&doc);
    if (!peri_utf8_valid(record->json)) abort();
    if (peri_json_parse(&doc, record->json) < 0 || doc.end != record->json.len) abort();
    peri_json_doc_deinit(&doc);
}

static void on_digest(void *user, const peri_turn *turn, const peri_observer *observer,
                      peri_str text) {
    (void)user;
    (void)turn;
    (void)observer;
    if (text.len > PERI_DIGEST_MAX_BYTES || !peri_utf8_valid(text)) abort();
}

static void take_names(void) {
    peri_str rest = peri_host_dialects(host);
    while (rest.len && name_count < MAX_DIALECTS) {
        size_t comma = peri_str_find_byte(rest, ',', 0);
        peri_str name = peri_str_trim(peri_str_sub(rest, 0, comma));
        names[name_count++] = strndup(name.ptr, name.len);
        rest = comma == PERI_NPOS ? (peri_str){0} : peri_str_sub(rest, comma + 1, rest.len);
    }
}

static void open_host(void) {
    static const peri_observer watcher = {.name = {"watcher", 7},
                                          .enabled = true,
                                          .triggers = 1u << PERI_TRIGGER_TURN_END,
                                          .sees = {PERI_SLICE_ACTIVITY, PERI_SLICE_TRANSCRIPT},
                                          .sees_count = 2,
                                          .layout = PERI_LAYOUT_RICH};
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_REPLAY;
    options.no_observers = true;
    last_seq = 0;
    if (peri_host_new(&options, &host) < 0 || peri_host_subscribe(host, on_record, NULL) < 0 ||
        peri_host_watch_digests(host, &watcher, false, on_digest, NULL) < 0)
        abort();
    if (!name_count) take_names();
}

static void settle(void) {
    for (int steps = 0; peri_host_step(host, 0) > 0; steps++) {
        if (steps > 1000000) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    if (inputs++ % INPUTS_OF_A_HOST == 0) {
        peri_host_free(host);
        open_host();
    }
    const char *dialect = data[0] < name_count ? names[data[0]] : NULL;
    peri_source *source;
    if (peri_host_open_stream(host, "fuzz", dialect, &source) < 0) abort();
    const char *at = (const char *)data + 1;
    for (size_t left = size - 1, used; left; left -= used, at += used) {
        int status = peri_source_feed(source, at, left, &used);
        if (status < 0 && status != PERI_EAGAIN) abort();
        settle();
    }
    if (peri_source_end(source) < 0) abort();
    settle();
    return 0;
}
