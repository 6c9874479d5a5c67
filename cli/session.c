// Making and driving a host for `run` and `replay`. Uses the public header and the C library
// only: these verbs are the library's first embedder.
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plain.h"

enum { ANSWER_WAIT_MS = 100 };

size_t session_option_list(session_options *options, peri_option *to) {
    const peri_option list[] = {
        {"--json", NULL, &options->json},
        {"--quiet", NULL, &options->quiet},
        {"--no-observers", NULL, &options->no_observers},
        {"--dialect", &options->dialect, NULL},
        {"--config", &options->config, NULL},
        {"--managed", &options->managed, NULL},
        {"--policy", &options->policy, NULL},
        {"--observers", &options->observers, NULL},
        {"--lua", &options->lua_dir, NULL},
        {"--state", &options->state_dir, NULL},
        {"--project", &options->project, NULL},
        {"--max-line", &options->max_line, NULL},
        {"--emit", &options->emit, NULL},
    };
    memcpy(to, list, sizeof list);
    return sizeof list / sizeof list[0];
}

static int read_size(const char *text, size_t *out) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*end || end == text || value < 1024 || value > 64 * 1024 * 1024) {
        fprintf(stderr, "perilune: --max-line takes 1024 to 67108864 bytes, not '%s'\n", text);
        return PERI_EXIT_USAGE;
    }
    *out = (size_t)value;
    return PERI_EXIT_OK;
}

// A peri_log_fn: errors, and warnings unless quiet, on stderr; `user` is the options.
static void on_log(void *user, const char *severity, peri_str message) {
    const session_options *options = user;
    if (options->quiet && strcmp(severity, "error") != 0) return;
    const char *lead = "perilune: ";
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr); // a line of progress may stand there
    while (message.len) {                                 // a hint stands on a line of its own
        const char *end = memchr(message.ptr, '\n', message.len);
        size_t size = end ? (size_t)(end - message.ptr) : message.len;
        fputs(lead, stderr);
        plain_print(stderr, (peri_str){message.ptr, size});
        fputc('\n', stderr);
        size += end != NULL;
        message = (peri_str){message.ptr + size, message.len - size};
        lead = message.len && message.ptr[0] == ' ' ? "" : "    ";
    }
}

int session_host_options(const session_options *from, peri_host_options *to) {
    if (from->emit && strcmp(from->emit, "observations") != 0) {
        fprintf(stderr, "perilune: --emit takes 'observations', not '%s'\n", from->emit);
        return PERI_EXIT_USAGE;
    }
    to->no_observers = from->no_observers || from->emit;
    to->config_path = from->config;
    to->managed_path = from->managed;
    to->policies = from->policy;
    to->observer_dir = from->observers;
    to->lua_dir = from->lua_dir;
    to->project_dir = from->project;
    to->use_user_config = true;
    to->quiet_observations = !from->emit && (!from->json || from->quiet);
    to->on_log = on_log;
    to->log_user = (void *)(uintptr_t)from;
    return from->max_line ? read_size(from->max_line, &to->max_line_bytes) : PERI_EXIT_OK;
}

void session_tell_off(const peri_host *host) {
    peri_str off = peri_host_switched_off(host);
    if (!off.len) return;
    fputs("perilune: observers are off: ", stderr);
    plain_print(stderr, off);
    fputc('\n', stderr);
}

bool session_settle(peri_host *host, const timeline *t) {
    int status;
    do {
        status = peri_host_step(host, 0);
    } while (status > 0 && !peri_interrupted() && !t->broken);
    return status >= 0 && !peri_interrupted() && !t->broken;
}

int session_end(peri_host *host, timeline *t) {
    int status = peri_host_finish(host);
    bool abandoned = false;
    while (status >= 0 && !t->saw_summary && !t->broken) { // commands may be at work
        if (peri_interrupted() && !abandoned) {
            status = peri_host_abandon(host);
            abandoned = true;
        }
        if (status >= 0) status = peri_host_step(host, ANSWER_WAIT_MS);
    }
    return status < 0 ? session_exit_code(status) : PERI_EXIT_OK;
}

int session_exit_code(int status) {
    switch (status) {
    case PERI_ENOMEM:
    case PERI_EINTERNAL:
    case PERI_EIO:
    case PERI_ESTATE:
        return PERI_EXIT_INTERNAL;
    default:
        return status < 0 ? PERI_EXIT_USAGE : PERI_EXIT_OK;
    }
}

char *session_state_path(const session_options *options, const char *name) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int made = -1;
    if (options->state_dir) {
        made = asprintf(&path, "%s/%s", options->state_dir, name);
    } else if (state && state[0] == '/') {
        made = asprintf(&path, "%s/perilune/%s", state, name);
    } else if (home && home[0] == '/') {
        made = asprintf(&path, "%s/.local/state/perilune/%s", home, name);
    }
    return made < 0 ? NULL : path;
}
