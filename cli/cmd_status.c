// `perilune status`: one answer to "why is it silent?". First who watches and what became of
// it, then the observers that something keeps from speaking, then those that are well, a line
// or two each. Uses the public header alone.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plain.h"
#include "session.h"

static const char help[] =
    "usage: perilune status [options]\n"
    "\n"
    "Tells who watches, what was read and what became of it, and how each observer\n"
    "fares: its state, since when, why, and what to do about it; how often it ran and\n"
    "what became of what it said. States: healthy, healthy and silent, cooling down,\n"
    "out of budget, denied, stopped by user, disabled after failures, waiting for\n"
    "trust, failed to load, never triggered, format not recognised, behind, no\n"
    "runtime, off, replaced.\n"
    "\n"
    "  --json           one object, with all counters\n"
    "  --config FILE    one more config.yaml over yours\n"
    "  --observers DIR  a folder of observers over all others\n"
    "  --managed FILE   one more managed file, which may only restrict\n"
    "  --project DIR    the project's folder (where you are)\n"
    "  --state DIR      where ledger.db and trust.jsonl are\n"
    "\n"
    "Exit status: 0 told; 2 usage; 3 internal failure.\n";

enum { INDENT = 13 };

typedef unsigned long long number;

// ---- Lines

static void print_plain(const char *ptr, size_t len) {
    plain_print(stdout, (peri_str){ptr, len});
}

static size_t width_of(const char *ptr, size_t len) {
    size_t width = 0;
    for (size_t i = 0; i < len; i++) width += ((unsigned char)ptr[i] & 0xC0) != 0x80;
    return width;
}

// A word under which a text stands, broken between words.
static void print_text(const char *lead, peri_str text) {
    if (!text.len) return;
    size_t column = INDENT, columns = (size_t)plain_columns();
    printf("    %-*s", INDENT - 4, lead);
    for (size_t at = 0; at < text.len;) {
        const char *blank = memchr(text.ptr + at, ' ', text.len - at);
        size_t end = blank ? (size_t)(blank - text.ptr) : text.len;
        size_t width = width_of(text.ptr + at, end - at);
        if (column > INDENT && column + 1 + width > columns) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            putchar(' ');
            column++;
        }
        print_plain(text.ptr + at, end - at);
        column += width;
        at = end + 1;
    }
    putchar('\n');
}

static void print_line(const char *lead, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print_line(const char *lead, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t used = len < 0 ? 0 : (size_t)len < sizeof text ? (size_t)len : sizeof text - 1;
    print_text(lead, (peri_str){text, used});
}

static const char *time_text(int64_t wall_ms, char room[32]) {
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;
    room[0] = '\0';
    if (gmtime_r(&seconds, &parts)) strftime(room, 32, "%Y-%m-%d %H:%M:%S UTC", &parts);
    return room;
}

// ---- Who watches

typedef struct peers {
    size_t alive;
    bool told_last;
} peers;

static void print_block(peri_str text) {
    while (text.len) {
        const char *lf = memchr(text.ptr, '\n', text.len);
        size_t line = lf ? (size_t)(lf - text.ptr) : text.len;
        fputs("    ", stdout);
        print_plain(text.ptr, line);
        putchar('\n');
        size_t used = lf ? line + 1 : line;
        text = (peri_str){text.ptr + used, text.len - used};
    }
}

static void print_alive(void *user, const peri_peer *peer) {
    peers *p = user;
    char since[32], told[32];
    if (!peer->alive) return;
    p->alive++;
    printf("watching: process %lld, since %s\n", (long long)peer->pid,
           time_text(peer->started_wall_ms, since));
    print_block(peer->text);
    printf("    as of    %s\n", time_text(peer->told_wall_ms, told));
}

static void print_last(void *user, const peri_peer *peer) {
    peers *p = user;
    char at[32];
    if (p->told_last) return;
    p->told_last = true;
    printf("nobody watches\n    last     process %lld, %s %s\n", (long long)peer->pid,
           peer->ended ? "ended at" : "died; last heard of at",
           time_text(peer->told_wall_ms, at));
    print_block(peer->text);
}

static int print_peers(peri_host *host) {
    peers p = {0};
    peri_source_lag lag;
    int status = peri_host_peers(host, print_alive, &p);
    if (status == PERI_OK && !p.alive) status = peri_host_peers(host, print_last, &p);
    if (status == PERI_OK && !p.alive && !p.told_last) {
        puts("nobody watches yet: start with perilune run, or look back with perilune replay");
    }
    if (status == PERI_OK) status = peri_host_source_lag(host, &lag);
    if (status == PERI_OK && lag.files) {
        char since[32];
        printf("    unread   %llu bytes of %llu followed files, since %s\n", (number)lag.bytes,
               (number)lag.files, time_text(lag.since_wall_ms, since));
    }
    return status;
}

// ---- Observers

typedef struct listing {
    bool troubled; // print those that something keeps from speaking, else the others
    size_t count[2];
    char *fresh, *state, *cause,
        *next; // owned: names of those that nothing is known of, and why
} listing;

// Replaced and well ones need nothing.
static bool is_troubled(const peri_observer_state *s) {
    return s->next.len > 0;
}

// How the runs of an observer ended, those that proposed left to the next line.
static void print_runs(const peri_observer_state *s) {
    const struct {
        const char *how;
        uint64_t count;
    } ends[] = {{"silent", s->silent},
                {"skipped by its own wake()", s->skipped},
                {"without a runtime", s->no_runtime},
                {"failed", s->failures}};
    char text[256];
    int len = snprintf(text, sizeof text, "%llu times", (number)s->runs);
    const char *mark = ": ";
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (!ends[i].count) continue;
        len += snprintf(text + len, sizeof text - (size_t)len, "%s%llu %s", mark,
                        (number)ends[i].count, ends[i].how);
        mark = ", ";
    }
    print_line("ran", "%s", text);
}

static void print_counts(const peri_observer_state *s) {
    char at[32];
    bool eventful = s->failures || s->skipped || s->no_runtime || is_troubled(s);
    if (s->runs && eventful) print_runs(s);
    if (s->proposed) {
        print_line("said", "%llu: %llu delivered, %llu deferred, %llu dropped%s",
                   (number)s->proposed, (number)s->delivered, (number)s->deferred,
                   (number)s->dropped, s->shadow ? ", the rest in shadow" : "");
    }
    if (s->digest_wall_ms) {
        print_line("shown", "step %llu last, at %s", (number)s->digest_step,
                   time_text(s->digest_wall_ms, at));
    }
    for (size_t i = 0; i < s->drop_count; i++) {
        print_line(i ? "" : "dropped", "%llu: %.*s%s", (number)s->drops[i].count,
                   (int)s->drops[i].reason.len, s->drops[i].reason.ptr,
                   s->shadow ? " (in shadow, too)" : "");
    }
    if (s->tokens) print_line("tokens", "%llu", (number)s->tokens);
    if (s->lag) {
        print_line("lag", "%llu events not judged yet%s", (number)s->lag,
                   s->skipped ? "; a skipped run leaves them to the next" : "");
    }
}

static char *copy_of(peri_str text) {
    return strndup(text.ptr ? text.ptr : "", text.len);
}

static bool is(peri_str text, const char *other) {
    return other && text.len == strlen(other) && memcmp(text.ptr, other, text.len) == 0;
}

// Before the first session all are alike: they are told in one breath.
static bool take_fresh(listing *l, const peri_observer_state *s) {
    if (s->since_wall_ms || s->runs || s->heard || s->failures || s->shadow) return false;
    if (!is(s->state, "never triggered")) return false;
    if (!l->fresh) {
        l->state = copy_of(s->state);
        l->cause = copy_of(s->cause);
        l->next = copy_of(s->next);
        l->fresh = copy_of(s->name);
        return l->fresh && l->state && l->cause && l->next;
    }
    if (!is(s->cause, l->cause) || !is(s->next, l->next)) return false;
    char *more = NULL;
    if (asprintf(&more, "%s, %.*s", l->fresh, (int)s->name.len, s->name.ptr) < 0) return false;
    free(l->fresh);
    l->fresh = more;
    return true;
}

static void print_fresh(listing *l) {
    char *line = NULL;
    if (l->fresh && l->state && asprintf(&line, "%s: %s", l->fresh, l->state) >= 0) {
        putchar('\n');
        plain_print_words(stdout, (peri_str){line, strlen(line)}, 0, 1000);
        if (l->cause) print_text("why", (peri_str){l->cause, strlen(l->cause)});
        if (l->next) print_text("next", (peri_str){l->next, strlen(l->next)});
        free(line);
    }
    free(l->fresh);
    free(l->state);
    free(l->cause);
    free(l->next);
}

static void print_state(void *user, const peri_observer_state *s) {
    listing *l = user;
    char since[32];
    if (is_troubled(s) != l->troubled || take_fresh(l, s)) return;
    l->count[l->troubled]++;
    putchar('\n');
    print_plain(s->name.ptr, s->name.len);
    printf(": %.*s", (int)s->state.len, s->state.ptr);
    if (s->since_wall_ms) printf(", since %s", time_text(s->since_wall_ms, since));
    putchar('\n');
    if (s->sessions > 1 && s->alike < s->sessions) {
        print_line("where", "%llu of the %llu agents it watches now", (number)s->alike,
                   (number)s->sessions);
    }
    print_text("why", s->cause);
    print_text("next", s->next);
    if (s->failures) print_text("error", s->last_error);
    if (s->waits_for.len) {
        print_line("waits", "for %.*s (%.*s)", (int)s->waits_for.len, s->waits_for.ptr,
                   (int)s->model.len, s->model.ptr);
    }
    if (s->shadow) print_line("mode", "in shadow: nothing of what it says is delivered");
    print_counts(s);
}

static int print_observers(peri_host *host) {
    listing l = {.troubled = true};
    int status = peri_host_observer_states(host, print_state, &l);
    l.troubled = false;
    if (status == PERI_OK) status = peri_host_observer_states(host, print_state, &l);
    print_fresh(&l);
    return status;
}

static int print_status(peri_host *host, bool json) {
    peri_str off = peri_host_switched_off(host), text;
    int status;
    if (json) {
        status = peri_host_status_json(host, &text);
        if (status >= 0) printf("%.*s\n", (int)text.len, text.ptr);
    } else {
        if (off.len) printf("observers are off: %.*s\n", (int)off.len, off.ptr);
        status = print_peers(host);
        if (status >= 0) status = print_observers(host);
    }
    return session_exit_code(status);
}

int cmd_status(int argc, char **argv) {
    session_options o = {.project = "."};
    const peri_option list[] = {
        {"--json", NULL, &o.json},
        {"--config", &o.config, NULL},
        {"--observers", &o.observers, NULL},
        {"--managed", &o.managed, NULL},
        {"--project", &o.project, NULL},
        {"--state", &o.state_dir, NULL},
        {NULL, NULL, NULL},
    };
    const char **words = calloc((size_t)argc, sizeof *words);
    if (!words) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, words, &count);
    if (code == PERI_EXIT_OK && count) {
        fputs("perilune status: takes options only; see perilune status --help\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    free(words);
    char *ledger = session_state_path(&o, "ledger.db"),
         *trust = session_state_path(&o, "trust.jsonl");
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    if (code == PERI_EXIT_OK) code = session_host_options(&o, &how);
    how.ledger_path = ledger;
    how.trust_path = trust;
    peri_host *host = NULL;
    int status = code == PERI_EXIT_OK ? peri_host_new(&how, &host) : PERI_OK;
    if (status < 0) code = session_exit_code(status);
    if (host) code = print_status(host, o.json);
    peri_host_free(host);
    free(ledger);
    free(trust);
    return code < 0 ? PERI_EXIT_OK : code;
}
