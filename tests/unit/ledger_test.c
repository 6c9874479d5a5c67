// The ledger: what goes in comes out, in order, until retention takes it away.
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger_scene.h"

enum { DAY_MS = 86400000 };

// In folders that do not exist yet.
static void fresh_path(void) {
    fresh_path_at("state/perilune/ledger.db");
}

static peri_record copy;
static char copied[2048];

static void keep(void *user, const peri_record *r) {
    (void)user;
    copy = *r;
    char *at = copied;
    peri_str *texts[] = {&copy.text, &copy.json, &copy.trigger, &copy.call_id, &copy.reason};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!texts[i]->ptr) continue;
        memcpy(at, texts[i]->ptr, texts[i]->len);
        texts[i]->ptr = at;
        at += texts[i]->len;
    }
}

IT("gives a record back as it was put, absent texts absent, NULs kept") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    peri_record record = record_of(PERI_RECORD_PROPOSAL, "p1", "advisory");
    record.seq = 77;
    record.at_wall_ms = -5;
    record.step = 4;
    record.turn = 2;
    record.count = UINT64_C(1) << 40;
    record.text = PERI_STR("a\0b é");
    record.json = PERI_STR("{\"a\":1}");
    record.trigger = PERI_STR("turn_end");
    record.call_id = PERI_STR("");
    CHECK_OK(peri_ledger_put(ledger, &record));
    CHECK_OK(peri_ledger_commit(ledger, 0));
    CHECK_OK(peri_ledger_log(ledger, record.session, record.observer, 1, keep, NULL));
    CHECK_EQ(copy.struct_size, sizeof copy);
    CHECK_EQ(copy.kind, PERI_RECORD_PROPOSAL);
    CHECK_EQ(copy.seq, 77);
    CHECK_EQ(copy.at_wall_ms, -5);
    CHECK_EQ(copy.step, 4);
    CHECK_EQ(copy.turn, 2);
    CHECK(copy.count == UINT64_C(1) << 40);
    CHECK(peri_str_eq(copy.text, PERI_STR("a\0b é")));
    CHECK_STR(copy.json, "{\"a\":1}");
    CHECK_STR(copy.trigger, "turn_end");
    CHECK(copy.call_id.ptr != NULL);
    CHECK_EQ(copy.call_id.len, 0);
    CHECK(copy.reason.ptr == NULL);
    peri_ledger_close(ledger);
}

IT("keeps a digest's excerpt once, in its JSON, and gives it back as it was") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    peri_record record = record_of(PERI_RECORD_DIGEST, "d1", "rich");
    record.text = PERI_STR("line \"one\"\né");
    record.json = PERI_STR("{\"text\":\"line \\\"one\\\"\\né\"}");
    CHECK_OK(peri_ledger_put(ledger, &record));
    CHECK_OK(peri_ledger_commit(ledger, 0));
    CHECK_OK(peri_ledger_log(ledger, record.session, record.observer, 1, keep, NULL));
    CHECK_STR(copy.text, "line \"one\"\né");
    peri_ledger_close(ledger);
}

IT("D8 keeps every kind of record but observations, and says so in its counts") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    for (int kind = 0; kind <= PERI_RECORD_KIND_COUNT; kind++) {
        put(ledger, (peri_record_kind)kind, "x", NULL);
    }
    CHECK_OK(peri_ledger_commit(ledger, 0));
    CHECK_STR(all_of(ledger), "pairing:x: digest:x: run:x: proposal:x: decision:x: delivery:x: "
                              "usage:x: warning:x: summary:x: ");
    peri_ledger_stats stats;
    peri_ledger_get_stats(ledger, &stats);
    CHECK_EQ(stats.stored, 9);
    CHECK_EQ(stats.dropped_busy + stats.dropped_full + stats.dropped_error, 0);
    peri_ledger_close(ledger);
}

IT("makes the file and its folders for the user alone") {
    fresh_path();
    peri_ledger_close(opened((peri_ledger_options){0}));
    struct stat st;
    CHECK_EQ(stat(path, &st), 0);
    CHECK_EQ(st.st_mode & 0777, 0600);
    *strrchr(path, '/') = '\0';
    CHECK_EQ(stat(path, &st), 0);
    CHECK_EQ(st.st_mode & 0777, 0700);
}

IT("keeps what a process stored for the next one") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    put(ledger, PERI_RECORD_PROPOSAL, "p1", "veto");
    peri_ledger_close(ledger);
    ledger = opened((peri_ledger_options){0});
    put(ledger, PERI_RECORD_DECISION, "p1", "drop");
    CHECK_OK(peri_ledger_commit(ledger, 0));
    CHECK_STR(all_of(ledger), "proposal:p1:veto decision:p1:drop ");
    peri_ledger_close(ledger);
}

static void store_story(peri_ledger *ledger) {
    put(ledger, PERI_RECORD_DIGEST, "d0", "rich");
    put(ledger, PERI_RECORD_RUN, "d0", "silent");
    put(ledger, PERI_RECORD_DIGEST, "d1", "rich");
    put(ledger, PERI_RECORD_RUN, "d1", "proposed");
    peri_record other = record_of(PERI_RECORD_RUN, "d2", "proposed");
    other.observer = PERI_STR("other");
    CHECK_OK(peri_ledger_put(ledger, &other));
    put(ledger, PERI_RECORD_PROPOSAL, "abcd1111", "advisory");
    put(ledger, PERI_RECORD_PROPOSAL, "abcd2222", "veto");
    put(ledger, PERI_RECORD_DECISION, "abcd1111", "defer");
    put(ledger, PERI_RECORD_DECISION, "abcd2222", "drop");
    put(ledger, PERI_RECORD_DECISION, "abcd1111", "deliver");
    put(ledger, PERI_RECORD_DELIVERY, "abcd1111", "queued");
    put(ledger, PERI_RECORD_DELIVERY, "abcd1111", "seen");
    put(ledger, PERI_RECORD_RUN, "d1", "silent");
    CHECK_OK(peri_ledger_commit(ledger, 0));
}

IT("PE-5 explains a proposal by the digest and run it came from and all that became of it") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    store_story(ledger);
    CHECK_OK(explained(ledger, "abcd1111"));
    CHECK_STR(
        peri_str_c(seen),
        "digest:d1:rich run:d1:proposed proposal:abcd1111:advisory decision:abcd1111:defer "
        "decision:abcd1111:deliver delivery:abcd1111:queued delivery:abcd1111:seen ");
    peri_ledger_close(ledger);
}

IT("PE-5 finds a proposal by a unique prefix of four characters or more") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    store_story(ledger);
    CHECK_OK(explained(ledger, "abcd2"));
    CHECK_HAS(peri_str_c(seen), "decision:abcd2222:drop");
    CHECK_EQ(explained(ledger, "abcd"), PERI_EDUP);
    CHECK_STR(peri_str_c(seen), "proposal:abcd1111:advisory proposal:abcd2222:veto ");
    CHECK_EQ(explained(ledger, "abc"), PERI_ENOENT);
    CHECK_EQ(explained(ledger, "abcd3"), PERI_ENOENT);
    CHECK_EQ(explained(ledger, ""), PERI_ENOENT);
    CHECK_EQ(explained(ledger, "%"), PERI_ENOENT);
    CHECK_EQ(explained(ledger, "d1"), PERI_ENOENT);
    CHECK_EQ(seen_count, 0);
    peri_ledger_close(ledger);
}

IT("takes an id given whole even if it begins another, however short it is") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    put(ledger, PERI_RECORD_PROPOSAL, "ab", "advisory");
    put(ledger, PERI_RECORD_PROPOSAL, "abcdef", "advisory");
    CHECK_OK(peri_ledger_commit(ledger, 0));
    CHECK_OK(explained(ledger, "ab"));
    CHECK_STR(peri_str_c(seen), "proposal:ab:advisory ");
    peri_ledger_close(ledger);
}

IT("lists the newest rows of a session or an observer, oldest of them first") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    store_story(ledger);
    peri_record record = record_of(PERI_RECORD_WARNING, "w", NULL);
    record.session = PERI_STR("s2");
    CHECK_OK(peri_ledger_put(ledger, &record));
    CHECK_OK(peri_ledger_commit(ledger, 0));
    peri_str any = {0};
    CHECK_STR(log_of(ledger, any, any, 2), "run:d1:silent warning:w: ");
    CHECK_STR(log_of(ledger, PERI_STR("s2"), any, 9), "warning:w: ");
    CHECK_STR(log_of(ledger, PERI_STR("s1"), any, 1), "run:d1:silent ");
    CHECK_STR(log_of(ledger, any, PERI_STR("other"), 9), "run:d2:proposed ");
    CHECK_STR(log_of(ledger, PERI_STR("s2"), PERI_STR("other"), 9), "");
    CHECK_STR(log_of(ledger, PERI_STR("s"), any, 9), "");
    CHECK_STR(log_of(ledger, any, any, 0), "");
    (void)log_of(ledger, any, any, UINT64_MAX);
    CHECK_EQ(seen_count, 14);
    peri_ledger_close(ledger);
}

IT("counts its proposals and names the newest") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    uint64_t total = 9;
    seen_len = 0;
    CHECK_OK(peri_ledger_proposals(ledger, 5, &total, see, NULL));
    CHECK_EQ(total, 0);
    store_story(ledger);
    CHECK_OK(peri_ledger_proposals(ledger, 1, &total, see, NULL));
    CHECK_EQ(total, 2);
    CHECK_STR(peri_str_of(seen, seen_len), "proposal:abcd2222:veto ");
    peri_ledger_close(ledger);
}

static void put_at(peri_ledger *ledger, const char *id, int64_t wall_ms) {
    peri_record record = record_of(PERI_RECORD_WARNING, id, NULL);
    record.at_wall_ms = wall_ms;
    CHECK_OK(peri_ledger_put(ledger, &record));
}

IT("D8 forgets what is older than the kept days, at most once a minute") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){.days = 2});
    int64_t now = INT64_C(100) * DAY_MS;
    put_at(ledger, "edge", now - 2 * DAY_MS);
    put_at(ledger, "new", now);
    CHECK_OK(peri_ledger_commit(ledger, now));
    put_at(ledger, "old", now - 2 * DAY_MS - 1);
    CHECK_OK(peri_ledger_commit(ledger, now + 1));
    CHECK_STR(all_of(ledger), "warning:edge: warning:new: warning:old: ");
    CHECK_OK(peri_ledger_commit(ledger, now + 60000));
    CHECK_STR(all_of(ledger), "warning:new: ");
    peri_ledger_close(ledger);
}

IT("prunes again when the clock has gone back") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){.days = 2});
    CHECK_OK(peri_ledger_commit(ledger, INT64_C(900) * DAY_MS));
    put_at(ledger, "old", INT64_C(90) * DAY_MS);
    CHECK_OK(peri_ledger_commit(ledger, INT64_C(100) * DAY_MS));
    CHECK_STR(all_of(ledger), "");
    peri_ledger_close(ledger);
}

IT("keeps a replay's rows whatever their age: they carry the recording's times") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){.replace = true, .days = 2});
    put_at(ledger, "old", 0);
    CHECK_OK(peri_ledger_commit(ledger, INT64_C(100) * DAY_MS));
    CHECK_STR(all_of(ledger), "warning:old: ");
    peri_ledger_close(ledger);
}

static void put_big(peri_ledger *ledger, int number) {
    static char text[2000];
    memset(text, 't', sizeof text);
    char id[16];
    snprintf(id, sizeof id, "w%d", number);
    peri_record record = record_of(PERI_RECORD_WARNING, id, NULL);
    record.text = peri_str_of(text, sizeof text);
    CHECK_OK(peri_ledger_put(ledger, &record));
}

IT("D8 forgets the oldest rows first when they pass the kept bytes") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){.max_bytes = 512 * 1024});
    for (int i = 0; i < 2000; i++) {
        put_big(ledger, i);
        CHECK_OK(peri_ledger_commit(ledger, INT64_C(60000) * i));
    }
    peri_str rows = all_of(ledger);
    CHECK(seen_count > 50 && seen_count < 400);
    CHECK_HAS(rows, "warning:w1999: ");
    char first[32];
    snprintf(first, sizeof first, "warning:w%zu: ", 2000 - seen_count);
    CHECK(peri_str_starts(rows, peri_str_c(first)));
    peri_ledger_close(ledger);
    struct stat st;
    CHECK_EQ(stat(path, &st), 0);
    CHECK(st.st_size <= 640 * 1024);
}

IT("empties an older file for a replay, under its readers' eyes") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){.replace = true});
    put(ledger, PERI_RECORD_WARNING, "old", NULL);
    peri_ledger_close(ledger);
    peri_ledger *reader = opened((peri_ledger_options){.read_only = true});
    CHECK_STR(all_of(reader), "warning:old: ");
    ledger = opened((peri_ledger_options){.replace = true});
    CHECK_STR(all_of(ledger), "");
    put(ledger, PERI_RECORD_WARNING, "new", NULL);
    CHECK_OK(peri_ledger_commit(ledger, 0));
    CHECK_STR(all_of(reader), "warning:new: ");
    peri_ledger_close(reader);
    peri_ledger_close(ledger);
}

IT("commits a replay's rows by the batch, the rest at the end") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){.replace = true});
    for (int i = 0; i < 1000; i++) put_big(ledger, i);
    peri_ledger_stats stats;
    peri_ledger_get_stats(ledger, &stats);
    CHECK(stats.stored > 400 && stats.stored < 1000);
    peri_ledger *reader = opened((peri_ledger_options){.read_only = true});
    (void)all_of(reader);
    CHECK_EQ(seen_count, stats.stored);
    peri_ledger_close(ledger);
    (void)all_of(reader);
    CHECK_EQ(seen_count, 1000);
    peri_ledger_close(reader);
}

IT("D8 keeps the last rows of a replay that passes the kept bytes, and loses none to a full file") {
    fresh_path();
    peri_ledger *ledger =
        opened((peri_ledger_options){.replace = true, .max_bytes = 512 * 1024});
    for (int i = 0; i < 2000; i++) put_big(ledger, i);
    CHECK_OK(peri_ledger_commit(ledger, 0));
    peri_ledger_stats stats;
    peri_ledger_get_stats(ledger, &stats);
    CHECK_EQ(stats.stored, 2000);
    CHECK_EQ(stats.dropped_full, 0);
    peri_str rows = all_of(ledger);
    CHECK(seen_count > 50 && seen_count < 400);
    CHECK_HAS(rows, "warning:w1999: ");
    peri_ledger_close(ledger);
    struct stat st;
    CHECK_EQ(stat(path, &st), 0);
    CHECK(st.st_size <= 640 * 1024);
}

IT("shows a reader what a killed replay had committed") {
    fresh_path();
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        peri_ledger *ledger = opened((peri_ledger_options){.replace = true});
        put(ledger, PERI_RECORD_WARNING, "kept", NULL);
        CHECK_OK(peri_ledger_commit(ledger, 0));
        for (int i = 0; i < 100; i++) put_big(ledger, i);
        _exit(0);
    }
    int ended = -1;
    CHECK_EQ(waitpid(pid, &ended, 0), pid);
    CHECK_EQ(ended, 0);
    char journal[320];
    snprintf(journal, sizeof journal, "%s-journal", path);
    CHECK_EQ(access(journal, F_OK), 0);
    peri_ledger *reader = opened((peri_ledger_options){.read_only = true});
    CHECK_STR(all_of(reader), "warning:kept: ");
    peri_ledger_close(reader);
    peri_ledger *ledger = opened((peri_ledger_options){.replace = true});
    CHECK_STR(all_of(ledger), "");
    peri_ledger_close(ledger);
}

IT("does not mix the rows of two replays: the later one has the file") {
    fresh_path();
    peri_ledger *first = opened((peri_ledger_options){.replace = true});
    put(first, PERI_RECORD_WARNING, "first", NULL);
    CHECK_OK(peri_ledger_commit(first, 0));
    peri_ledger *second = opened((peri_ledger_options){.replace = true});
    peri_record record = record_of(PERI_RECORD_WARNING, "late", NULL);
    CHECK_OK(peri_ledger_put(first, &record));
    CHECK_EQ(peri_ledger_commit(first, 0), PERI_ECLOSED);
    peri_ledger_stats stats;
    peri_ledger_get_stats(first, &stats);
    CHECK_EQ(stats.stored, 1);
    CHECK_EQ(stats.dropped_error, 1);
    put(second, PERI_RECORD_WARNING, "second", NULL);
    CHECK_OK(peri_ledger_commit(second, 0));
    CHECK_STR(all_of(second), "warning:second: ");
    peri_ledger_close(first);
    peri_ledger_close(second);
}

// Overwrites the big-endian number at `offset` of the file's header.
static void patch(long offset, unsigned char low) {
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL);
    fseek(file, offset + 3, SEEK_SET);
    fputc(low, file);
    fclose(file);
}

enum { HEADER_USER_VERSION = 60, HEADER_APPLICATION_ID = 68 };

IT("leaves a ledger of a newer version and another program's database alone") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    put(ledger, PERI_RECORD_WARNING, "w", NULL);
    peri_ledger_close(ledger);
    const char *error;
    patch(HEADER_USER_VERSION, 200);
    CHECK_EQ(open_status((peri_ledger_options){0}, &error), PERI_EFORMAT);
    CHECK_HAS(peri_str_c(error), "newer");
    CHECK_EQ(open_status((peri_ledger_options){.replace = true}, &error), PERI_EFORMAT);
    patch(HEADER_USER_VERSION, 1);
    patch(HEADER_APPLICATION_ID, 1);
    CHECK_EQ(open_status((peri_ledger_options){.replace = true}, &error), PERI_EFORMAT);
    CHECK_HAS(peri_str_c(error), "another program");
    CHECK_EQ(open_status((peri_ledger_options){.read_only = true}, &error), PERI_EFORMAT);
    patch(HEADER_APPLICATION_ID, 'i');
    ledger = opened((peri_ledger_options){0});
    CHECK_STR(all_of(ledger), "warning:w: ");
    peri_ledger_close(ledger);
}

static void tell(const char *sql) {
    sqlite3 *db = NULL;
    CHECK_EQ(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_EQ(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

IT("explains from a ledger of the seventh version, read or taken over") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    store_story(ledger);
    peri_ledger_close(ledger);
    tell("DROP INDEX record_sought; CREATE INDEX record_id ON record (kind, id);"
         "CREATE INDEX record_session ON record (session); PRAGMA user_version = 7");
    ledger = opened((peri_ledger_options){.read_only = true});
    CHECK_OK(explained(ledger, "abcd1"));
    CHECK_EQ(seen_count, 7);
    peri_ledger_close(ledger);
    ledger = opened((peri_ledger_options){0});
    CHECK_OK(explained(ledger, "abcd1"));
    CHECK_EQ(seen_count, 7);
    peri_ledger_close(ledger);
    tell("DROP INDEX record_sought"); // it is there again
}

IT("refuses one oversized record and goes on") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    static char text[PERI_LEDGER_RECORD_MAX_BYTES + 1];
    peri_record record = record_of(PERI_RECORD_WARNING, "big", NULL);
    record.text = peri_str_of(text, sizeof text);
    CHECK_EQ(peri_ledger_put(ledger, &record), PERI_ELIMIT);
    put(ledger, PERI_RECORD_WARNING, "small", NULL);
    CHECK_OK(peri_ledger_commit(ledger, 0));
    CHECK_STR(all_of(ledger), "warning:small: ");
    peri_ledger_stats stats;
    peri_ledger_get_stats(ledger, &stats);
    CHECK_EQ(stats.dropped_error, 1);
    peri_ledger_close(ledger);
}

TEST_MAIN
