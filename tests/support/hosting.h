// A host under test: fed from text or a file, its records, digests and deliveries collected.
// Observers are files in a folder of the test's own; nothing of the user's is read.
#ifndef PERI_TEST_HOSTING_H
#define PERI_TEST_HOSTING_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/author.h"
#include "perilune/perilune.h"
#include "test.h"

#define STREAMS PERI_TESTS_DIR "/fault/streams/"

typedef struct hosting {
    peri_host *host;
    peri_buf records;    // JSON, a line each
    peri_buf digests;    // what the watched observer is shown, of any agent
    peri_buf deliveries; // "id lane session\n" of what the sink took
    peri_buf log;
    char folder[256]; // of its observers
    size_t record_count[PERI_RECORD_KIND_COUNT], digest_count;
    uint64_t last_seq;
    bool gap;                              // records' numbers had one
    int sink_answer;                       // what the sink says
    const char *only_session, *only_agent; // whose digests are kept; NULL: all
} hosting;

static inline int hosting_remove(const char *name, const struct stat *info, int type,
                                 struct FTW *at) {
    (void)info, (void)type, (void)at;
    return remove(name);
}

static inline void hosting_record(void *user, const peri_record *record) {
    hosting *h = user;
    h->record_count[record->kind]++;
    h->gap = h->gap || record->seq != h->last_seq + 1;
    h->last_seq = record->seq;
    peri_buf_add(&h->records, record->json);
    peri_buf_add_byte(&h->records, '\n');
}

static inline void hosting_log(void *user, const char *severity, peri_str text) {
    hosting *h = user;
    peri_buf_addf(&h->log, "%s: %.*s\n", severity, PERI_FMT(text));
}

static inline int hosting_sink(void *user, const peri_delivery *d) {
    hosting *h = user;
    if (h->sink_answer == PERI_OK) {
        peri_buf_addf(&h->deliveries, "%.*s %.*s %.*s\n", PERI_FMT(d->id), PERI_FMT(d->lane),
                      PERI_FMT(d->session));
    }
    return h->sink_answer;
}

static inline void hosting_digest(void *user, const peri_turn *turn,
                                  const peri_observer *observer, peri_str text) {
    hosting *h = user;
    (void)observer;
    if (h->only_session && !peri_str_eq(turn->session, peri_str_c(h->only_session))) return;
    if (h->only_agent && !peri_str_eq(turn->agent, peri_str_c(h->only_agent))) return;
    h->digest_count++;
    peri_buf_add(&h->digests, text);
    peri_buf_add_c(&h->digests, "\n=====\n");
}

static inline void hosting_write(const hosting *h, char path[300], const char *name,
                                 const char *text) {
    snprintf(path, 300, "%s/%s", h->folder, name);
    FILE *out = fopen(path, "wb");
    CHECK(out != NULL);
    fputs(text, out);
    fclose(out);
}

static inline void hosting_begin(hosting *h) {
    *h = (hosting){.sink_answer = PERI_OK};
    peri_buf_init(&h->records, 1 << 26);
    peri_buf_init(&h->digests, 1 << 24);
    peri_buf_init(&h->deliveries, 1 << 20);
    peri_buf_init(&h->log, 1 << 20);
    const char *above = getenv("TMPDIR");
    snprintf(h->folder, sizeof h->folder, "%s/peri-host-XXXXXX", above ? above : P_tmpdir);
    CHECK(mkdtemp(h->folder) != NULL);
}

static inline void hosting_make(hosting *h, peri_host_options options) {
    options.seed = 7;
    options.observer_dir = h->folder;
    options.on_log = hosting_log;
    options.log_user = h;
    CHECK_OK(peri_host_new(&options, &h->host));
    CHECK_OK(peri_host_subscribe(h->host, hosting_record, h));
    peri_host_set_sink(h->host, hosting_sink, h);
}

// `observer` is the text of one Lua observer, called "probe"; NULL: none. `options` may name a
// ledger, a config and the like.
static inline void hosting_open_with(hosting *h, peri_host_options options,
                                     const char *observer) {
    char path[300];
    hosting_begin(h);
    if (observer) hosting_write(h, path, "probe.lua", observer);
    options.no_observers = !observer;
    options.observer_only = "probe";
    hosting_make(h, options);
}

// What a host under test is made of, as texts. NULL: none.
typedef struct hosting_files {
    const char *observer; // Lua, called "probe"
    const char *other;    // one more, called "other"
    const char *config;   // of config.yaml
    const char *policy;   // instead of `default`
    const char *ledger;   // its path, no text
} hosting_files;

static inline void hosting_open_files(hosting *h, peri_mode mode, const hosting_files *files) {
    char path[300], config[300], policy[300];
    hosting_begin(h);
    snprintf(path, sizeof path, "%s/policies", h->folder);
    CHECK(mkdir(path, 0700) == 0);
    hosting_write(h, path, "probe.lua", files->observer);
    if (files->other) hosting_write(h, path, "other.lua", files->other);
    if (files->config) hosting_write(h, config, "config.yaml", files->config);
    if (files->policy) hosting_write(h, policy, "policies/last.lua", files->policy);
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = mode;
    options.observer_only = files->other ? NULL : "probe";
    options.config_path = files->config ? config : NULL;
    options.policies = files->policy ? policy : NULL;
    options.ledger_path = files->ledger;
    hosting_make(h, options);
}

static inline void hosting_open_on(hosting *h, peri_mode mode, const char *observer,
                                   const char *ledger) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = mode;
    options.ledger_path = ledger;
    hosting_open_with(h, options, observer);
}

static inline void hosting_open(hosting *h, peri_mode mode, const char *observer) {
    hosting_open_on(h, mode, observer, NULL);
}

static inline void hosting_close(hosting *h) {
    peri_host_free(h->host);
    nftw(h->folder, hosting_remove, 8, FTW_DEPTH | FTW_PHYS);
    peri_buf_deinit(&h->records);
    peri_buf_deinit(&h->digests);
    peri_buf_deinit(&h->deliveries);
    peri_buf_deinit(&h->log);
}

static inline void hosting_settle(hosting *h) {
    int status;
    while ((status = peri_host_step(h->host, 0)) > 0) {}
    CHECK_OK(status);
}

static inline peri_source *hosting_stream(hosting *h, const char *dialect) {
    peri_source *source;
    CHECK_OK(peri_host_open_stream(h->host, NULL, dialect, &source));
    return source;
}

static inline void hosting_feed(hosting *h, peri_source *source, peri_str text) {
    while (text.len) {
        size_t used;
        int status = peri_source_feed(source, text.ptr, text.len, &used);
        if (status == PERI_EAGAIN) {
            (void)!peri_host_step(h->host, 0);
            continue;
        }
        CHECK_OK(status);
        text = peri_str_sub(text, used, text.len);
    }
    hosting_settle(h);
}

static inline void hosting_finish(hosting *h) {
    CHECK_OK(peri_host_finish(h->host));
    hosting_settle(h);
}

// Watches digests instead of running observers, in the layout the spec's cases speak of.
static inline void hosting_watch(hosting *h, uint32_t triggers) {
    static peri_observer watcher;
    watcher = (peri_observer){.name = PERI_STR("watcher"),
                              .enabled = true,
                              .triggers = triggers,
                              .sees = {PERI_SLICE_ACTIVITY},
                              .sees_count = 1,
                              .priority = 50,
                              .layout = PERI_LAYOUT_RICH};
    CHECK_OK(peri_host_watch_digests(h->host, &watcher, true, hosting_digest, h));
}

// The digests of one stream of tests/fault/streams/, one for each step.
static inline void hosting_digest_stream(hosting *h, const char *name, const char *dialect) {
    char path[512];
    snprintf(path, sizeof path, "%s%s.jsonl", STREAMS, name);
    peri_str text = peri_test_read(path);
    hosting_open(h, PERI_MODE_REPLAY, NULL);
    hosting_watch(h, 1u << PERI_TRIGGER_TURN_END);
    peri_source *source = hosting_stream(h, dialect);
    hosting_feed(h, source, text);
    CHECK_OK(peri_source_end(source));
    hosting_settle(h);
    hosting_finish(h);
    free((char *)text.ptr);
}

static inline peri_str hosting_digests(const hosting *h) {
    return peri_buf_str(&h->digests);
}

// How often `part` stands in `whole`.
static inline size_t times(peri_str whole, const char *part) {
    size_t count = 0, len = strlen(part), at;
    while ((at = peri_str_find(whole, peri_str_c(part))) != PERI_NPOS) {
        whole = peri_str_sub(whole, at + len, whole.len);
        count++;
    }
    return count;
}

// The number behind "KEY": in the host's status.
static inline long long hosting_count(hosting *h, const char *key) {
    peri_str status;
    char name[64];
    CHECK_OK(peri_host_status_json(h->host, &status));
    snprintf(name, sizeof name, "\"%s\":", key);
    size_t at = peri_str_find(status, peri_str_c(name));
    CHECK(at != PERI_NPOS);
    return atoll(status.ptr + at + strlen(name));
}

#endif
