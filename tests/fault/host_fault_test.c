// A whole host when memory runs out: the demo session is replayed with one allocation failing,
// then with all from one on, for sampled ones of its life. Nothing crashes or leaks, every call
// comes back, and what was lost is counted.
#include "perilune/perilune.h"

#include "fault.h"
#include "test.h"

#define DEMO PERI_TESTS_DIR "/golden/demo"

// Of the allocations, number `fail_at` fails, and those
// behind it if `fail_on`; -1: none.
static long made, fail_at = -1;
static bool fail_on;

static bool may_allocate(void) {
    long n = made++;
    return fail_at < 0 || n < fail_at || (n > fail_at && !fail_on);
}

typedef struct life {
    int made, opened;     // statuses
    uint64_t last_seq;    // of its records
    bool gap, summed;     // and whether a number is missing; whether the summary came
    long long after;      // observations of the stream that was fed when memory was back
    long reached, loaded; // allocations at the end, and when the host was made
} life;

static void on_record(void *user, const peri_record *record) {
    life *l = user;
    l->summed = l->summed || record->kind == PERI_RECORD_SUMMARY;
    l->gap = l->gap || record->seq <= l->last_seq; // of a lost one the number may be missing
    l->last_seq = record->seq;
}

static void settle(peri_host *host) {
    int steps = 0;
    while (peri_host_step(host, 0) > 0) {
        if (++steps > 1000000) TEST_FAIL("the host never settles");
    }
}

// Memory is back: the same host reads another stream.
static long long read_more(peri_host *host) {
    static const char line[] =
        "{\"session\":\"more\",\"kind\":\"user_message\",\"text\":\"hi\"}\n";
    peri_source *source;
    peri_str status;
    size_t used;
    if (peri_host_open_stream(host, NULL, "activity", &source) < 0) return 1; // it did not load
    CHECK_OK(peri_host_status_json(host, &status));
    size_t at = peri_str_find(status, PERI_STR("\"observations\":"));
    long long before = atoll(status.ptr + at + 15);
    CHECK_OK(peri_source_feed(source, line, sizeof line - 1, &used));
    settle(host);
    CHECK_OK(peri_host_status_json(host, &status));
    return atoll(status.ptr + peri_str_find(status, PERI_STR("\"observations\":")) + 15) -
           before;
}

static life live(long n, bool on) {
    life l = {0};
    peri_host *host = NULL;
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_REPLAY;
    options.config_path = DEMO "/config.yaml";
    made = 0;
    fail_at = n;
    fail_on = on;
    l.made = peri_host_new(&options, &host);
    l.loaded = made;
    if (l.made == PERI_OK) {
        int heard = peri_host_subscribe(host, on_record, &l);
        l.opened = peri_host_open_path(host, DEMO, NULL);
        settle(host);
        if (peri_host_finish(host) == PERI_OK && heard == PERI_OK) settle(host);
        l.reached = made;
        fail_at = -1;
        l.after = read_more(host);
        fail_at = on ? n : -1;
    }
    peri_host_free(host);
    fail_at = -1;
    return l;
}

static void check(const life *l, long n) {
    bool said = l->made == PERI_OK || l->made == PERI_ENOMEM || l->made == PERI_EINVAL;
    if (!said) TEST_FAIL("allocation %ld: the host says %s", n, peri_status_name(l->made));
    if (l->made < 0) return;
    if (l->gap) TEST_FAIL("allocation %ld: records are out of order", n);
    if (l->after != 1) TEST_FAIL("allocation %ld: %lld observations afterwards", n, l->after);
}

// Dense where a host is made, sparse where it reads.
static long next(long n, long loaded, long all) {
    long step = n < loaded ? loaded / 40 : (all - loaded) / 30;
    return n + (step > 0 ? step : 1);
}

IT("replays the demo whole when memory is there") {
    life l = live(-1, false);
    CHECK_OK(l.made);
    CHECK_OK(l.opened);
    CHECK(l.summed && !l.gap);
}

IT("survives the failure of any one allocation, and goes on reading") {
    life whole = live(-1, false);
    size_t unmade = 0, lives = 0;
    for (long n = 0; n < whole.reached; n = next(n, whole.loaded, whole.reached)) {
        life l = live(n, false);
        check(&l, n);
        unmade += l.made < 0;
        lives++;
    }
    CHECK(lives >= 60);
    CHECK(unmade > 0 && unmade < lives);
}

IT("survives that memory ends at any one allocation and stays away") {
    life whole = live(-1, false);
    for (long n = 0; n < whole.reached; n = next(n, whole.loaded, whole.reached)) {
        life l = live(n, true);
        check(&l, n);
    }
}

TEST_MAIN
