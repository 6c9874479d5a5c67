// C38, C31, C68: children that leak, flood, do not read or die, and an embedder that ignores
// SIGCHLD. Nothing of them may be left, and none may hold the host.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "command_rig.h"

enum {
    RUNS = 20,
    CHILDREN = 4,
    DIGEST_BYTES = 1024 * 1024,
    TIMEOUT_MS = 500, // of what is to run into it; the others have the rig's patience
    MOST_TIMEOUT_MS = 16 * 1000,
    SOON_MS = 15 * 1000, // what hangs would do so for 47 seconds and more
};

// Every child of this program carries it in its environment, however far it has run.
#define MARK "PERI_CHILDREN_TEST"

static bool is_marked(const char *pid, const char *mark) {
    char path[300], env[8192];
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    int fd = open(path, O_RDONLY);
    ssize_t got = fd < 0 ? 0 : read(fd, env, sizeof env);
    if (fd >= 0) close(fd);
    size_t whole = strlen(mark) + 1; // with its NUL: 12 is not the mark of 123
    return got > 0 && memmem(env, (size_t)got, mark, whole) != NULL;
}

// Adds up what `measure` says of each other process that carries `mark`.
static size_t sum_marked(const char *mark, size_t (*measure)(const char *pid)) {
    size_t sum = 0;
    DIR *all = opendir("/proc");
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        bool number = entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
        if (!number || atoi(entry->d_name) == getpid()) continue;
        if (is_marked(entry->d_name, mark)) sum += measure(entry->d_name);
    }
    if (all) closedir(all);
    return sum;
}

static size_t one(const char *pid) {
    (void)pid;
    return 1;
}

// The mark of this program's own descendants.
static const char *own_mark(void) {
    static char mark[64];
    snprintf(mark, sizeof mark, MARK "=%d", getpid());
    return mark;
}

static size_t count_descendants(void) {
    return sum_marked(own_mark(), one);
}

// Waits until at least `least` and at most `most` processes carry `mark`. What is killed and no
// child of the killer's is taken away by the kernel when it gets to it.
static bool come_to(const char *mark, size_t least, size_t most) {
    enum { PAUSE_US = 10 * 1000 };
    for (int64_t end_ms = rig_now_ms() + 2 * SOON_MS; rig_now_ms() < end_ms;) {
        size_t count = sum_marked(mark, one);
        if (count >= least && count <= most) return true;
        usleep(PAUSE_US);
    }
    return false;
}

static size_t resident_bytes(const char *pid) {
    char path[300];
    size_t pages = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%s/statm", pid);
    FILE *in = fopen(path, "r");
    if (!in || fscanf(in, "%zu %zu", &pages, &resident) != 2) resident = 0;
    if (in) fclose(in);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static size_t count_fds(void) {
    size_t count = 0;
    DIR *all = opendir("/proc/self/fd");
    while (all && readdir(all)) count++;
    if (all) closedir(all);
    return count;
}

static rig *rig_of(const char *name) {
    static const peri_str mark = {MARK, sizeof MARK - 1};
    static char path[512];
    char pid[16];
    snprintf(pid, sizeof pid, "%d", getpid());
    setenv(MARK, pid, 1);
    rig *r = rig_new(CHILDREN);
    snprintf(path, sizeof path, "%s/fault/children/%s", PERI_TESTS_DIR, name);
    r->words[0] = PERI_STR("sh");
    r->words[1] = peri_str_c(path);
    r->observer.command_count = 2;
    r->observer.once = true;
    r->observer.env = &mark;
    r->observer.env_count = 1;
    return r;
}

static char *long_digest(void) {
    char *text = malloc(DIGEST_BYTES);
    if (!text) TEST_FAIL("out of memory");
    memset(text, 'd', DIGEST_BYTES);
    return text;
}

// One run that ends soon, with `error`. Its deadline may pass before a slow machine has come to
// that: then it gets another one, twice as far off.
static peri_run_result run_to(rig *r, const char *error) {
    for (;;) {
        int64_t start_ms = rig_now_ms();
        peri_run_result result = rig_run(r);
        CHECK(rig_now_ms() - start_ms < r->observer.timeout_ms + SOON_MS);
        bool there = peri_str_find(result.error, peri_str_c(error)) != PERI_NPOS;
        if (there || r->observer.timeout_ms >= MOST_TIMEOUT_MS) return result;
        r->observer.timeout_ms *= 2;
    }
}

// One run alone ends soon; then all of them at once, never more children than may be.
static void torture(const char *name, peri_run_state state, const char *error) {
    rig *r = rig_of(name);
    char *digest = long_digest();
    r->request.digest = peri_str_of(digest, DIGEST_BYTES);
    if (state == PERI_RUN_TIMEOUT) r->observer.timeout_ms = TIMEOUT_MS;
    peri_run_result result = run_to(r, error);
    CHECK_EQ(result.state, state);
    CHECK_HAS(result.error, error);
    r->done = 0;
    for (int i = 0; i < RUNS; i++) rig_start(r);
    rig_wait(r, RUNS);
    CHECK_EQ(r->most_children, CHILDREN);
    CHECK_EQ(r->result.state, state);
    rig_free(r);
    free(digest);
}

IT("C38 leaky: the group and what left it are dead when a run's end is told") {
    torture("C38.leaky.sh", PERI_RUN_TIMEOUT,
            "processes that had left its group, killed too: 1");
    CHECK_EQ(count_descendants(), 0);
}

IT("C38 stopper: a helper that its command has stopped clears up all the same") {
    torture("C38.stopper.sh", PERI_RUN_TIMEOUT,
            "processes that had left its group, killed too: 1");
    CHECK_EQ(count_descendants(), 0);
}

IT("C38 killer: the group is dead even when the helper was killed") {
    torture("C38.killer.sh", PERI_RUN_FAILED, "it was killed");
    CHECK(come_to(own_mark(), 0, 0)); // its commands would sleep for 47 seconds
}

IT("C38 flood: output beyond the cap fails the run") {
    torture("C38.flood.sh", PERI_RUN_FAILED, "more than 64 KiB");
    CHECK_EQ(count_descendants(), 0);
}

IT("C38 noread: a child that does not read a digest of 1 MB cannot block the host") {
    torture("C38.noread.sh", PERI_RUN_TIMEOUT, "no answer within 500 ms");
    CHECK_EQ(count_descendants(), 0);
}

IT("C38 noread: the loop goes on while a child does not read") {
    rig *r = rig_of("");
    rig_script(r, "exec sleep 47");
    char *digest = long_digest();
    r->request.digest = peri_str_of(digest, DIGEST_BYTES);
    rig_start(r);
    peri_loop_run(r->loop, 0);
    // A write that waits would wait for its end. It has begun, but may be seen a moment later.
    CHECK(come_to(own_mark(), 1, SIZE_MAX));
    CHECK_EQ(r->done, 0);
    rig_free(r);
    free(digest);
    CHECK_EQ(count_descendants(), 0);
}

IT("C31 every script that fails is told by its cause") {
    static const struct {
        const char *name, *error;
        peri_run_state state;
    } cases[] = {
        {"C31.exit7.sh", "exit code 7", PERI_RUN_FAILED},
        {"C31.segv.sh", "signal 11 ended it", PERI_RUN_FAILED},
        {"C31.garbage.sh", "not one JSON value: \"profile loaded", PERI_RUN_FAILED},
        {"C31.partial.sh", "not one JSON value", PERI_RUN_FAILED},
        {"C31.hang.sh", "no answer within 500 ms", PERI_RUN_TIMEOUT},
        {"no-such-file.sh", "exit code", PERI_RUN_FAILED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig *r = rig_of(cases[i].name);
        if (cases[i].state == PERI_RUN_TIMEOUT) r->observer.timeout_ms = TIMEOUT_MS;
        peri_run_result result = rig_run(r);
        CHECK_EQ(result.state, cases[i].state);
        CHECK_HAS(result.error, cases[i].error);
        rig_free(r);
    }
    CHECK_EQ(count_descendants(), 0);
}

IT("C68 a child's end is told truly where the embedder ignores SIGCHLD, and SIGPIPE never comes") {
    struct sigaction child, pipe;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, normal = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &ignore, &child);
    sigaction(SIGPIPE, &normal, &pipe);
    rig *r = rig_of("C31.exit7.sh"); // ends without reading
    char *digest = long_digest();
    r->request.digest = peri_str_of(digest, DIGEST_BYTES);
    CHECK_HAS(rig_run(r).error, "exit code 7");
    rig_free(r);
    r = rig_of("C31.segv.sh");
    CHECK_HAS(rig_run(r).error, "signal 11 ended it");
    rig_free(r);
    struct sigaction after;
    sigaction(SIGCHLD, NULL, &after);
    CHECK(after.sa_handler == SIG_IGN);
    sigaction(SIGCHLD, &child, NULL);
    sigaction(SIGPIPE, &pipe, NULL);
    free(digest);
    CHECK_EQ(count_descendants(), 0);
}

static void not_grown(const char *whose, size_t before, size_t after) {
#if !defined(__SANITIZE_ADDRESS__) // which keeps freed memory for a while
    enum { SLACK_BYTES = 1 << 20 };
    CHECK(before > 0);
    if (after > before + SLACK_BYTES) TEST_FAIL("%s grew by %zu bytes", whose, after - before);
#else
    (void)whose, (void)before, (void)after;
#endif
}

// Ends by its memory, unless the machine is so slow that the script's time is up before that.
static peri_run_result bomb(rig *r) {
    peri_run_result result;
    for (int tries = 0; tries < RUNS; tries++) {
        result = rig_run(r);
        if (result.state != PERI_RUN_TIMEOUT) break;
    }
    return result;
}

IT("C49 200 memory bombs through a worker grow neither the host nor the worker") {
    rig *r = rig_of("");
    r->words[0] = PERI_STR(PERI_PROGRAM);
    r->words[1] = PERI_STR("worker");
    r->words[2] = PERI_STR(PERI_TESTS_DIR "/fault/scripts/torture/bomb-double.lua");
    r->observer.command_count = 3;
    r->observer.name = PERI_STR("bomb-double");
    r->observer.once = false;
    size_t host = 0, worker = 0;
    for (int i = 0; i < 220; i++) {
        if (i == 20) {
            host = resident_bytes("self");
            worker = sum_marked(own_mark(), resident_bytes);
        }
        peri_run_result result = bomb(r);
        CHECK_EQ(result.state, PERI_RUN_FAILED);
        CHECK_HAS(result.error, "out of memory");
    }
    not_grown("the host", host, resident_bytes("self"));
    not_grown("the worker", worker, sum_marked(own_mark(), resident_bytes));
    CHECK_EQ(peri_commands_children(r->commands), 1); // the same one all the time
    rig_free(r);
}

IT("C38 descriptors are stable over 1,000 runs, and no zombie is left") {
    rig *r = rig_of("");
    rig_script(r, "read -r line; echo '{}'");
    rig_run(r);
    rig_wait_for_end(r);
    size_t before = count_fds();
    for (int i = 0; i < 1000; i++) CHECK_EQ(rig_run(r).state, PERI_RUN_SILENT);
    rig_wait_for_end(r);
    CHECK_EQ(count_fds(), before);
    rig_free(r);
    CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQ(errno, ECHILD);
}

// The host's process is killed: its helpers notice by the socket's end.
IT("C38 nothing is left when the host itself is killed") {
    enum {
        LEAKY_PROCESSES = 4
    };             // perilune-exec, the shell, what leads the new session, the sleep in it
    char mark[64]; // no other program's that runs this test at the same time
    snprintf(mark, sizeof mark, MARK "=orphan-%d", getpid());
    pid_t host = fork();
    if (host == 0) {
        rig *r = rig_of("C38.leaky.sh");
        setenv(MARK, mark + sizeof MARK, 1);
        rig_start(r);
        for (;;) peri_loop_run(r->loop, 1000);
    }
    bool started = come_to(mark, LEAKY_PROCESSES, SIZE_MAX);
    kill(host, SIGKILL);
    waitpid(host, NULL, 0);
    CHECK(started);
    CHECK(come_to(mark, 0, 0));
}

TEST_MAIN
