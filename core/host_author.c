// The doors of host_author.h: digests shown instead of run, and files checked without a stream.
#include "host_author.h"

#include <stdlib.h>

#include "host_internal.h"

typedef struct watch {
    peri_digest_fn fn;
    void *user;
} watch;

// A runtime that runs nothing: it shows the document and is silent.
static void show(void *user, const peri_run_request *request, peri_arena *arena,
                 peri_run_result *result) {
    const watch *w = user;
    (void)arena;
    w->fn(w->user, request->turn, request->observer, request->digest);
    result->state = PERI_RUN_SILENT;
}

int peri_host_watch_digests(peri_host *host, const peri_observer *observer, bool raw,
                            peri_digest_fn fn, void *user) {
    HOST_CHECK(host);
    watch *w = malloc(sizeof *w);
    if (!w) return PERI_ENOMEM;
    *w = (watch){fn, user};
    free(host->watching);
    host->watching = w;
    host->no_observers = false;
    host->defs[0] = *observer;
    host->defs[0].enabled = true;
    host->observers[0] = &host->defs[0];
    host->observer_count = 1;
    if (raw) host->config.scrub = false;
    host->runtime = (peri_runtime){w, show};
    host->has_policies = false;
    return PERI_OK;
}

const peri_observer *peri_host_find_observer(const peri_host *host, peri_str name) {
    for (size_t i = 0; i < host->observer_count; i++) {
        if (peri_str_eq(host->defs[i].name, name)) return &host->defs[i];
    }
    return NULL;
}

static bool holds(peri_str text, const char *part) {
    return peri_str_find(text, peri_str_c(part)) != PERI_NPOS;
}

// What a Lua file is, by the words only that kind has.
static peri_file_kind kind_of(peri_str text) {
    if (holds(text, "dialect {") || holds(text, "dialect{") || holds(text, "dialect(")) {
        return PERI_KIND_DIALECT;
    }
    if (holds(text, "observe")) return PERI_KIND_OBSERVER;
    if (holds(text, "reconcile") || holds(text, "budget") || holds(text, "deliver")) {
        return PERI_KIND_POLICY;
    }
    return PERI_KIND_OBSERVER; // its loader says what is missing
}

static peri_file_kind check_lua(peri_host *host, const char *path, peri_str text,
                                peri_diag_list *diags) {
    peri_str file = peri_str_c(path);
    peri_file_kind kind = kind_of(text);
    const peri_observer *observer;
    peri_dialect_file *dialect;
    peri_vm_options vm = {
        .find_module = host_find_module, .user = host, .limits.wall_ms = 10000};
    int status;
    switch (kind) {
    case PERI_KIND_DIALECT:
        status = peri_dialect_file_load(file, text, &vm, diags, &dialect);
        if (status == PERI_OK) peri_dialect_file_free(dialect);
        break;
    case PERI_KIND_POLICY:
        status = peri_script_add_policy(host->script, file, file, text, diags);
        break;
    default:
        status =
            peri_script_add_observer(host->script, file, file, file, text, diags, &observer);
        break;
    }
    if (status < 0 && diags->error_count == 0) {
        peri_diag_addf(diags, PERI_ERROR, "unusable", file, 0, 0, NULL, "%s",
                       peri_status_message(status));
    }
    return kind;
}

peri_file_kind peri_check_file(const char *path, peri_diag_list *diags) {
    peri_str file = peri_str_c(path);
    if (peri_str_ends(file, PERI_STR(".yaml")) || peri_str_ends(file, PERI_STR(".yml"))) {
        host_config config;
        host_config_init(&config);
        int status = host_config_read(&config, path, diags);
        if (status < 0 && diags->error_count == 0) {
            peri_diag_addf(diags, PERI_ERROR, "unreadable", file, 0, 0, NULL,
                           "cannot be read: %s", peri_status_message(status));
        }
        host_config_deinit(&config);
        return PERI_KIND_CONFIG;
    }
    if (!peri_str_ends(file, PERI_STR(".lua"))) {
        peri_diag_addf(diags, PERI_ERROR, "unknown-file", file, 0, 0,
                       "name a config.yaml, or a .lua observer, policy or dialect",
                       "not a kind of file that perilune reads");
        return PERI_KIND_UNKNOWN;
    }
    peri_buf text;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    int status = peri_file_read(path, &text);
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.no_observers = true;
    peri_host *host = NULL;
    peri_file_kind kind = PERI_KIND_UNKNOWN;
    if (status == PERI_OK) status = peri_host_new(&options, &host);
    if (status == PERI_OK) {
        kind = check_lua(host, path, peri_buf_str(&text), diags);
    } else {
        peri_diag_addf(diags, PERI_ERROR, "unreadable", file, 0, 0, NULL, "cannot be read: %s",
                       peri_status_message(status));
    }
    peri_host_free(host);
    peri_buf_deinit(&text);
    return kind;
}
