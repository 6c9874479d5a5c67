// `perilune replay PATH...`: the same pipeline over recordings,
// on their own clock; nothing is delivered.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backtest.h"
#include "session.h"

static const char help[] =
    "usage: perilune replay [options] PATH...\n"
    "\n"
    "Runs observers and policies over recorded sessions: files, or folders with all\n"
    "below them (such as ~/.claude/projects). Nothing reaches an agent. Ends with a\n"
    "summary; `perilune explain ID` then tells the story of any proposal.\n"
    "\n"
    "  --json               one record a line\n"
    "  --quiet              the summary only\n"
    "  --emit observations  what was read, as AgentObservation JSONL, and nothing\n"
    "                       else; read back with --dialect observations; no\n"
    "                       observer runs\n"
    "  --dialect NAME       the recordings' format (found out otherwise)\n"
    "  --all-sources        every file of a session, joined; else only its best kind:\n"
    "                       transcript, rollout or session file before hook log\n"
    "                       before stream\n"
    "  --config FILE        one more config.yaml over yours\n"
    "  --managed FILE       one more managed file, which may only restrict\n"
    "  --policy A,B         policies instead of the configured ones\n"
    "  --observers DIR      a folder of observers over all others\n"
    "  --against B          replay with policies B, or the folder of observers B, as\n"
    "                       well, and print what is decided otherwise than there;\n"
    "                       `explain --against` tells B's side\n"
    "  --fail-on-change     exit 1 if any does\n"
    "  --no-observers       read and count only\n"
    "  --lua DIR            shipped Lua from this folder instead of the built-in\n"
    "  --project DIR        take the trusted observers of this project too (otherwise\n"
    "                       of none)\n"
    "  --state DIR          where replay.db goes\n"
    "  --max-line BYTES     longest line read whole (8388608)\n"
    "\n"
    "Exit status: 0 replayed; 1 decisions differ and --fail-on-change; 2 usage, or a\n"
    "named file that cannot be read; 3 internal failure.\n";

// On a terminal, a line on stderr that says how far it is. Not for pipes.
typedef struct progress {
    bool shown, wanted;
    uint64_t observations, sessions;
} progress;

static void count_progress(void *user, const peri_record *record) {
    progress *p = user;
    if (!p->wanted || record->kind != PERI_RECORD_DIGEST || record->seq < p->observations)
        return;
    p->observations = record->seq + 2000;
    fprintf(stderr, "\rreplaying: %llu events …", (unsigned long long)record->seq);
    p->shown = true;
}

static void clear_progress(const progress *p) {
    if (p->shown) fputs("\r\033[K", stderr);
}

static int open_paths(peri_host *host, const session_options *options, const char *const *paths,
                      size_t count) {
    for (size_t i = 0; i < count; i++) {
        int status = peri_host_open_path(host, paths[i], options->dialect);
        if (status < 0) return session_exit_code(status == PERI_EIO ? PERI_ENOENT : status);
    }
    return PERI_EXIT_OK;
}

static void list_other(peri_host *host, const timeline *t) {
    peri_str status;
    if (t->json || t->quiet || t->emit || peri_host_status_json(host, &status) < 0) return;
    static const char key[] = "\"other\":[\"";
    const char *at = memmem(status.ptr, status.len, key, sizeof key - 1);
    if (!at) return;
    fputs("\nnot read:\n", t->out);
    const char *end = status.ptr + status.len;
    for (at += sizeof key - 2; at < end && *at == '"';) {
        const char *stop = ++at;
        while (stop < end && *stop != '"') stop += *stop == '\\' ? 2 : 1;
        fprintf(t->out, "  %.*s\n", (int)(stop - at), at);
        at = stop + 1;
        if (at < end && *at == ',') at++;
    }
}

// Takes the host, which speaks to its subscribers until it is gone.
static int replay(peri_host *host, const session_options *options, const char *const *paths,
                  size_t count) {
    timeline t;
    timeline_init(&t, stdout, options->json, options->quiet, false);
    t.emit = options->emit != NULL;
    progress p = {.wanted = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO) && !options->quiet};
    int code = peri_host_subscribe(host, timeline_record, &t) < 0 ||
                       peri_host_subscribe(host, count_progress, &p) < 0
                   ? PERI_EXIT_INTERNAL
                   : open_paths(host, options, paths, count);
    if (code == PERI_EXIT_OK) {
        (void)session_settle(host, &t);
        clear_progress(&p);
        code = session_end(host, &t);
        list_other(host, &t);
    }
    peri_host_free(host);
    timeline_deinit(&t);
    return code;
}

int cmd_replay(int argc, char **argv) {
    session_options options = {0};
    peri_option list[24] = {{0}};
    backtest_options more = {0};
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    how.mode = PERI_MODE_REPLAY;
    size_t listed = session_option_list(&options, list);
    list[listed] = (peri_option){"--all-sources", NULL, &how.all_sources};
    list[listed + 1] = (peri_option){"--against", &more.against, NULL};
    list[listed + 2] = (peri_option){"--fail-on-change", NULL, &more.fail_on_change};
    const char **paths = calloc((size_t)argc, sizeof *paths);
    if (!paths) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, paths, &count);
    if (code == PERI_EXIT_OK && count == 0) {
        fputs("perilune replay: name a file or a folder; see perilune replay --help\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    char *ledger = session_state_path(&options, "replay.db");
    char *other = session_state_path(&options, "against.db");
    char *trust = session_state_path(&options, "trust.jsonl");
    how.ledger_path = options.no_observers || options.emit ? NULL : ledger;
    how.ledger_replace = true;
    how.trust_path = trust;
    if (code == PERI_EXIT_OK) code = session_host_options(&options, &how);
    if (code == PERI_EXIT_OK) peri_interrupt_install();
    if (code == PERI_EXIT_OK && more.against) {
        code = backtest(&options, &how, &more, other, paths, count);
    } else if (code == PERI_EXIT_OK) {
        if (how.ledger_path && other) (void)unlink(other); // of another replay than this one
        peri_host *host;
        int status = peri_host_new(&how, &host);
        code = session_exit_code(status);
        if (status >= 0) session_tell_off(host);
        if (status >= 0) code = replay(host, &options, paths, count);
    }
    free(ledger);
    free(other);
    free(trust);
    free(paths);
    return code < 0 ? PERI_EXIT_OK : code;
}
