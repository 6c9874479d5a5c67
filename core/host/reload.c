// Files that change while the host runs. Between two batches, at most once a second, what
// changed is loaded beside what is there and takes its place only if it is good; otherwise the
// old stays and the diagnostics say where the mistake is. Budgets, desks and ctx.state are not
// the files' and stay.
//   a policy    the whole chain is loaded anew
//   an observer in Lua, in Markdown or a command, of the user's or of the given folder: one
//               that changed, is new or gone. A project's are agreed to at the start, in one
//               content, and stay as they were
//   a config    what it switches off, shadows and limits; the rest counts from the next start
#include <stdlib.h>

#include "host/load.h"
#include "host/run/run.h"
#include "host/told/told.h"
#include "host/written/written.h"

typedef struct watching {
    peri_host *host;
    peri_str layer;
} watching;

static void say(peri_host *host, const char *what, const char *path) {
    host_logf(host, "note", "%s: loaded anew (%s)", path, what);
}

static void reload_policies(peri_host *host, const char *path) {
    peri_script *fresh = NULL;
    size_t errors = host->diags.error_count;
    int status = host_policies_build(host, &host->diags, &fresh);
    bool good = status == PERI_OK && host->diags.error_count == errors;
    host_diags_flush(host);
    if (!good) {
        peri_script_free(fresh);
        host_logf(host, "warning", "%s: not loaded; the policies go on as they were", path);
        return;
    }
    peri_script_adopt_states(fresh, host->policies);
    peri_script_free(host->policies);
    host->policies = fresh;
    host->engine = peri_script_policies(fresh);
    host->health = (peri_policy_health){0};
    say(host, "policy", path);
}

static void reload_observer(peri_host *host, const host_watched *file) {
    peri_str path = peri_str_c(file->path);
    const peri_observer *before = host_defined_by(host, file->layer, path);
    char *known = before ? strndup(before->file.ptr, before->file.len) : NULL;
    size_t errors = host->diags.error_count;
    bool there = host_layers_refresh(host, file->layer, path);
    bool good = host->diags.error_count == errors;
    const peri_observer *now = host_defined_by(host, file->layer, path);
    peri_str shown = now ? now->file : peri_str_c(known ? known : file->path);
    host_diags_flush(host);
    if (!good) {
        host_logf(host, "warning", "%.*s: not loaded%s", PERI_FMT(shown),
                  before ? "; the observer goes on as before" : "");
    } else if (!there && before) {
        host_logf(host, "note", "%.*s is gone, and its observer with it", PERI_FMT(shown));
    } else if (there) {
        host_logf(host, "note", "%.*s: loaded anew (observer)", PERI_FMT(shown));
    }
    free(known);
}

static int look_at(void *user, const char *path) {
    const watching *w = user;
    if (peri_host_is_of_spec(peri_str_c(path))) return PERI_OK;
    char *beside = host_sibling(peri_str_c(path));
    if (!beside) return PERI_ENOMEM;
    host_watch_new(w->host, w->layer, host_is_markdown(peri_str_c(path)) ? path : beside);
    free(beside);
    return PERI_OK;
}

// A file that came is watched as one that changes right away.
static void look(peri_host *host, const host_watched *folder) {
    watching w = {host, folder->layer};
    int status = peri_folder_list(folder->path, ".lua", look_at, &w);
    if (status == PERI_OK) status = peri_folder_list(folder->path, ".md", look_at, &w);
    if (status == PERI_OK || status == PERI_ENOENT) return;
    host_logf(host, "warning", "%s cannot be listed: %s", folder->path,
              peri_status_message(status));
}

static void lower(uint64_t *to, const uint64_t *said) {
    for (size_t what = 0; what < PERI_SPEND_COUNT; what++) {
        if (said[what] < to[what]) to[what] = said[what];
    }
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static void limit_desks(peri_host *host) {
    for (peri_session *session = host->registry.first; session; session = session->next) {
        for (peri_agent *agent = session->agents; agent; agent = agent->next) {
            host_agent *of = agent->attached;
            if (!of) continue;
            peri_desk_limit(&of->desk, host->config.limits);
            peri_desk_limit(&of->shadow_desk, host->config.limits);
        }
    }
}

// Lowers the limits to what the configs say now, all of them in their order: a later file wins,
// whichever of them changed. What is wrong in one of them was told when it came.
static void lower_limits(const peri_host *host, host_config *config) {
    host_config now;
    peri_diag_list told;
    host_config_init(&now);
    peri_diag_list_init(&told);
    for (size_t i = 0; i < host->watched_count; i++) {
        const host_watched *file = &host->watched[i];
        if (file->kind != WATCHED_CONFIG) continue;
        if (host_config_read(&now, file->path, &told) == PERI_ENOMEM) break;
    }
    config->limits.advisories_per_turn =
        least(config->limits.advisories_per_turn, now.limits.advisories_per_turn);
    config->limits.veto_budget = least(config->limits.veto_budget, now.limits.veto_budget);
    lower(config->ceilings.session, now.ceilings.session);
    lower(config->ceilings.day, now.ceilings.day);
    peri_diag_list_deinit(&told);
    host_config_deinit(&now);
}

// What narrows holds at once; what the file no longer says, or widens, from the next start.
static void reload_config(peri_host *host, const char *path) {
    host_config *config = &host->config, said = *config;
    int status = host_config_read(&said, path, &host->diags);
    config->arena = said.arena; // what was copied into it stays
    host_diags_flush(host);
    if (status < 0) {
        host_logf(host, "warning", "%s: not loaded; what it said before goes on", path);
        return;
    }
    lower_limits(host, config);
    limit_desks(host);
    if (config->observers_enabled) config->off_by = said.off_by;
    config->observers_enabled &= said.observers_enabled;
    config->disabled = said.disabled; // a union already
    config->disabled_by = said.disabled_by;
    config->disabled_count = said.disabled_count;
    (void)host_config_shadow(config, &said);
    host_narrow_observers(host);
    say(host, "config: what it narrows holds now, the rest from the next start", path);
}

static void reload(peri_host *host, const host_watched *file) {
    switch (file->kind) {
    case WATCHED_CONFIG:
        if (file->stamp) reload_config(host, file->path);
        break;
    case WATCHED_FOLDER:
        look(host, file);
        break;
    case WATCHED_OBSERVER:
        reload_observer(host, file);
        break;
    case WATCHED_POLICY:
        break; // all of them at once
    }
}

void host_reload(peri_host *host) {
    if (!host->watched_count || host->work_count) return;
    int64_t now = host->clock.now_ms(host->clock.user);
    if (now < host->watch_at_ms) return;
    host->watch_at_ms = now + HOST_RELOAD_MS;
    const char *policy = NULL;
    for (size_t i = 0; i < host->watched_count; i++) { // more may come behind
        host_watched *file = &host->watched[i];
        uint64_t stamp = host_watched_stamp(file->kind, file->path);
        if (stamp == file->stamp) continue;
        file->stamp = stamp;
        if (file->kind == WATCHED_POLICY) policy = file->path;
        reload(host, file);
    }
    if (policy) reload_policies(host, policy);
}
