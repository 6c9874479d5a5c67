// Subscribers that are slow or fail (spec OB-6): each loses only
// its own records, in order, counted.
#include "hosting.h"

#include "pairing/registry.h"

#define SAY "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"%zu\"}\n"

typedef struct ear {
    int answer;
    size_t heard, offered;
    uint64_t last_seq;
    bool disordered;
    peri_str last_text; // owned
} ear;

static int listen(void *user, const peri_record *record) {
    ear *e = user;
    e->offered++;
    if (e->answer != PERI_OK) return e->answer;
    e->heard++;
    e->disordered |= record->seq <= e->last_seq;
    e->last_seq = record->seq;
    if (record->kind == PERI_RECORD_OBSERVATION)
        CHECK_OK(peri_own(&e->last_text, record->text));
    return PERI_OK;
}

static hosting h;

static void feed(peri_source *source, size_t from, size_t count) {
    char line[128];
    for (size_t i = from; i < from + count; i++) {
        int len = snprintf(line, sizeof line, SAY, i);
        hosting_feed(&h, source, peri_str_of(line, (size_t)len));
    }
}

static void start(ear *e) {
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    CHECK_OK(peri_host_subscribe_try(h.host, listen, e));
}

static void stop(ear *e) {
    hosting_close(&h);
    free((char *)e->last_text.ptr);
}

IT("OB-6 keeps what a subscriber is too busy for and offers it again in order") {
    ear e = {.answer = PERI_EAGAIN};
    start(&e);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, 0, 10);
    CHECK_EQ(h.record_count[PERI_RECORD_OBSERVATION], 10);
    CHECK_EQ(e.heard, 0);
    CHECK_EQ(hosting_count(&h, "queued"), 0); // of the first subscriber
    CHECK(peri_host_timeout_ms(h.host) > 0);
    e.answer = PERI_OK;
    CHECK_EQ(peri_host_step(h.host, 0), 0);
    CHECK_EQ(e.heard, 10);
    CHECK(!e.disordered);
    CHECK_STR(e.last_text, "9");
    CHECK_EQ(peri_host_timeout_ms(h.host), -1);
    feed(source, 10, 1);
    CHECK_EQ(e.heard, 11);
    stop(&e);
}

IT("OB-6 bounds the queue, drops what is beyond and counts it, and delays nobody else") {
    ear e = {.answer = PERI_EAGAIN};
    start(&e);
    feed(hosting_stream(&h, "activity"), 0, 5000);
    CHECK_EQ(h.record_count[PERI_RECORD_OBSERVATION], 5000);
    peri_str status;
    CHECK_OK(peri_host_status_json(h.host, &status));
    CHECK(times(status,
                "\"queued\":4096,\"failed\":0,\"dropped\":{\"full\":904,\"memory\":0}") == 1);
    e.answer = PERI_OK;
    CHECK_EQ(peri_host_step(h.host, 0), 0);
    CHECK_EQ(e.heard, 4096);
    CHECK(!e.disordered);
    CHECK_STR(e.last_text, "4095");
    stop(&e);
}

IT("OB-6 bounds the queue in bytes") {
    ear e = {.answer = PERI_EAGAIN};
    start(&e);
    peri_buf line;
    peri_buf_init(&line, 1 << 20);
    peri_source *source = hosting_stream(&h, "activity");
    for (int i = 0; i < 400; i++) {
        peri_buf_clear(&line);
        peri_buf_addf(&line, "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"%d", i);
        peri_buf_add_repeat(&line, 'x', 20000);
        peri_buf_add_c(&line, "\"}\n");
        hosting_feed(&h, source, peri_buf_str(&line));
    }
    e.answer = PERI_OK;
    CHECK_EQ(peri_host_step(h.host, 0), 0);
    CHECK(e.heard > 50 && e.heard < 400);
    peri_buf_deinit(&line);
    stop(&e);
}

IT("OB-6 counts what a subscriber fails on and goes on with the next") {
    ear e = {.answer = PERI_EIO};
    start(&e);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, 0, 3);
    CHECK_EQ(e.offered, 3);
    e.answer = PERI_OK;
    feed(source, 3, 1);
    CHECK_EQ(e.heard, 1);
    peri_str status;
    CHECK_OK(peri_host_status_json(h.host, &status));
    CHECK(times(status, "{\"taken\":1,\"queued\":0,\"failed\":3,") == 1);
    stop(&e);
}

IT("offers what waits once more when the host ends") {
    ear e = {.answer = PERI_EAGAIN};
    start(&e);
    feed(hosting_stream(&h, "activity"), 0, 3);
    size_t offered = e.offered;
    stop(&e);
    CHECK(e.offered > offered);
}

TEST_MAIN
