// The chain of policies: each is found by its name, and all are loaded into a VM of their own,
// so that a new chain can stand beside the old one until it is known to be good
// (host/reload.c). A policy that cannot be used is left out with a diagnostic, unless it was
// asked for by name.
#include <stdio.h>
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/run/run.h"
#include "host/written/written.h"
#include "script/embedded.h"

enum { MAX_SHIPPED = 32 };

typedef struct building {
    peri_host *host;
    peri_script *to;
    peri_diag_list *diags;
} building;

static bool is_path(peri_str name) {
    return peri_str_find_byte(name, '/', 0) != PERI_NPOS ||
           peri_str_ends(name, PERI_STR(".lua"));
}

static int load_file(building *b, peri_str name, const char *path) {
    // Also where it is not there yet.
    host_watch(b->host, WATCHED_POLICY, (peri_str){0}, path);
    peri_buf text;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status == PERI_OK) {
        status = peri_script_add_policy(b->to, name, peri_str_c(path), peri_buf_str(&text),
                                        b->diags);
    }
    peri_buf_deinit(&text);
    return status;
}

// The shipped policy that `name` may be a slip of; absent if none is near.
static peri_str nearest_shipped(peri_str name) {
    enum { FOLDER = sizeof "policies/" - 1, ENDING = sizeof ".lua" - 1 };
    peri_str words[MAX_SHIPPED + 1] = {{0}};
    size_t count = 0;
    for (const peri_embedded *file = peri_embedded_files; file->path; file++) {
        peri_str path = peri_str_c(file->path);
        bool policy =
            peri_str_starts(path, PERI_STR("policies/")) && path.len > FOLDER + ENDING;
        if (policy && count < MAX_SHIPPED)
            words[count++] = peri_str_sub(path, FOLDER, path.len - FOLDER - ENDING);
    }
    return peri_diag_nearest(name, words);
}

static int load_shipped(building *b, peri_str name) {
    peri_buf path;
    peri_buf_init(&path, 512);
    peri_buf_addf(&path, "policies/%.*s.lua", PERI_FMT(name));
    peri_str text = host_shipped(b->host, peri_buf_str(&path));
    int status = PERI_ENOENT;
    if (text.ptr) {
        status = peri_script_add_policy(b->to, name, peri_buf_str(&path), text, b->diags);
    } else {
        char hint[80];
        peri_str near = nearest_shipped(name);
        snprintf(hint, sizeof hint, "did you mean %.*s?", PERI_FMT(near));
        peri_diag_addf(b->diags, PERI_ERROR, "unknown-policy", (peri_str){0}, 0, 0,
                       near.len ? hint : "name a shipped policy, such as default, or a path",
                       "there is no policy '%.*s'", PERI_FMT(name));
    }
    peri_buf_deinit(&path);
    return status;
}

// By path, from the user's folder, or shipped, in this order.
static int load_one(building *b, peri_str name) {
    char *file = NULL;
    int status = PERI_ENOENT;
    if (is_path(name)) {
        file = strndup(name.ptr, name.len);
        if (file) status = load_file(b, name, file);
    } else if (b->host->user_policies &&
               asprintf(&file, "policies/%.*s.lua", PERI_FMT(name)) >= 0) {
        char *path = host_user_path(file);
        if (path) status = load_file(b, name, path);
        free(path);
    }
    free(file);
    return status == PERI_ENOENT ? load_shipped(b, name) : status;
}

static int load_configured(building *b) {
    const host_config *config = &b->host->config;
    for (size_t i = 0; i < config->policy_count; i++) {
        int status = load_one(b, config->policies[i]);
        if (status == PERI_ENOMEM) return status; // others: left out, with a diagnostic
    }
    return PERI_OK;
}

static int load_listed(building *b, peri_str rest) {
    while (rest.len) {
        size_t comma = peri_str_find_byte(rest, ',', 0);
        peri_str name = peri_str_trim(peri_str_sub(rest, 0, comma));
        int status = name.len ? load_one(b, name) : PERI_OK;
        if (status < 0) return status == PERI_ENOMEM ? status : PERI_EINVAL;
        rest = comma == PERI_NPOS ? (peri_str){0} : peri_str_sub(rest, comma + 1, rest.len);
    }
    return PERI_OK;
}

int host_policies_build(peri_host *host, peri_diag_list *diags, peri_script **out) {
    peri_script_options options = host_script_options(host);
    peri_script *script;
    int status = peri_script_new(&options, &script);
    if (status < 0) return status;
    building b = {host, script, diags};
    status = host->policy_list ? load_listed(&b, peri_str_c(host->policy_list))
                               : load_configured(&b);
    if (status < 0) {
        peri_script_free(script);
        return status;
    }
    host_accepted_keep_states(host, script);
    *out = script;
    return PERI_OK;
}

int host_policies_load(peri_host *host, const peri_host_options *options) {
    if (options->no_policies) return PERI_OK;
    host->user_policies = options->use_user_config;
    host->policy_list = options->policies ? strdup(options->policies) : NULL;
    if (options->policies && !host->policy_list) return PERI_ENOMEM;
    int status = host_policies_build(host, &host->diags, &host->policies);
    if (status < 0) return status;
    host->engine = peri_script_policies(host->policies);
    host->has_policies = true;
    return PERI_OK;
}

void host_policies_unload(peri_host *host) {
    peri_script_free(host->policies);
    host->policies = NULL;
    free(host->policy_list);
    host->policy_list = NULL;
}
