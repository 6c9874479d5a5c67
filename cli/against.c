// Tries observers on a recording: each folder of them is replayed once, without policies or
// ledger, and the runs of each observer are counted by how they ended. What never ran is said
// with the reason, since a filter or trigger that matches nothing loads as well as one that
// does. Called by `check --against`.
#include "against.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "against_replay.h"
#include "against_rules.h"
#include "base/json.h"
#include "plain.h"
#include "prose.h"
#include "tell.h"

enum { LINE_MAX_BYTES = 64 * 1024 };

typedef struct against_entry {
    char *name, *path, *folder, *triggers; // owned
    char *agents;                          // owned; NULL: every agent
    bool enabled, done;
    unsigned long long armed, ran, skipped, failed, unrun, proposed;
} entry;

int against_add_config(against *a, const char *path) {
    if (a->config_count == AGAINST_MAX_CONFIGS) return PERI_OK;
    a->configs[a->config_count] = strdup(path);
    return a->configs[a->config_count++] ? PERI_OK : PERI_ENOMEM;
}

int against_add_policy(against *a, const char *path) {
    if (a->policy_count == AGAINST_MAX_CONFIGS) return PERI_OK;
    a->policies[a->policy_count] = strdup(path);
    return a->policies[a->policy_count++] ? PERI_OK : PERI_ENOMEM;
}

static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static char *taken_text(peri_buf *text) {
    char *copy = text->status == PERI_OK ? strdup(peri_buf_c(text)) : NULL;
    peri_buf_deinit(text);
    return copy;
}

static char *triggers_of(const peri_observer *observer) {
    peri_buf text;
    peri_buf_init(&text, LINE_MAX_BYTES);
    peri_tell_triggers(&text, observer);
    return taken_text(&text);
}

static char *agents_of(const peri_observer *observer) {
    peri_buf text;
    peri_buf_init(&text, LINE_MAX_BYTES);
    for (size_t i = 0; i < observer->agent_count; i++) {
        peri_buf_addf(&text, "%s%.*s", i ? ", " : "", PERI_FMT(observer->agents[i]));
    }
    return taken_text(&text);
}

static void entry_deinit(entry *e) {
    free(e->name);
    free(e->path);
    free(e->folder);
    free(e->triggers);
    free(e->agents);
}

int against_add(against *a, const peri_observer *observer, const char *path) {
    if (a->count == a->cap) {
        size_t cap = a->cap ? a->cap * 2 : 16;
        entry *grown = realloc(a->all, cap * sizeof *grown);
        if (!grown) return PERI_ENOMEM;
        a->all = grown;
        a->cap = cap;
    }
    entry e = {.name = strndup(observer->name.ptr, observer->name.len),
               .path = strdup(path),
               .folder = folder_of(path),
               .triggers = triggers_of(observer),
               .agents = observer->agents ? agents_of(observer) : NULL,
               .enabled = observer->enabled};
    if (!e.name || !e.path || !e.folder || !e.triggers || (observer->agents && !e.agents)) {
        entry_deinit(&e);
        return PERI_ENOMEM;
    }
    a->all[a->count++] = e;
    return PERI_OK;
}

void against_deinit(against *a) {
    for (size_t i = 0; i < a->count; i++) entry_deinit(&a->all[i]);
    free(a->all);
    for (size_t i = 0; i < a->config_count; i++) free(a->configs[i]);
    for (size_t i = 0; i < a->policy_count; i++) free(a->policies[i]);
    *a = (against){0};
}

// ---- One replay

static void count_run(entry *e, peri_str state) {
    if (peri_str_eq(state, PERI_STR("skipped"))) {
        e->skipped++;
    } else if (peri_str_eq(state, PERI_STR("no-runtime")) ||
               peri_str_eq(state, PERI_STR("abandoned"))) {
        e->unrun++;
    } else {
        e->ran++;
        e->failed +=
            peri_str_eq(state, PERI_STR("failed")) || peri_str_eq(state, PERI_STR("timeout"));
    }
}

static void on_record(void *user, const peri_record *r) {
    against *a = user;
    for (size_t i = 0; i < a->count; i++) {
        entry *e = &a->all[i];
        if (strcmp(e->folder, a->folder) != 0 || !peri_str_eq(r->observer, peri_str_c(e->name)))
            continue;
        e->armed += r->kind == PERI_RECORD_PAIRING && peri_str_eq(r->state, PERI_STR("armed"));
        e->proposed += r->kind == PERI_RECORD_PROPOSAL;
        if (r->kind == PERI_RECORD_RUN) count_run(e, r->state);
    }
}

// ---- What became of each

// Appends why it never matched; nothing if it did.
static void add_reason(peri_buf *out, const entry *e) {
    if (!e->enabled) {
        peri_buf_add_c(out, "its definition says enabled: false");
    } else if (!e->armed && e->agents) {
        peri_buf_addf(out, "no agent is one of its agents: %s", e->agents);
    } else if (!e->armed) {
        peri_buf_add_c(out, "there was no agent to watch");
    } else if (!e->ran && e->unrun) {
        peri_buf_addf(out, "woken %llu times, but nothing here can run it", e->unrun);
    } else if (!e->ran && e->skipped) {
        peri_buf_addf(out, "its wake() said no, %llu times", e->skipped);
    } else if (!e->ran) {
        peri_buf_addf(out, "its trigger never came: %s", e->triggers);
    } else if (e->failed == e->ran) {
        peri_buf_addf(out, "failed each time it ran, %llu times", e->ran);
    }
}

static void add_line(peri_buf *out, const entry *e, peri_str reason) {
    peri_prose_add_plain(out, peri_str_c(e->path), LINE_MAX_BYTES);
    peri_buf_add_c(out, ": ");
    if (reason.len) {
        peri_buf_addf(out, "warning: %s never matched: %.*s [never-matched]\n", e->name,
                      PERI_FMT(reason));
    } else {
        peri_buf_addf(out, "%s ran %llu times, proposed %llu times\n", e->name, e->ran,
                      e->proposed);
    }
}

static void add_object(peri_buf *out, const entry *e, peri_str reason) {
    peri_buf_add_c(out, "{\"observer\":");
    peri_json_add_string(out, peri_str_c(e->name));
    peri_buf_add_c(out, ",\"file\":");
    peri_json_add_string(out, peri_str_c(e->path));
    peri_buf_addf(out,
                  ",\"matched\":%s,\"armed\":%llu,\"ran\":%llu,\"skipped\":%llu,"
                  "\"failed\":%llu,\"unrun\":%llu,\"proposed\":%llu",
                  reason.len ? "false" : "true", e->armed, e->ran, e->skipped, e->failed,
                  e->unrun, e->proposed);
    if (reason.len) {
        peri_buf_add_c(out, ",\"reason\":");
        peri_json_add_string(out, reason);
    }
    peri_buf_add_c(out, "}\n");
}

static int print_entry(const entry *e, bool json) {
    peri_buf reason, out;
    peri_buf_init(&reason, LINE_MAX_BYTES);
    peri_buf_init(&out, 8 * LINE_MAX_BYTES);
    add_reason(&reason, e);
    (json ? add_object : add_line)(&out, e, peri_buf_str(&reason));
    int status = reason.status < 0 ? reason.status : out.status;
    if (status == PERI_OK) fwrite(out.ptr, 1, out.len, stdout);
    peri_buf_deinit(&reason);
    peri_buf_deinit(&out);
    return status < 0 ? PERI_EXIT_INTERNAL : PERI_EXIT_OK;
}

int against_run(against *a, const char *recording, bool json) {
    for (size_t i = 0; i < a->count; i++) {
        if (a->all[i].done) continue;
        a->folder = a->all[i].folder;
        const session_options options = {.observers = a->folder, .quiet = true};
        int code = against_replay(&options, recording, on_record, a);
        if (code != PERI_EXIT_OK) return code;
        for (size_t k = i; k < a->count; k++) {
            a->all[k].done |= strcmp(a->all[k].folder, a->folder) == 0;
        }
    }
    if (!json) {
        fputs("\nagainst ", stdout);
        plain_print(stdout, peri_str_c(recording));
        fputc('\n', stdout);
    }
    for (size_t i = 0; i < a->count; i++) {
        int code = print_entry(&a->all[i], json);
        if (code != PERI_EXIT_OK) return code;
    }
    const char *observers = a->count ? a->all[0].folder : NULL;
    for (size_t i = 0; i < a->config_count; i++) {
        int code = against_rules_run(a->configs[i], observers, recording, json);
        if (code != PERI_EXIT_OK) return code;
    }
    for (size_t i = 0; i < a->policy_count; i++) {
        int code = against_policy_run(a->policies[i], observers, recording, json);
        if (code != PERI_EXIT_OK) return code;
    }
    return PERI_EXIT_OK;
}
