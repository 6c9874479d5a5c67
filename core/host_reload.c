// Files that change while the host runs. Between two batches, at most once a second, what changed is
// loaded beside what is there and takes its place only if it is good; otherwise the old stays and the
// diagnostics say where the mistake is. Budgets, desks and ctx.state are not the files' and stay.
//   a policy    the whole chain is loaded anew
//   an observer a Lua file of the user's or of the given folder, under the name it has
//   a config    limits that are lower than before; the rest counts from the next start
#include <stdlib.h>

#include "host_internal.h"

void host_watch(peri_host *host, host_watched_kind kind, const char *path) {
    if (host->mode == PERI_MODE_REPLAY) return;
    for (size_t i = 0; i < host->watched_count; i++) {
        if (strcmp(host->watched[i].path, path) == 0) return;
    }
    if (!host->watched) host->watched = calloc(HOST_MAX_WATCHED, sizeof *host->watched);
    char *copy = strdup(path);
    if (!host->watched || !copy || host->watched_count == HOST_MAX_WATCHED) {
        free(copy);
        host_logf(host, "warning", "%s is not watched for changes: there are too many files",
                  path);
        return;
    }
    host->watched[host->watched_count++] =
        (host_watched){.path = copy, .kind = kind, .stamp = peri_file_stamp(path)};
}

void host_watch_free(peri_host *host) {
    for (size_t i = 0; i < host->watched_count; i++) free(host->watched[i].path);
    free(host->watched);
    host->watched = NULL;
    host->watched_count = 0;
}

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
        host_logf(host, "warning", "%s: not loaded; the policies before it go on", path);
        return;
    }
    peri_script_adopt_states(fresh, host->policies);
    peri_script_free(host->policies);
    host->policies = fresh;
    host->engine = peri_script_policies(fresh);
    host->health = (peri_policy_health){0};
    say(host, "policy", path);
}

static peri_observer *observer_of(peri_host *host, const char *path) {
    for (size_t i = 0; i < host->observer_count; i++) {
        peri_observer *def = &host->defs[i];
        if (def->runtime != PERI_RUN_LUA || def->isolated) continue;
        if (peri_str_eq(def->file, peri_str_c(path))) return def;
    }
    return NULL;
}

// Who is paired with the observer goes on with the new definition; the switches stay as they were.
static void reload_observer(peri_host *host, const char *path) {
    peri_observer *def = observer_of(host, path);
    const peri_observer *fresh;
    peri_buf text;
    if (!def) return;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status == PERI_OK) {
        status = peri_script_reload_observer(host->script, def, peri_buf_str(&text),
                                             &host->diags, &fresh);
    }
    peri_buf_deinit(&text);
    host_diags_flush(host);
    if (status < 0) {
        host_logf(host, "warning", "%s: not loaded; the observer goes on as before", path);
        return;
    }
    peri_observer before = *def;
    *def = *fresh;
    def->enabled = before.enabled;
    def->shadow = before.shadow;
    if (host->layout >= 0) def->layout = before.layout;
    say(host, "observer", path);
}

static void lower(uint64_t *to, const uint64_t *said) {
    for (size_t what = 0; what < PERI_SPEND_COUNT; what++) {
        if (said[what] < to[what]) to[what] = said[what];
    }
}

static void limit_desks(peri_host *host) {
    for (peri_session *session = host->registry.first; session; session = session->next) {
        for (peri_agent *agent = session->agents; agent; agent = agent->next) {
            host_agent *of = agent->attached;
            if (of) peri_desk_limit(&of->desk, host->config.limits);
        }
    }
}

static void reload_config(peri_host *host, const char *path) {
    host_config said;
    host_config_init(&said);
    said.limits = host->config.limits;
    said.ceilings = host->config.ceilings;
    int status = host_config_read(&said, path, &host->diags);
    host_diags_flush(host);
    peri_policy_limits *limits = &host->config.limits;
    if (status == PERI_OK) {
        if (said.limits.advisories_per_turn < limits->advisories_per_turn)
            limits->advisories_per_turn = said.limits.advisories_per_turn;
        if (said.limits.veto_budget < limits->veto_budget)
            limits->veto_budget = said.limits.veto_budget;
        lower(host->config.ceilings.session, said.ceilings.session);
        lower(host->config.ceilings.day, said.ceilings.day);
        limit_desks(host);
        say(host, "config: lower limits hold now, the rest from the next start", path);
    } else {
        host_logf(host, "warning", "%s: not loaded; the limits before it go on", path);
    }
    host_config_deinit(&said);
}

void host_reload(peri_host *host) {
    if (!host->watched_count || host->runs) return;
    int64_t now = host->clock.now_ms(host->clock.user);
    if (now < host->watch_at_ms) return;
    host->watch_at_ms = now + HOST_RELOAD_MS;
    const char *policy = NULL;
    for (size_t i = 0; i < host->watched_count; i++) {
        host_watched *file = &host->watched[i];
        uint64_t stamp = peri_file_stamp(file->path);
        if (stamp == file->stamp) continue;
        file->stamp = stamp;
        if (file->kind == WATCHED_POLICY) policy = file->path;
        if (file->kind == WATCHED_OBSERVER) reload_observer(host, file->path);
        if (file->kind == WATCHED_CONFIG && stamp) reload_config(host, file->path);
    }
    if (policy) reload_policies(host, policy);
}
