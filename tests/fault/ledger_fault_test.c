// The ledger when its ground gives way: a database that another one holds, a folder that may
// not be written, bytes that are no ledger, a disk that fills up, memory that runs out. It
// counts what it could not store, never waits, and goes on as soon as it can.
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fault.h"
#include "ledger_scene.h"

// Allocations that may still be made; -1: all of them.
static int allocations_left = -1;

static bool may_allocate(void) {
    if (allocations_left < 0) return true;
    return allocations_left-- > 0;
}

enum { NOBODY = 65534 };

static void fresh_path(void) {
    fresh_path_at("ledger.db");
}

static int status_of(peri_ledger_options options) {
    const char *error;
    return open_status(options, &error);
}

static int put_text(peri_ledger *ledger, size_t text_bytes) {
    static char text[200 * 1024];
    memset(text, 't', sizeof text);
    peri_record record = {
        .struct_size = sizeof record,
        .kind = PERI_RECORD_WARNING,
        .session = PERI_STR("s1"),
        .text = peri_str_of(text, text_bytes),
    };
    return peri_ledger_put(ledger, &record);
}

static void count(void *user, const peri_record *record) {
    (void)record;
    ++*(size_t *)user;
}

static size_t rows_of(peri_ledger *ledger) {
    size_t rows = 0;
    peri_str any = {0};
    CHECK_OK(peri_ledger_log(ledger, any, any, 100000, count, &rows));
    return rows;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void hold(sqlite3 **holder) {
    CHECK_EQ(sqlite3_open_v2(path, holder, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    CHECK_EQ(sqlite3_exec(*holder, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
}

static void let_go(sqlite3 *holder) {
    CHECK_EQ(sqlite3_exec(holder, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(holder);
}

IT("D8 never waits for a database that another one holds: it keeps what it has, and goes on after") {
    enum { COMMITS = 300, SHORT_WAIT_MS = 50 };
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    sqlite3 *holder;
    hold(&holder);
    int64_t start_ms = now_ms();
    for (int i = 0; i < COMMITS; i++) {
        CHECK_OK(put_text(ledger, 1));
        CHECK_EQ(peri_ledger_commit(ledger, 0), PERI_EAGAIN);
    }
    CHECK(now_ms() - start_ms < COMMITS * SHORT_WAIT_MS);
    CHECK_EQ(rows_of(ledger), 0);
    let_go(holder);
    CHECK_OK(peri_ledger_commit(ledger, 0));
    peri_ledger_stats stats;
    peri_ledger_get_stats(ledger, &stats);
    CHECK_EQ(stats.dropped_busy, 0);
    CHECK_EQ(stats.stored, COMMITS);
    CHECK_EQ(rows_of(ledger), COMMITS);
    peri_ledger_close(ledger);
}

IT("D8 keeps 4 MiB for a busy database and counts what is beyond") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    sqlite3 *holder;
    hold(&holder);
    uint64_t kept = 0, refused = 0;
    for (int i = 0; i < 60; i++) {
        int status = put_text(ledger, 100 * 1024);
        CHECK(status == PERI_OK || status == PERI_EAGAIN);
        kept += status == PERI_OK;
        refused += status == PERI_EAGAIN;
    }
    CHECK(kept >= 39 && refused >= 15);
    let_go(holder);
    CHECK_OK(peri_ledger_commit(ledger, 0));
    peri_ledger_stats stats;
    peri_ledger_get_stats(ledger, &stats);
    CHECK_EQ(stats.stored, kept);
    CHECK_EQ(stats.dropped_busy, refused);
    CHECK_EQ(rows_of(ledger), kept);
    peri_ledger_close(ledger);
}

IT("D8 two that write by turns lose nothing to each other") {
    fresh_path();
    peri_ledger *one = opened((peri_ledger_options){0});
    peri_ledger *two = opened((peri_ledger_options){0});
    for (int i = 0; i < 50; i++) { // each puts while the other has something to commit
        CHECK_OK(put_text(one, 10));
        CHECK_OK(put_text(two, 10));
        CHECK_OK(peri_ledger_commit(one, 0));
        CHECK_OK(put_text(one, 10));
        CHECK_OK(peri_ledger_commit(two, 0));
    }
    CHECK_OK(peri_ledger_commit(one, 0));
    CHECK_EQ(rows_of(one), 150);
    peri_ledger_close(one);
    peri_ledger_close(two);
}

IT("D8 counts a full disk, tells at the commit what went with it, and makes room") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){.max_bytes = 256 * 1024});
    CHECK_OK(put_text(ledger, 1000));
    CHECK_OK(peri_ledger_commit(ledger, 1));
    for (int i = 0; i < 1000; i++) CHECK_OK(put_text(ledger, 1000));
    CHECK_EQ(peri_ledger_commit(ledger, 2), PERI_ELIMIT);
    peri_ledger_stats stats;
    peri_ledger_get_stats(ledger, &stats);
    CHECK_EQ(stats.dropped_full, 1000);
    CHECK(rows_of(ledger) <= stats.stored);
    for (int64_t i = 0; i < 500; i++) {
        CHECK_OK(put_text(ledger, 1000));
        CHECK_OK(peri_ledger_commit(ledger, i * 60000));
    }
    struct stat st;
    CHECK_EQ(stat(path, &st), 0);
    CHECK(st.st_size <= 320 * 1024);
    peri_ledger_close(ledger);
}

IT("makes room at the commit behind a full disk, without waiting for the minute") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){.max_bytes = 256 * 1024});
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(put_text(ledger, 1000));
        CHECK_OK(peri_ledger_commit(ledger, 1));
    }
    peri_ledger_stats stats;
    peri_ledger_get_stats(ledger, &stats);
    CHECK_EQ(stats.stored, 1000);
    CHECK_EQ(stats.dropped_full, 0);
    peri_ledger_close(ledger);
}

IT("counts a record that no room could be made for") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){.max_bytes = 256 * 1024});
    for (int i = 0; i < 3; i++) {
        CHECK_OK(put_text(ledger, 180 * 1024));
        CHECK_OK(put_text(ledger, 180 * 1024));
        CHECK_EQ(peri_ledger_commit(ledger, i), PERI_ELIMIT);
    }
    CHECK_OK(put_text(ledger, 10));
    CHECK_OK(peri_ledger_commit(ledger, 9));
    peri_ledger_stats stats;
    peri_ledger_get_stats(ledger, &stats);
    CHECK_EQ(stats.dropped_full, 6);
    CHECK_EQ(stats.stored, 1);
    peri_ledger_close(ledger);
}

IT("names a folder or a file that may not be written") {
    fresh_path();
    peri_ledger_close(opened((peri_ledger_options){0}));
    CHECK_EQ(chmod(path, 0444), 0);
    CHECK_EQ(chmod(place.root, 0555), 0);
    bool root = geteuid() == 0; // whom no mode stops
    if (root) CHECK_EQ(seteuid(NOBODY), 0);
    int file_status = status_of((peri_ledger_options){0});
    snprintf(path, sizeof path, "%s/other.db", place.root);
    int folder_status = status_of((peri_ledger_options){0});
    snprintf(path, sizeof path, "%s/deeper/other.db", place.root);
    int deeper_status = status_of((peri_ledger_options){0});
    if (root) CHECK_EQ(seteuid(0), 0);
    CHECK_EQ(chmod(place.root, 0755), 0);
    CHECK_EQ(file_status, PERI_EACCES);
    CHECK_EQ(folder_status, PERI_EACCES);
    CHECK_EQ(deeper_status, PERI_EACCES);
}

IT("refuses a path that leads through a file, or is a folder") {
    fresh_path();
    peri_ledger_close(opened((peri_ledger_options){0}));
    snprintf(path, sizeof path, "%s/ledger.db/deeper.db", place.root);
    CHECK_EQ(status_of((peri_ledger_options){0}), PERI_EIO);
    snprintf(path, sizeof path, "%s", place.root);
    CHECK_EQ(status_of((peri_ledger_options){0}), PERI_EIO);
    CHECK_EQ(status_of((peri_ledger_options){.read_only = true}), PERI_EIO);
}

static void write_file(const char *bytes, size_t len, size_t times) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    for (size_t i = 0; i < times; i++) fwrite(bytes, 1, len, file);
    fclose(file);
}

IT("never empties a file that is no ledger") {
    fresh_path();
    write_file("my notes\n", 9, 500);
    CHECK_EQ(status_of((peri_ledger_options){0}), PERI_EFORMAT);
    CHECK_EQ(status_of((peri_ledger_options){.read_only = true}), PERI_EFORMAT);
    CHECK_EQ(status_of((peri_ledger_options){.replace = true}), PERI_EFORMAT);
    peri_str notes = peri_test_read(path);
    CHECK_EQ(notes.len, 4500);
    CHECK(peri_str_starts(notes, PERI_STR("my notes\nmy notes\n")));
    free((char *)notes.ptr);
}

// A ledger whose tables are gone: everything behind the header's page is junk.
static void damage(void) {
    peri_ledger *ledger = opened((peri_ledger_options){0});
    for (int i = 0; i < 50; i++) CHECK_OK(put_text(ledger, 1000));
    peri_ledger_close(ledger);
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fseek(file, 4096, SEEK_SET);
    for (long i = 4096; i < size; i++) fputc(0xA5, file);
    fclose(file);
}

IT("refuses a damaged file, and says so to its readers") {
    fresh_path();
    damage();
    CHECK_EQ(status_of((peri_ledger_options){0}), PERI_EFORMAT);
    peri_ledger *ledger = opened((peri_ledger_options){.read_only = true});
    size_t rows = 0;
    peri_str any = {0};
    CHECK_EQ(peri_ledger_log(ledger, any, any, 9, count, &rows), PERI_EFORMAT);
    CHECK_EQ(peri_ledger_explain(ledger, PERI_STR("abcd"), count, &rows), PERI_EFORMAT);
    CHECK_EQ(rows, 0);
    peri_ledger_close(ledger);
}

IT("empties a damaged replay ledger: the next replay needs none of it") {
    fresh_path();
    damage();
    peri_ledger *ledger = opened((peri_ledger_options){.replace = true});
    CHECK_OK(put_text(ledger, 10));
    CHECK_OK(peri_ledger_commit(ledger, 0));
    CHECK_EQ(rows_of(ledger), 1);
    peri_ledger_close(ledger);
}

IT("takes an empty file for a new ledger") {
    fresh_path();
    write_file("", 0, 1);
    CHECK_EQ(status_of((peri_ledger_options){.read_only = true}), PERI_EFORMAT);
    CHECK_EQ(status_of((peri_ledger_options){0}), PERI_OK);
    CHECK_EQ(status_of((peri_ledger_options){.read_only = true}), PERI_OK);
}

IT("fails as out of memory at each allocation, and works with enough of them") {
    fresh_path();
    for (int allowed = 0;; allowed++) {
        CHECK(allowed < 80);
        allocations_left = allowed;
        int status = status_of((peri_ledger_options){0});
        allocations_left = -1;
        if (status == PERI_OK) break;
        CHECK_EQ(status, PERI_ENOMEM);
    }
    peri_ledger *ledger = opened((peri_ledger_options){0});
    peri_record record = {
        .struct_size = sizeof record, .kind = PERI_RECORD_PROPOSAL, .id = PERI_STR("abcd1")};
    CHECK_OK(peri_ledger_put(ledger, &record));
    CHECK_OK(peri_ledger_commit(ledger, 0));
    size_t rows = 0;
    allocations_left = 0;
    int status = peri_ledger_explain(ledger, PERI_STR("abcd"), count, &rows);
    allocations_left = -1;
    CHECK_EQ(status, PERI_ENOMEM);
    CHECK_OK(peri_ledger_explain(ledger, PERI_STR("abcd"), count, &rows));
    CHECK_EQ(rows, 1);
    peri_ledger_close(ledger);
}

TEST_MAIN
