// Any bytes as any agent's stream, from the bytes to the digests: the first byte chooses the
// dialect (or leaves it to be found out), the second how the stream is cut. Every record must
// be JSON that reads back, every digest keep its cap, be valid UTF-8 and hold no tag but those
// it wrote: nested, and each opened with the nonce of its first line. A host serves a number of
// streams, as a daemon does, before the next one is made.
#include <stdlib.h>

#include "base/json.h"
#include "digest/clean.h"
#include "digest/digest.h"
#include "host/author.h"
#include "perilune/perilune.h"

enum { STREAMS_A_HOST = 16, MAX_NESTED = 4 };

static const char *const dialects[] = {
    NULL,           "activity",      "observations",   "claude-transcript", "claude-stream",
    "claude-hooks", "codex-exec",    "codex-rollout",  "codex-hooks",       "pi-json",
    "pi-session",   "gemini-stream", "gemini-session", "opencode-run",      "openai-chat",
};

enum { DIALECT_COUNT = sizeof dialects / sizeof dialects[0] };

static peri_host *host;
static int streams_left;

// A host that lives on holds memory after every input, which is no leak; looking for one after
// each would take nearly all of the time.
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
    return 1;
}

static void on_record(void *user, const peri_record *record) {
    (void)user;
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    if (!peri_utf8_valid(record->json)) abort();
    if (peri_json_parse(&doc, record->json) < 0 || doc.end != record->json.len) abort();
    peri_json_doc_deinit(&doc);
}

// What stands in quotes behind the first `nonce=`.
static peri_str nonce_of(peri_str text) {
    peri_str mark = PERI_STR("nonce=\"");
    size_t at = peri_str_find(text, mark);
    if (at == PERI_NPOS) abort();
    peri_str rest = peri_str_sub(text, at + mark.len, text.len);
    return peri_str_sub(rest, 0, peri_str_find_byte(rest, '"', 0));
}

// The tag that begins at `at`, without its brackets.
static peri_str tag_at(peri_str text, size_t at) {
    size_t end = peri_str_find_byte(text, '>', at);
    if (end == PERI_NPOS) abort();
    return peri_str_sub(text, at + 1, end - at - 1);
}

static void check_tags(peri_str text) {
    peri_str nonce = nonce_of(text), open[MAX_NESTED];
    size_t depth = 0;
    for (size_t at = peri_str_find_byte(text, '<', 0); at != PERI_NPOS;
         at = peri_str_find_byte(text, '<', at + 1)) {
        if (!peri_clean_tag_at(text, at)) continue;
        peri_str tag = tag_at(text, at);
        if (tag.ptr[0] == '/') {
            if (depth == 0) abort();
            if (!peri_str_eq(peri_str_sub(tag, 1, tag.len), open[--depth])) abort();
            continue;
        }
        peri_str own = nonce_of(tag);
        if (!peri_str_eq(own, nonce) || depth == MAX_NESTED) abort();
        if (tag.ptr[tag.len - 1] == '/') continue;
        open[depth++] = peri_str_sub(tag, 0, peri_str_find_byte(tag, ' ', 0));
    }
    if (depth) abort();
}

// Records of unknown kinds are for scripts: no layout has an element for them.
static bool is_all_raw(const peri_turn *turn) {
    for (size_t i = 0; i < turn->item_count; i++) {
        if (turn->items[i]->kind != PERI_ITEM_RAW) return false;
    }
    return true;
}

static void on_digest(void *user, const peri_turn *turn, const peri_observer *observer,
                      peri_str text) {
    (void)user, (void)observer;
    if (text.len > PERI_DIGEST_MAX_BYTES || !peri_utf8_valid(text)) abort();
    if (text.len == 0 && is_all_raw(turn)) return;
    check_tags(text);
}

static void open_host(void) {
    static peri_observer watcher;
    watcher = (peri_observer){.name = PERI_STR("watcher"),
                              .enabled = true,
                              .triggers = 1u << PERI_TRIGGER_TURN_END,
                              .sees = {PERI_SLICE_ACTIVITY},
                              .sees_count = 1,
                              .priority = 50,
                              .layout = PERI_LAYOUT_RICH};
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_REPLAY;
    options.seed = 7;
    options.no_observers = true;
    if (peri_host_new(&options, &host) < 0) abort();
    if (peri_host_subscribe(host, on_record, NULL) < 0) abort();
    if (peri_host_watch_digests(host, &watcher, false, on_digest, NULL) < 0) abort();
    streams_left = STREAMS_A_HOST;
}

static void settle(void) {
    int status;
    while ((status = peri_host_step(host, 0)) > 0) {}
    if (status < 0) abort();
}

static void feed_all(peri_source *source, peri_str text, size_t piece) {
    while (text.len) {
        size_t used = 0, len = text.len < piece ? text.len : piece;
        int status = peri_source_feed(source, text.ptr, len, &used);
        if (status < 0 && status != PERI_EAGAIN) abort();
        if (status == PERI_EAGAIN) settle();
        text = peri_str_sub(text, used, text.len);
    }
    settle();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) return 0;
    if (!host) open_host();
    peri_source *source;
    const char *dialect = dialects[data[0] % DIALECT_COUNT];
    if (peri_host_open_stream(host, NULL, dialect, &source) < 0) abort();
    feed_all(source, peri_str_of((const char *)data + 2, size - 2), (data[1] + 1u) * 64u);
    int status = peri_source_end(source);
    if (status < 0 && status != PERI_EFORMAT) abort();
    settle();
    if (--streams_left == 0) {
        if (peri_host_finish(host) < 0) abort();
        settle();
        peri_host_free(host);
        host = NULL;
    }
    return 0;
}
