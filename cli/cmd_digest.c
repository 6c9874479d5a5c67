// `perilune digest FILE`: exactly what an observer would be shown, one digest a step.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "cli.h"
#include "host/author.h"
#include "host/written/layers.h"
#include "known.h"
#include "plain.h"
#include "session.h"

static const char help[] =
    "usage: perilune digest [options] FILE\n"
    "\n"
    "Prints the digests of a recording: what an observer would be shown, one document\n"
    "a step.\n"
    "\n"
    "  --observer NAME   as this observer sees it (its slices, layout and message)\n"
    "  --observed AGENT  only of this agent: main, or a task id\n"
    "  --layout NAME     rich, claude-2.1.332 or claude-2.1.215\n"
    "  --raw             secrets are not replaced\n"
    "  --dialect NAME    the recording's format (found out otherwise)\n"
    "  --config FILE     one more config.yaml over yours\n"
    "  --observers DIR   a folder of observers over all others\n"
    "  --project DIR     with the trusted observers and config of a project\n"
    "  --state DIR       where the trust store is (your state folder)\n"
    "  --json            one object a line\n"
    "\n"
    "Exit status: 0 printed; 2 usage, an observer or agent that is not there, or a\n"
    "file that cannot be read; 3 internal failure.\n";

enum { MAX_AGENTS = 64 };

typedef struct printing {
    const char *observed;
    bool json;
    peri_buf out;
    uint64_t count;
    peri_arena arena; // owns the names
    peri_str
        agents[MAX_AGENTS + 1]; // of the recording, where one was asked for; the first ones
    size_t agent_count;
} printing;

// A peri_record_fn.
static void note_agent(void *user, const peri_record *r) {
    printing *p = user;
    if (!r->agent.len || p->agent_count == MAX_AGENTS) return;
    for (size_t i = 0; i < p->agent_count; i++) {
        if (peri_str_eq(p->agents[i], r->agent)) return;
    }
    peri_str copy = peri_arena_copy(&p->arena, r->agent);
    if (copy.ptr) p->agents[p->agent_count++] = copy;
}

// An agent whose steps show nothing is there all the same.
static int tell_nothing(const printing *p, const char *path) {
    peri_str wanted = peri_str_c(p->observed);
    bool there = !p->observed || p->agent_count == MAX_AGENTS;
    for (size_t i = 0; i < p->agent_count; i++) there |= peri_str_eq(p->agents[i], wanted);
    if (!there) {
        return peri_name_deny("digest", "agent", wanted, p->agents,
                              "--json without --observed tells them all");
    }
    fprintf(stderr, "perilune digest: %s holds nothing to show%s%s\n", path,
            p->observed ? " of agent " : "", p->observed ? p->observed : "");
    return PERI_EXIT_OK;
}

static void print_json(printing *p, const peri_turn *turn, const peri_observer *observer,
                       peri_str text) {
    peri_buf *out = &p->out;
    peri_buf_clear(out);
    peri_buf_add_c(out, "{\"record\":\"digest\",\"session\":");
    peri_json_add_string(out, turn->session);
    peri_buf_add_c(out, ",\"agent\":");
    peri_json_add_string(out, turn->agent);
    peri_buf_addf(out, ",\"turn\":%u,\"step\":%u,\"observer\":", turn->turn, turn->step);
    peri_json_add_string(out, observer->name);
    peri_str layout = peri_layout_word(observer->layout);
    peri_buf_addf(out, ",\"layout\":\"%.*s\",\"text\":", PERI_FMT(layout));
    peri_json_add_string(out, text);
    peri_buf_add_c(out, "}\n");
    fwrite(out->ptr, 1, out->len, stdout);
}

// To the byte where it is stored or piped; a terminal gets its
// lines without what could repaint them.
static void print_text(peri_str text) {
    if (!isatty(STDOUT_FILENO)) {
        fwrite(text.ptr, 1, text.len, stdout);
        return;
    }
    for (size_t at = 0, end; at < text.len; at = end + 1) {
        end = peri_str_find_byte(text, '\n', at);
        if (end == PERI_NPOS) end = text.len;
        plain_print(stdout, peri_str_sub(text, at, end - at));
        if (end < text.len) putchar('\n');
    }
}

static void print_human(const peri_turn *turn, peri_str text) {
    fputs("--- session ", stdout);
    plain_print(stdout, turn->session);
    fputs(", agent ", stdout);
    plain_print(stdout, turn->agent);
    printf(", turn %u, step %u ---\n", turn->turn, turn->step);
    print_text(text);
    fputs("\n\n", stdout);
}

static void print_digest(void *user, const peri_turn *turn, const peri_observer *observer,
                         peri_str text) {
    printing *p = user;
    if (p->observed && !peri_str_eq(turn->agent, peri_str_c(p->observed))) return;
    if (text.len == 0) return;
    p->count++;
    if (p->json) {
        print_json(p, turn, observer, text);
    } else {
        print_human(turn, text);
    }
}

// Without --observer: everything an observer of every step sees by default.
static peri_observer plain_observer(void) {
    return (peri_observer){
        .name = PERI_STR("observer"),
        .enabled = true,
        .triggers = 1u << PERI_TRIGGER_TURN_END,
        .sees = {PERI_SLICE_ACTIVITY},
        .sees_count = 1,
        .can = PERI_CAN_ADVISE,
        .priority = 50,
    };
}

typedef struct digest_options {
    session_options session;
    const char *observer, *observed, *layout;
    char *trust; // owned
    bool raw;
} digest_options;

// Finds the definition in a host of its own, which must live as long as it is used.
static int find_observer(const digest_options *o, peri_host **from, peri_observer *out) {
    *out = plain_observer();
    if (!o->observer) return PERI_EXIT_OK;
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    int code = session_host_options(&o->session, &how);
    if (code != PERI_EXIT_OK) return code;
    how.mode = PERI_MODE_REPLAY;
    how.trust_path = o->trust;
    int status = peri_host_new(&how, from);
    if (status < 0) return session_exit_code(status);
    const peri_observer *found = peri_host_find_observer(*from, peri_str_c(o->observer));
    if (!found) {
        return peri_known_deny(*from, "digest", peri_str_c(o->observer));
    }
    *out = *found;
    return PERI_EXIT_OK;
}

static int show(const digest_options *o, peri_observer *observer, const char *path) {
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    int code = session_host_options(&o->session, &how);
    if (code != PERI_EXIT_OK) return code;
    how.mode = PERI_MODE_REPLAY;
    how.trust_path = o->trust;
    how.no_observers = true;
    how.quiet_observations = !o->observed;
    how.layout = o->layout;
    peri_host *host;
    int status = peri_host_new(&how, &host);
    if (status < 0) return session_exit_code(status);
    if (o->layout) observer->layout = peri_layout_find(peri_str_c(o->layout));
    printing p = {.observed = o->observed, .json = o->session.json};
    peri_buf_init(&p.out, 16 * 1024 * 1024);
    peri_arena_init(&p.arena, 64 * 1024);
    timeline none;
    timeline_init(&none, stdout, false, true, false);
    status = peri_host_watch_digests(host, observer, o->raw, print_digest, &p);
    if (status == PERI_OK && o->observed) status = peri_host_subscribe(host, note_agent, &p);
    if (status == PERI_OK) status = peri_host_open_path(host, path, o->session.dialect);
    if (status == PERI_OK) status = peri_host_finish(host);
    while (status >= 0 && (status = peri_host_step(host, 0)) > 0) {}
    code = session_exit_code(status == PERI_EIO ? PERI_ENOENT : status);
    if (code == PERI_EXIT_OK && p.count == 0) code = tell_nothing(&p, path);
    peri_host_free(host);
    peri_buf_deinit(&p.out);
    peri_arena_deinit(&p.arena);
    timeline_deinit(&none);
    return code;
}

int cmd_digest(int argc, char **argv) {
    digest_options o = {0};
    const peri_option list[] = {
        {"--observer", &o.observer, NULL},
        {"--observed", &o.observed, NULL},
        {"--layout", &o.layout, NULL},
        {"--raw", NULL, &o.raw},
        {"--dialect", &o.session.dialect, NULL},
        {"--config", &o.session.config, NULL},
        {"--observers", &o.session.observers, NULL},
        {"--project", &o.session.project, NULL},
        {"--state", &o.session.state_dir, NULL},
        {"--json", NULL, &o.session.json},
        {NULL, NULL, NULL},
    };
    const char **paths = calloc((size_t)argc, sizeof *paths);
    if (!paths) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, paths, &count);
    if (code == PERI_EXIT_OK && count != 1) {
        fputs("perilune digest: name one file; see perilune digest --help\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    peri_host *from = NULL;
    peri_observer observer;
    o.trust = session_state_path(&o.session, "trust.jsonl");
    if (code == PERI_EXIT_OK) code = find_observer(&o, &from, &observer);
    if (code == PERI_EXIT_OK) code = show(&o, &observer, paths[0]);
    peri_host_free(from);
    free(o.trust);
    free(paths);
    return code < 0 ? PERI_EXIT_OK : code;
}
