// A child process on the loop. Its life is that of perilune-exec, which holds the other end of
// `control`: an end of file there means that the command and all it started are gone. Reading
// and writing is plain read() and write() on what uv_poll says is ready. Called by
// command_runtime.c.
#include "io/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files.h"
#include "io/loop_uv.h"

enum {
    READ_BYTES = 16 * 1024, // at a time, so that a flood leaves the loop to others too
    PENDING_MAX_BYTES = 64 * 1024 * 1024,
    LAST_READS = 64, // more than an answer may have
    ARGUMENTS_MAX = 64,
    MEMORY_DIGITS = 24,
};

typedef enum end_of { IN, OUT, ERR, CONTROL, END_COUNT } end_of;

typedef struct channel {
    uv_poll_t poll;
    int fd; // ours; -1: closed
} channel;

struct peri_proc {
    pid_t pid;     // of perilune-exec
    pid_t command; // its group; 0: nothing of it is left, or nothing began
    const peri_proc_events *events;
    void *user;
    channel channels[END_COUNT];
    int in_reader; // the child's end of its stdin, kept so that no write of ours raises SIGPIPE
    uv_timer_t timer;
    int handles; // that uv has not closed yet
    peri_buf pending, err;
    size_t pending_at;
    bool last; // nothing follows what is pending
    bool due;  // its time is over, and nothing it did since has changed that
    bool killed, ended;
    peri_proc_end end;
};

// ---- Descriptors

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

// Lifts `*fd` above those that the child is given, or else putting one there could replace it.
static bool lift(int *fd) {
    if (*fd > PERI_EXEC_CONTROL) return true;
    int higher = fcntl(*fd, F_DUPFD_CLOEXEC, PERI_EXEC_CONTROL + 1);
    close(*fd);
    *fd = higher;
    return higher >= 0;
}

// ours[i] and theirs[i]: both ends of each channel.
static int open_pairs(int ours[END_COUNT], int theirs[END_COUNT]) {
    bool good = true;
    for (int i = 0; i < END_COUNT; i++) ours[i] = theirs[i] = -1;
    for (int i = 0; i < END_COUNT && good; i++) {
        int pair[2] = {-1, -1};
        int made = i == CONTROL ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)
                                : pipe2(pair, O_CLOEXEC);
        ours[i] = pair[i == IN];
        theirs[i] = pair[i != IN];
        good = made == 0 && lift(&ours[i]) && lift(&theirs[i]);
    }
    return good ? PERI_OK : peri_status_of_errno(errno);
}

// ---- Starting

static int spawn(const peri_proc_options *options, const int theirs[END_COUNT], pid_t *pid) {
    char memory[MEMORY_DIGITS];
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)options->memory_bytes);
    const char *argv[ARGUMENTS_MAX + 1] = {options->exec_path, memory,
                                           options->folder ? options->folder : ""};
    size_t count = 3;
    for (size_t i = 0; options->argv[i]; i++) {
        if (count == ARGUMENTS_MAX) return PERI_ELIMIT;
        argv[count++] = options->argv[i];
    }
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return PERI_ENOMEM;
    int error = 0;
    for (int i = 0; i < END_COUNT && !error; i++) { // stdin, stdout, stderr, control: 0 to 3
        error = posix_spawn_file_actions_adddup2(&actions, theirs[i], i);
    }
    if (!error) {
        error =
            posix_spawn(pid, options->exec_path, &actions, NULL, (char *const *)(uintptr_t)argv,
                        (char *const *)(uintptr_t)options->env);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error ? peri_status_of_errno(error) : PERI_OK;
}

static void on_ready_out(uv_poll_t *poll, int status, int events);
static void on_ready_err(uv_poll_t *poll, int status, int events);
static void on_ready_control(uv_poll_t *poll, int status, int events);

// Hands `fd` to the loop; if the kernel has no room for one more, it is closed.
static int watch(uv_loop_t *uv, peri_proc *proc, end_of which, int fd, uv_poll_cb on_ready) {
    channel *c = &proc->channels[which];
    if (uv_poll_init(uv, &c->poll, fd) != 0) {
        close_fd(&fd);
        return PERI_EIO;
    }
    c->fd = fd;
    c->poll.data = proc;
    proc->handles++;
    if (on_ready) uv_poll_start(&c->poll, UV_READABLE, on_ready);
    return PERI_OK;
}

static int watch_all(uv_loop_t *uv, peri_proc *proc, const int ours[END_COUNT]) {
    static const uv_poll_cb on_ready[END_COUNT] = {NULL, on_ready_out, on_ready_err,
                                                   on_ready_control};
    int status = PERI_OK;
    uv_timer_init(uv, &proc->timer);
    proc->timer.data = proc;
    proc->handles = 1;
    for (int i = 0; i < END_COUNT; i++) {
        proc->channels[i].fd = -1;
        int watched = watch(uv, proc, (end_of)i, ours[i], on_ready[i]);
        if (watched < 0) status = watched;
    }
    return status;
}

int peri_proc_start(peri_loop *loop, const peri_proc_options *options,
                    const peri_proc_events *events, void *user, peri_proc **out) {
    int ours[END_COUNT], theirs[END_COUNT];
    peri_proc *proc = calloc(1, sizeof *proc);
    if (!proc) return PERI_ENOMEM;
    int status = open_pairs(ours, theirs);
    if (status == PERI_OK) status = spawn(options, theirs, &proc->pid);
    for (int i = status == PERI_OK ? OUT : IN; i < END_COUNT; i++) close_fd(&theirs[i]);
    if (status < 0) {
        for (int i = 0; i < END_COUNT; i++) close_fd(&ours[i]);
        free(proc);
        return status;
    }
    proc->in_reader = theirs[IN];
    proc->events = events;
    proc->user = user;
    peri_buf_init(&proc->pending, PENDING_MAX_BYTES);
    peri_buf_init(&proc->err, PERI_PROC_STDERR_BYTES);
    status = watch_all(peri__loop_uv(loop), proc, ours);
    if (status < 0) {
        peri_proc_free(proc);
        return status;
    }
    *out = proc;
    return PERI_OK;
}

// ---- Ending

static void on_closed(uv_handle_t *handle) {
    peri_proc *proc = handle->data;
    if (--proc->handles > 0) return;
    peri_buf_deinit(&proc->pending);
    peri_buf_deinit(&proc->err);
    free(proc);
}

// The loop forgets a descriptor before it is closed: its number may be another's at once.
static void close_channel(channel *c) {
    if (c->fd < 0) return;
    uv_close((uv_handle_t *)&c->poll, on_closed);
    close_fd(&c->fd);
}

static void close_channels(peri_proc *proc) {
    for (int i = 0; i < END_COUNT; i++) close_channel(&proc->channels[i]);
    close_fd(&proc->in_reader);
    uv_timer_stop(&proc->timer);
}

// The helper is past closing its descriptors, so this waits for the last microseconds of its
// exit. Where the embedder ignores SIGCHLD there is nothing to reap, which is as good.
static void reap(const peri_proc *proc) {
    while (waitpid(proc->pid, NULL, 0) < 0 && errno == EINTR) {}
    if (proc->command) kill(-proc->command, SIGKILL); // it has killed the helper, or stopped it
}

// Up to `size` bytes; 0 at the end, -1 when there is nothing now.
static ssize_t read_some(int fd, char *to, size_t size) {
    ssize_t got;
    do {
        got = read(fd, to, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

static ssize_t read_err(peri_proc *proc) {
    char bytes[READ_BYTES];
    ssize_t got = read_some(proc->channels[ERR].fd, bytes, sizeof bytes);
    if (got <= 0) return got;
    size_t size = (size_t)got, most = PERI_PROC_STDERR_BYTES;
    const char *from = bytes + (size > most ? size - most : 0); // of too much the end is kept
    if (size > most) size = most;
    if (proc->err.len + size > most) {
        peri_buf_drop_front(&proc->err, proc->err.len + size - most);
    }
    peri_buf_add(&proc->err, peri_str_of(from, size));
    return got;
}

static ssize_t read_out(peri_proc *proc) {
    char bytes[READ_BYTES];
    ssize_t got = read_some(proc->channels[OUT].fd, bytes, sizeof bytes);
    if (got > 0) proc->events->on_out(proc->user, peri_str_of(bytes, (size_t)got));
    return got;
}

// All its writers are dead, so what the pipes hold is all there is; but if the helper was
// killed by its command, who left the group may be alive and write for ever.
static void finish(peri_proc *proc) {
    proc->killed = true;
    reap(proc);
    for (int i = 0; i < LAST_READS && read_out(proc) > 0; i++) {}
    for (int i = 0; i < LAST_READS && read_err(proc) > 0; i++) {}
    close_channels(proc);
    proc->ended = true;
    proc->end.err = peri_buf_str(&proc->err);
    proc->events->on_end(proc->user, &proc->end);
}

// Takes one record; 0 at the end of all, -1 when there is none now.
static ssize_t take_record(peri_proc *proc) {
    peri_exec_record record;
    ssize_t got = recv(proc->channels[CONTROL].fd, &record, sizeof record, MSG_DONTWAIT);
    if (got < 0) return errno == EINTR || errno == EAGAIN ? -1 : 0;
    if (got != (ssize_t)sizeof record) return got ? got : 0;
    if (record.kind == PERI_EXEC_STARTED) {
        proc->command = record.value;
    } else if (record.kind == PERI_EXEC_CLEARED) {
        proc->command = 0;
        proc->end.strays = record.value;
    } else if (proc->end.kind == PERI_EXEC_RUNNING) { // the first word counts
        proc->end.kind = (peri_exec_kind)record.kind;
        proc->end.value = record.value;
    }
    return got;
}

static void on_ready_control(uv_poll_t *poll, int status, int events) {
    ssize_t got;
    (void)status;
    (void)events;
    while ((got = take_record(poll->data)) > 0) {}
    if (got == 0) finish(poll->data);
}

// An end of file is no news, `control` tells of the end; but it would be ready for ever.
static void on_ready_out(uv_poll_t *poll, int status, int events) {
    (void)status;
    (void)events;
    if (read_out(poll->data) == 0) uv_poll_stop(poll);
}

static void on_ready_err(uv_poll_t *poll, int status, int events) {
    (void)status;
    (void)events;
    if (read_err(poll->data) == 0) uv_poll_stop(poll);
}

// What it did in time counts, however late we look: our own process
// may have been stopped meanwhile.
static void hear_all(peri_proc *proc) {
    ssize_t got = -1;
    for (int i = 0; i < LAST_READS && read_out(proc) > 0; i++) {}
    while (!proc->ended && !proc->killed && (got = take_record(proc)) > 0) {}
    if (got == 0) finish(proc);
}

static void on_timer(uv_timer_t *timer) {
    peri_proc *proc = timer->data;
    if (proc->killed) {
        kill(proc->pid, SIGKILL); // still ours: `control` would have ended with it
        return;
    }
    proc->due = true;
    hear_all(proc);
    if (proc->due && !proc->killed && !proc->ended) proc->events->on_late(proc->user);
}

static void start_timer(peri_proc *proc, uint32_t timeout_ms) {
    uv_update_time(proc->timer.loop); // the loop may have stood still since its last run
    uv_timer_start(&proc->timer, on_timer, timeout_ms, 0);
}

void peri_proc_expect(peri_proc *proc, uint32_t timeout_ms) {
    if (proc->killed) return;
    proc->due = false;
    if (timeout_ms) {
        start_timer(proc, timeout_ms);
    } else {
        uv_timer_stop(&proc->timer);
    }
}

void peri_proc_kill(peri_proc *proc) {
    if (proc->killed) return;
    proc->killed = true;
    // Of a flood no more is read before the end.
    if (proc->channels[OUT].fd >= 0) uv_poll_stop(&proc->channels[OUT].poll);
    shutdown(proc->channels[CONTROL].fd, SHUT_WR);
    kill(proc->pid, SIGCONT); // the command may have stopped it
    start_timer(proc, PERI_PROC_GRACE_MS);
}

// Waits for the end without the loop, so that freeing one child runs nobody's callbacks.
static void wait_for_end(peri_proc *proc) {
    struct pollfd ready = {proc->channels[CONTROL].fd, POLLIN, 0};
    ssize_t got = -1;
    for (int found = 1; got != 0 && found != 0;) {
        found = poll(&ready, 1, PERI_PROC_GRACE_MS);
        if (found > 0) got = take_record(proc);
        if (found < 0 && errno != EINTR) break;
    }
    if (got != 0) kill(proc->pid, SIGKILL);
    reap(proc);
}

void peri_proc_free(peri_proc *proc) {
    if (!proc) return;
    if (!proc->ended) {
        peri_proc_kill(proc);
        wait_for_end(proc);
        close_channels(proc);
    }
    uv_close((uv_handle_t *)&proc->timer, on_closed);
}

// ---- Writing

static void on_writable(uv_poll_t *poll, int status, int events);

static void write_pending(peri_proc *proc) {
    channel *in = &proc->channels[IN];
    while (proc->pending_at < proc->pending.len) {
        ssize_t put = write(in->fd, proc->pending.ptr + proc->pending_at,
                            proc->pending.len - proc->pending_at);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) { // EAGAIN: it does not read as fast as that, or not at all
            uv_poll_start(&in->poll, UV_WRITABLE, on_writable);
            return;
        }
        proc->pending_at += (size_t)put;
    }
    uv_poll_stop(&in->poll);
    peri_buf_clear(&proc->pending);
    proc->pending_at = 0;
    if (proc->last) close_channel(in);
}

static void on_writable(uv_poll_t *poll, int status, int events) {
    (void)status;
    (void)events;
    write_pending(poll->data);
}

int peri_proc_send(peri_proc *proc, peri_str bytes, bool last) {
    if (proc->killed || proc->channels[IN].fd < 0) return PERI_OK; // its end will tell
    peri_buf_add(&proc->pending, bytes);
    if (proc->pending.status < 0) return proc->pending.status;
    proc->last = last;
    write_pending(proc);
    return PERI_OK;
}

// ---- The helper's place

int peri_proc_find_exec(const char *given, peri_buf *out) {
    char program[4096];
    if (given) {
        peri_buf_add_c(out, given);
    } else {
        ssize_t len = readlink("/proc/self/exe", program, sizeof program);
        if (len <= 0 || len == (ssize_t)sizeof program) return PERI_ENOENT;
        while (len > 0 && program[len - 1] != '/') len--;
        peri_buf_add(out, peri_str_of(program, (size_t)len));
        peri_buf_add_c(out, "perilune-exec");
    }
    if (out->status < 0) return out->status;
    return access(peri_buf_c(out), X_OK) == 0 ? PERI_OK : PERI_ENOENT;
}
