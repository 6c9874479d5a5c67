// `perilune run [FILE|-]`: reads an agent's events as they come, prints what happens, hands
// deliveries to a file if one is named.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"
#include "sink.h"

static const char help[] =
    "usage: perilune run [options] [FILE|-]\n"
    "       perilune run --follow [options] PATH...\n"
    "\n"
    "Reads an agent's events from a file or from standard input, runs observers and\n"
    "policies on them and prints what becomes of every proposal. Ends at the end of\n"
    "the input or at Ctrl-C, with a summary. Observers are the shipped ones, your\n"
    "own, and those of the project where you are, in the contents you agreed to with\n"
    "`perilune trust`.\n"
    "\n"
    "  --json               one record a line, written as it happens\n"
    "  --quiet              the summary only\n"
    "  --follow             keep reading: files and folders, as they grow and change,\n"
    "                       from where an earlier run stopped\n"
    "  --emit observations  what was read, as AgentObservation JSONL, and nothing\n"
    "                       else; read back with --dialect observations; no\n"
    "                       observer runs\n"
    "  --dialect NAME       the input's format (found out otherwise)\n"
    "  --sink FILE          append each delivery to FILE as one line of JSON\n"
    "  --config FILE        one more config.yaml over yours\n"
    "  --managed FILE       one more managed file, which may only restrict\n"
    "  --policy A,B         policies instead of the configured ones\n"
    "  --observers DIR      a folder of observers over all others\n"
    "  --no-observers       read and count only\n"
    "  --lua DIR            shipped Lua from this folder instead of the built-in\n"
    "  --project DIR        the project's folder (where you are)\n"
    "  --state DIR          where ledger.db goes\n"
    "  --max-line BYTES     longest line read whole (8388608)\n"
    "\n"
    "Exit status: 0 done; 2 usage, or input that cannot be read; 3 internal failure.\n";

enum { READ_BYTES = 64 * 1024, WAIT_MS = 200 };

// Hands over all of `bytes`, stepping the host where it is full.
static bool feed(peri_host *host, peri_source *source, const char *bytes, size_t len,
                 const timeline *t) {
    while (len) {
        size_t used = 0;
        int status = peri_source_feed(source, bytes, len, &used);
        if (status < 0 && status != PERI_EAGAIN) return false;
        bytes += used;
        len -= used;
        if (!session_settle(host, t)) return false;
    }
    return true;
}

// Reads `fd` until its end, Ctrl-C, or a closed output. While it waits, the host is stepped.
static int read_input(peri_host *host, peri_source *source, int fd, const timeline *t) {
    static char bytes[READ_BYTES];
    for (;;) {
        struct pollfd ready[] = {{.fd = fd, .events = POLLIN},
                                 {.fd = peri_host_fd(host), .events = POLLIN}};
        int timeout = peri_host_timeout_ms(host);
        if (timeout < 0 || timeout > WAIT_MS) timeout = WAIT_MS;
        int count = poll(ready, 2, timeout);
        if (peri_interrupted() || t->broken) return PERI_EXIT_OK;
        bool none = count == 0 || (count < 0 && errno == EINTR);
        if (none || ready[1].revents) { // a command has answered, or a timer is due
            if (!session_settle(host, t)) return PERI_EXIT_OK;
        }
        if (none || !ready[0].revents) continue;
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got == 0) return PERI_EXIT_OK;
        if (got < 0 && errno != EINTR && errno != EAGAIN) {
            perror("perilune run: input");
            return PERI_EXIT_USAGE;
        }
        if (got > 0 && !feed(host, source, bytes, (size_t)got, t)) return PERI_EXIT_OK;
    }
}

static int run_stream(peri_host *host, const session_options *options, const char *name, int fd,
                      const timeline *t) {
    peri_source *source;
    int status = peri_host_open_stream(host, name, options->dialect, &source);
    if (status == PERI_ENOENT) {
        peri_str known = peri_host_dialects(host);
        fprintf(stderr, "perilune: unknown dialect '%s'; the known ones: %.*s\n",
                options->dialect, (int)known.len, known.ptr);
    }
    if (status < 0) return session_exit_code(status);
    int code = read_input(host, source, fd, t);
    return peri_source_end(source) < 0 ? PERI_EXIT_INTERNAL : code;
}

static bool is_pipe(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
}

// A pipe with a name is read like standard input: `perilune run <(agent)`.
static int run_pipe(peri_host *host, const session_options *options, const char *path,
                    const timeline *t) {
    int fd = open(path, O_RDONLY | O_CLOEXEC); // waits for somebody to write
    if (fd < 0 && errno == EINTR) return PERI_EXIT_OK;
    if (fd < 0) {
        fprintf(stderr, "perilune run: %s: %s\n", path, strerror(errno));
        return PERI_EXIT_USAGE;
    }
    int code = run_stream(host, options, path, fd, t);
    close(fd);
    return code;
}

// Sleeps until the host wants a step or a signal comes, which is let in only while asleep: none
// falls between the question and the sleep.
static void wait_for_change(peri_host *host) {
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, &before);
    int timeout = peri_host_timeout_ms(host);
    struct timespec until = {timeout / 1000, timeout % 1000 * 1000000L};
    struct pollfd ready = {.fd = peri_host_fd(host), .events = POLLIN};
    if (!peri_interrupted()) ppoll(&ready, 1, timeout < 0 ? NULL : &until, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static int follow(peri_host *host, const session_options *options, const char *const *paths,
                  const timeline *t) {
    for (; *paths; paths++) {
        int status = peri_host_follow_path(host, *paths, options->dialect);
        if (status < 0) return session_exit_code(status == PERI_EIO ? PERI_ENOENT : status);
    }
    while (session_settle(host, t)) wait_for_change(host);
    return PERI_EXIT_OK;
}

// Takes the host, which speaks to its subscribers until it is gone.
static int run(peri_host *host, const session_options *options, const char *const *paths) {
    timeline t;
    timeline_init(&t, stdout, options->json, options->quiet, true);
    t.emit = options->emit != NULL;
    int code = PERI_EXIT_OK;
    bool stdin_wanted = !paths[0] || strcmp(paths[0], "-") == 0;
    if (stdin_wanted && !options->follow && isatty(STDIN_FILENO) && !options->quiet)
        fputs("perilune run: reading events from this terminal; Ctrl-D ends them\n", stderr);
    if (peri_host_subscribe(host, timeline_record, &t) < 0) code = PERI_EXIT_INTERNAL;
    if (code == PERI_EXIT_OK && options->follow) {
        code = follow(host, options, paths, &t);
    } else if (code == PERI_EXIT_OK && stdin_wanted) {
        code = run_stream(host, options, "standard input", STDIN_FILENO, &t);
    } else if (code == PERI_EXIT_OK && is_pipe(paths[0])) {
        code = run_pipe(host, options, paths[0], &t);
    } else if (code == PERI_EXIT_OK) {
        int status = peri_host_open_path(host, paths[0], options->dialect);
        code = session_exit_code(status == PERI_EIO ? PERI_ENOENT : status);
    }
    if (code == PERI_EXIT_OK) {
        (void)session_settle(host, &t);
        code = session_end(host, &t);
    }
    peri_host_free(host);
    timeline_deinit(&t);
    return code;
}

static int run_host(const session_options *options, const peri_host_options *how, sink *to,
                    const char *const *paths) {
    peri_host *host;
    int status = peri_host_new(how, &host);
    if (status < 0) return session_exit_code(status);
    session_tell_off(host);
    if (to->fd >= 0) peri_host_set_sink(host, sink_write, to);
    return run(host, options, paths);
}

int cmd_run(int argc, char **argv) {
    session_options options = {.project = "."};
    const char *sink_path = NULL;
    peri_option list[24] = {{0}};
    size_t listed = session_option_list(&options, list);
    list[listed++] = (peri_option){"--sink", &sink_path, NULL};
    list[listed] = (peri_option){"--follow", NULL, &options.follow};
    const char **paths = calloc((size_t)argc + 1, sizeof *paths);
    if (!paths) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, paths, &count);
    if (code == PERI_EXIT_OK && count > 1 && !options.follow) {
        fputs("perilune run: one file at a time; a folder of recordings is for replay\n",
              stderr);
        code = PERI_EXIT_USAGE;
    }
    if (code == PERI_EXIT_OK && count == 0 && options.follow) {
        fputs("perilune run: name what to follow; see perilune run --help\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    char *ledger = session_state_path(&options, "ledger.db");
    char *trust = session_state_path(&options, "trust.jsonl");
    bool remembers = options.follow || !(options.no_observers || options.emit);
    how.ledger_path = remembers ? ledger : NULL; // a followed file's position lies there, too
    sink to = {.fd = -1};
    how.trust_path = trust;
    if (code == PERI_EXIT_OK) code = session_host_options(&options, &how);
    if (code == PERI_EXIT_OK && sink_path && !sink_open(&to, sink_path)) code = PERI_EXIT_USAGE;
    if (code == PERI_EXIT_OK) {
        peri_interrupt_install();
        code = run_host(&options, &how, &to, paths);
    }
    sink_close(&to);
    free(ledger);
    free(trust);
    free(paths);
    return code < 0 ? PERI_EXIT_OK : code;
}
