// Following live files: each whole record once, whatever becomes of the file and of the
// program. A run that is killed is a host that is never freed; the next one finds its ledger.
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/checkpoint.h"
#include "perilune/perilune.h"
#include "test.h"

#define SAY(text) "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"" text "\"}\n"

enum { WAIT_MS = 120 * 1000 }; // for what comes unless it is lost

static char folder[256], path[512];
static peri_host *host;
static peri_buf heard, logged; // the observations' texts, blank separated; the log

static int remove_one(const char *name, const struct stat *info, int type, struct FTW *at) {
    (void)info, (void)type, (void)at;
    return remove(name);
}

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_with(const char *name, int flags, const char *text) {
    int fd = open(in_folder(name), O_WRONLY | O_CREAT | flags, 0600);
    CHECK(fd >= 0);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void append(const char *name, const char *text) {
    write_with(name, O_APPEND, text);
}

// The name stands for a new file from one moment to the next, as an editor saves.
static void replace(const char *name, const char *text) {
    char fresh[600];
    write_with("tree/.fresh", O_TRUNC, text);
    snprintf(fresh, sizeof fresh, "%s/tree/.fresh", folder);
    CHECK(rename(fresh, in_folder(name)) == 0);
}

static void rename_to(const char *from, const char *to) {
    char old[600];
    snprintf(old, sizeof old, "%s/%s", folder, from);
    CHECK(rename(old, in_folder(to)) == 0);
}

static void hear(void *user, const peri_record *record) {
    (void)user;
    if (record->kind != PERI_RECORD_OBSERVATION) return;
    peri_buf_add(&heard, record->text);
    peri_buf_add_byte(&heard, ' ');
}

static void take_log(void *user, const char *severity, peri_str text) {
    (void)user;
    peri_buf_addf(&logged, "%s: %.*s\n", severity, PERI_FMT(text));
}

static void settle(void) {
    int status;
    while ((status = peri_host_step(host, 0)) > 0) {}
    CHECK_OK(status);
}

// Steps until the host waits for others alone: once more it tells the ledger of itself.
static void rest(void) {
    while (peri_host_timeout_ms(host) >= 0) {
        CHECK(peri_host_step(host, peri_host_timeout_ms(host)) >= 0);
    }
}

// A run of the program: another host on the same ledger. What ran before it was killed.
static void start_run(const char *what) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    char ledger[600];
    snprintf(ledger, sizeof ledger, "%s/ledger.db", folder);
    options.no_observers = true;
    options.ledger_path = ledger;
    options.on_log = take_log;
    CHECK_OK(peri_host_new(&options, &host));
    CHECK_OK(peri_host_subscribe(host, hear, NULL));
    peri_buf_clear(&heard);
    CHECK_OK(peri_host_follow_path(host, in_folder(what), NULL));
    settle();
}

static void start(const char *what, const char *first) {
    const char *above = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/peri-follow-XXXXXX", above ? above : P_tmpdir);
    CHECK(mkdtemp(folder) != NULL);
    peri_buf_init(&heard, 1 << 20);
    peri_buf_init(&logged, 1 << 20);
    CHECK(mkdir(in_folder("tree"), 0700) == 0);
    if (first) append("tree/a.jsonl", first);
    start_run(what);
}

static void stop(void) {
    peri_host_free(host);
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    peri_buf_deinit(&heard);
    peri_buf_deinit(&logged);
}

// Waits as an embedder would until the texts are there, and a little longer for more.
static void check_heard(const char *want) {
    for (int waited = 0;
         waited < WAIT_MS && !peri_str_eq(peri_buf_str(&heard), peri_str_c(want));
         waited += 20) {
        struct pollfd ready = {.fd = peri_host_fd(host), .events = POLLIN};
        poll(&ready, 1, 20);
        settle();
    }
    usleep(30 * 1000);
    settle();
    CHECK_STR(peri_buf_str(&heard), want);
}

static peri_checkpoint checkpoint_of(const char *name) {
    peri_ledger *ledger;
    const char *error;
    char file[600];
    peri_checkpoint found = {0};
    snprintf(file, sizeof file, "%s/ledger.db", folder);
    CHECK_OK(peri_ledger_open(file, &(peri_ledger_options){0}, &ledger, &error));
    char *resolved = realpath(in_folder(name), NULL);
    int status = peri_ledger_get_checkpoint(ledger, peri_str_c(resolved), 0, 0, &found);
    free(resolved);
    peri_ledger_close(ledger);
    CHECK_OK(status);
    return found;
}

static long long status_count(const char *key) {
    peri_str status;
    char name[64];
    CHECK_OK(peri_host_status_json(host, &status));
    snprintf(name, sizeof name, "\"%s\":", key);
    size_t at = peri_str_find(status, peri_str_c(name));
    CHECK(at != PERI_NPOS);
    return atoll(status.ptr + at + strlen(name));
}

#define HALF "{\"session\":\"s\",\"kind\":\"assistant_text\",\"te"
#define OTHER_HALF "xt\":\"two\"}\n"

IT("C05 gives a half-written record once when the same run sees it whole") {
    start("tree", SAY("héllo") HALF);
    check_heard("héllo ");
    CHECK_EQ(checkpoint_of("tree/a.jsonl").offset, strlen(SAY("héllo")));
    append("tree/a.jsonl", OTHER_HALF);
    check_heard("héllo two ");
    CHECK_EQ(logged.len, 0);
    stop();
}

IT("C05 gives a half-written record once when the run was killed in between") {
    start("tree", SAY("one") HALF);
    check_heard("one ");
    peri_host *killed = host;
    append("tree/a.jsonl", OTHER_HALF SAY("three"));
    start_run("tree");
    check_heard("two three ");
    CHECK_EQ(checkpoint_of("tree/a.jsonl").offset,
             strlen(SAY("one") HALF OTHER_HALF SAY("three")));
    CHECK_EQ(logged.len, 0);
    peri_host_free(host);
    host = killed;
    stop();
}

IT("wakes its owner through the descriptor when a file grows, and not before") {
    start("tree", SAY("one"));
    check_heard("one ");
    rest();
    struct pollfd ready = {.fd = peri_host_fd(host), .events = POLLIN};
    CHECK_EQ(poll(&ready, 1, 50), 0);
    append("tree/a.jsonl", SAY("two"));
    CHECK_EQ(poll(&ready, 1, WAIT_MS), 1);
    check_heard("one two ");
    stop();
}

IT("reads a file anew that was cut short, and one that was overwritten") {
    start("tree", SAY("one") SAY("two"));
    check_heard("one two ");
    CHECK(truncate(in_folder("tree/a.jsonl"), 0) == 0);
    settle();
    append("tree/a.jsonl", SAY("three"));
    check_heard("one two three ");
    write_with("tree/a.jsonl", O_TRUNC, SAY("four") SAY("five") SAY("six") SAY("seven"));
    check_heard("one two three four five six seven ");
    stop();
}

IT("goes on in a copy that replaced the file, and reads another file from its start") {
    start("tree", SAY("one") SAY("two"));
    check_heard("one two ");
    replace("tree/a.jsonl", SAY("one") SAY("two") SAY("three"));
    check_heard("one two three ");
    replace("tree/a.jsonl", SAY("four"));
    check_heard("one two three four ");
    stop();
}

IT("reads the rest of a rotated file and then the new one") {
    start("tree", SAY("one"));
    check_heard("one ");
    append("tree/a.jsonl", SAY("two"));
    rename_to("tree/a.jsonl", "tree/a.jsonl.1");
    append("tree/a.jsonl", SAY("three"));
    check_heard("one two three ");
    append("tree/a.jsonl", SAY("four"));
    append("tree/a.jsonl.1", SAY("late"));
    check_heard("one two three four late ");
    stop();
}

IT("reads each record of files that are rotated in a row once") {
    start("tree", SAY("one"));
    check_heard("one ");
    rename_to("tree/a.jsonl", "tree/a.jsonl.1");
    append("tree/a.jsonl", SAY("two"));
    check_heard("one two ");
    rename_to("tree/a.jsonl.1", "tree/a.jsonl.2");
    rename_to("tree/a.jsonl", "tree/a.jsonl.1");
    append("tree/a.jsonl", SAY("three"));
    check_heard("one two three ");
    append("tree/a.jsonl", SAY("more")); // so that this name is looked at first
    rename_to("tree/a.jsonl.2", "tree/a.jsonl.3");
    rename_to("tree/a.jsonl.1", "tree/a.jsonl.2");
    rename_to("tree/a.jsonl", "tree/a.jsonl.1");
    append("tree/a.jsonl", SAY("four"));
    check_heard("one two three more four ");
    append("tree/a.jsonl.2", SAY("late"));
    check_heard("one two three more four late ");
    stop();
}

IT("reads the rest of a rotated file that is followed by its name alone") {
    start("tree/a.jsonl", SAY("one"));
    check_heard("one ");
    append("tree/a.jsonl", SAY("two"));
    rename_to("tree/a.jsonl", "tree/a.jsonl.1");
    append("tree/a.jsonl", SAY("three"));
    check_heard("one two three ");
    append("tree/b.jsonl", SAY("not asked for"));
    append("tree/a.jsonl", SAY("four"));
    check_heard("one two three four ");
    stop();
}

IT("reads on in two files whose names were swapped") {
    start("tree", SAY("one"));
    append("tree/b.jsonl", SAY("uno"));
    check_heard("one uno ");
    append("tree/a.jsonl", SAY("two"));
    rename_to("tree/a.jsonl", "tree/c.jsonl");
    rename_to("tree/b.jsonl", "tree/a.jsonl");
    rename_to("tree/c.jsonl", "tree/b.jsonl");
    check_heard("one uno two ");
    stop();
}

IT("C05 knows a file again that was rotated while no run was there") {
    start("tree", SAY("one"));
    check_heard("one ");
    peri_host_free(host);
    append("tree/a.jsonl", SAY("two"));
    rename_to("tree/a.jsonl", "tree/a.jsonl.1");
    append("tree/a.jsonl", SAY("three"));
    start_run("tree");
    check_heard("two three ");
    stop();
}

IT("C05 knows files again that were rotated in a row while no run was there") {
    start("tree", SAY("one"));
    check_heard("one ");
    rename_to("tree/a.jsonl", "tree/a.jsonl.1");
    append("tree/a.jsonl", SAY("two"));
    check_heard("one two ");
    peri_host_free(host);
    rename_to("tree/a.jsonl.1", "tree/a.jsonl.2");
    rename_to("tree/a.jsonl", "tree/a.jsonl.1");
    append("tree/a.jsonl", SAY("six"));
    start_run("tree");
    check_heard("six ");
    stop();
}

IT("picks up new files, new folders and what is in them by then") {
    start("tree", NULL);
    check_heard("");
    append("tree/b.jsonl", SAY("one"));
    check_heard("one ");
    CHECK(mkdir(in_folder("tree/x"), 0700) == 0);
    CHECK(mkdir(in_folder("tree/x/y"), 0700) == 0);
    append("tree/x/y/c.jsonl", SAY("two"));
    check_heard("one two ");
    append("tree/x/y/c.jsonl", SAY("three"));
    check_heard("one two three ");
    CHECK_EQ(status_count("folders"), 3);
    stop();
}

IT("waits for a file to tell its format, and leaves one alone that has none") {
    start("tree", "");
    append("tree/a.jsonl", "{\"session\":\"s\",");
    check_heard("");
    append("tree/a.jsonl", "\"kind\":\"assistant_text\",\"text\":\"one\"}\n");
    check_heard("one ");
    append("tree/notes.txt", "nothing to see\n");
    for (int i = 0; i < 3000; i++)
        append("tree/big.txt", "this is no transcript at all, sorry\n");
    check_heard("one ");
    CHECK_EQ(status_count("foreign"), 1);
    CHECK_EQ(status_count("otherFiles"), 1);
    stop();
}

IT("follows no link, so a loop of them is harmless") {
    start("tree", SAY("one"));
    CHECK(symlink("..", in_folder("tree/up")) == 0);
    CHECK(mkdir(in_folder("away"), 0700) == 0);
    append("away/b.jsonl", SAY("outside"));
    CHECK(symlink("../away/b.jsonl", in_folder("tree/b.jsonl")) == 0);
    CHECK(symlink("../away", in_folder("tree/away")) == 0);
    append("away/b.jsonl", SAY("again"));
    append("tree/a.jsonl", SAY("two"));
    check_heard("one two ");
    stop();
}

IT("shows observers a step whole that was half read before a restart") {
    static const char call[] = "{\"session\":\"s\",\"kind\":\"tool_call\",\"name\":\"Bash\","
                               "\"call_id\":\"c\",\"input\":{}}\n";
    start("tree", SAY("one"));
    append("tree/a.jsonl", call);
    check_heard("one {} ");
    peri_host_free(host);
    append("tree/a.jsonl", "{\"session\":\"s\",\"kind\":\"tool_result\",\"call_id\":\"c\"}\n");
    start_run("tree");
    check_heard(" ");
    CHECK_EQ(status_count("observations"), 1);
    CHECK_EQ(status_count("records"), 1);
    stop();
}

IT("sets a record aside that no run survived, and never meets it again") {
    start("tree", SAY("one"));
    check_heard("one ");
    peri_checkpoint at = checkpoint_of("tree/a.jsonl");
    peri_host_free(host);
    peri_ledger *ledger;
    const char *error;
    char file[600];
    snprintf(file, sizeof file, "%s/ledger.db", folder);
    CHECK_OK(peri_ledger_open(file, &(peri_ledger_options){0}, &ledger, &error));
    char *resolved = realpath(in_folder("tree/a.jsonl"), NULL);
    at.path = peri_str_c(resolved);
    at.tries = 3;
    CHECK_OK(peri_ledger_put_checkpoint(ledger, &at, 1));
    peri_ledger_close(ledger);
    free(resolved);
    append("tree/a.jsonl", SAY("poison") SAY("three"));
    start_run("tree");
    check_heard("three ");
    CHECK_EQ(status_count("quarantined"), 1);
    char want[80];
    snprintf(want, sizeof want, "a.jsonl: byte %zu: set aside unread", strlen(SAY("one")));
    CHECK(peri_str_find(peri_buf_str(&logged), peri_str_c(want)) != PERI_NPOS);
    CHECK_EQ(checkpoint_of("tree/a.jsonl").tries, 0);
    stop();
}

#define SECRET "API_SECRET=supersecretvalue"

static bool is_in_ledger(const char *part) {
    char file[600];
    snprintf(file, sizeof file, "%s/ledger.db", folder);
    peri_str all = peri_test_read(file);
    bool found = peri_str_find(all, peri_str_c(part)) != PERI_NPOS;
    free((char *)all.ptr);
    return found;
}

IT("keeps a secret in the name of a followed file out of the ledger") {
    start("tree", NULL);
    append("tree/" SECRET "1.jsonl", SAY("one"));
    check_heard("one ");
    append("tree/" SECRET "2.jsonl", SAY("uno"));
    check_heard("one uno ");
    peri_host_free(host);
    CHECK(!is_in_ledger("supersecret"));
    CHECK(is_in_ledger("API_SECRET"));
    start_run("tree");
    append("tree/" SECRET "1.jsonl", SAY("two"));
    check_heard("two "); // each found its own position
    append("tree/" SECRET "2.jsonl", SAY("due"));
    check_heard("two due ");
    CHECK_EQ(logged.len, 0);
    stop();
}

static void copy_key(void *user, const peri_checkpoint *of) {
    snprintf(user, 600, "%.*s", PERI_FMT(of->path));
}

// As a version would have left it that wrote names as they are; it was a copy, so that its
// inode tells nothing.
static void make_old(const char *name) {
    peri_ledger *ledger;
    const char *error;
    char file[600], key[600] = "";
    peri_checkpoint at;
    snprintf(file, sizeof file, "%s/ledger.db", folder);
    CHECK_OK(peri_ledger_open(file, &(peri_ledger_options){0}, &ledger, &error));
    CHECK_OK(peri_ledger_checkpoints(ledger, 1, copy_key, key));
    CHECK_OK(peri_ledger_get_checkpoint(ledger, peri_str_c(key), 0, 0, &at));
    char *resolved = realpath(in_folder(name), NULL);
    at.path = peri_str_c(resolved);
    at.inode++;
    CHECK_OK(peri_ledger_put_checkpoint(ledger, &at, 1));
    CHECK_OK(peri_ledger_drop_checkpoint(ledger, peri_str_c(key)));
    peri_ledger_close(ledger);
    free(resolved);
}

IT("finds the position of a name with a secret that an older version wrote, once") {
    start("tree", NULL);
    append("tree/" SECRET ".jsonl", SAY("one"));
    check_heard("one ");
    peri_host_free(host);
    make_old("tree/" SECRET ".jsonl");
    CHECK(is_in_ledger("supersecret"));
    start_run("tree");
    check_heard("");
    peri_host_free(host);
    CHECK(!is_in_ledger("supersecret"));
    append("tree/" SECRET ".jsonl", SAY("two"));
    start_run("tree");
    check_heard("two ");
    stop();
}

IT("counts a start before the first record it reads and takes it back after") {
    start("tree", SAY("one") HALF);
    check_heard("one ");
    for (int i = 0; i < 5; i++) { // restarts with nothing whole to read are no tries
        peri_host_free(host);
        start_run("tree");
        check_heard("");
    }
    CHECK_EQ(checkpoint_of("tree/a.jsonl").tries, 0);
    append("tree/a.jsonl", OTHER_HALF);
    check_heard("two ");
    CHECK_EQ(status_count("quarantined"), 0);
    stop();
}

IT("names a damaged line once, with its place, also over a restart") {
    start("tree", SAY("one") "{\"broken\": nonsense\n" SAY("two"));
    CHECK_EQ(status_count("malformed"), 1);
    CHECK_EQ(status_count("quarantined"), 1);
    peri_host_free(host);
    peri_buf_clear(&logged);
    start_run("tree");
    check_heard("");
    CHECK_EQ(logged.len, 0);
    CHECK_EQ(status_count("quarantined"), 0);
    stop();
}

IT("refuses what it cannot follow") {
    start("tree", NULL);
    CHECK_EQ(peri_host_follow_path(host, in_folder("none"), NULL), PERI_ENOENT);
    CHECK_EQ(peri_host_follow_path(host, folder, "latin"), PERI_ENOENT);
    CHECK_EQ(peri_host_follow_path(host, NULL, NULL), PERI_EINVAL);
    stop();
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_REPLAY;
    CHECK_OK(peri_host_new(&options, &host));
    CHECK_EQ(peri_host_follow_path(host, "/", NULL), PERI_ESTATE);
    peri_host_free(host);
}

static double cpu_ms(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

IT("spends no time on a thousand idle files") {
    char name[64], line[128];
    start("tree", NULL);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "tree/%d.jsonl", i);
        snprintf(line, sizeof line,
                 "{\"session\":\"%d\",\"kind\":\"assistant_text\",\"text\":\"x\"}\n", i);
        append(name, line);
    }
    for (int waited = 0; waited < WAIT_MS && status_count("observations") < 1000;
         waited += 20) {
        usleep(20 * 1000);
        settle();
    }
    CHECK_EQ(status_count("observations"), 1000);
    CHECK_EQ(status_count("sessions"), 1000);
    rest();
    double before = cpu_ms();
    struct pollfd ready = {.fd = peri_host_fd(host), .events = POLLIN};
    CHECK_EQ(poll(&ready, 1, 500), 0);
    CHECK_EQ(peri_host_timeout_ms(host), -1);
    CHECK(cpu_ms() - before < 5);
    stop();
}

TEST_MAIN
