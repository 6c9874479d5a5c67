// The off switches of the environment (spec CC-1). They are asked where the user's own settings
// are: an embedder that wants none of the user's settings is not switched by them either. An
// agent's hooks tell those of its own environment, for its session alone. Which one is off is
// kept, so that status can say it.
#include <stdlib.h>

#include "host/told/told.h"
#include "host/written/written.h"

void host_switch_off(peri_host *host, const char *why, const char *path) {
    const char *text = peri_arena_printf(&host->config.arena, "%s: %s", why, path);
    host->switched_off = text ? text : why;
}

static bool is_any(peri_str text, const char *const *words) {
    for (; *words; words++) {
        if (peri_str_eq_nocase(text, peri_str_c(*words))) return true;
    }
    return false;
}

static bool is_true(peri_str text) {
    static const char *const on[] = {"1", "true", "yes", "on", NULL};
    return is_any(text, on);
}

// True for a switch that is on; PERI_EINVAL for what is neither true nor false.
static int parse_switch(peri_str text, bool *out) {
    static const char *const off[] = {"0", "false", "no", "off", "", NULL};
    text = peri_str_trim(text);
    *out = is_true(text);
    return *out || is_any(text, off) ? PERI_OK : PERI_EINVAL;
}

// The value of a switch. PERI_ENOENT if it is not set, PERI_EINVAL after a line of log.
static int read_switch(peri_host *host, const char *name, bool *out) {
    const char *value = getenv(name);
    if (!value) return PERI_ENOENT;
    peri_str text = peri_str_c(value);
    if (parse_switch(text, out) == PERI_OK) return PERI_OK;
    host_logf(host, "error", "%s is '%.*s'; write 1, true, yes, on or 0, false, no, off", name,
              PERI_FMT(peri_str_sub(text, 0, 60)));
    return PERI_EINVAL;
}

int host_switches_read(peri_host *host) {
    bool restricted = false, wanted = true;
    int status = read_switch(host, "PERILUNE_RESTRICTED", &restricted);
    if (status == PERI_EINVAL) return status;
    status = read_switch(host, "PERILUNE_OBSERVERS", &wanted);
    if (status == PERI_EINVAL) return status;
    const char *client = getenv("CLAUDE_CODE_EXPERIMENTAL_OBSERVER_AGENTS");
    host->client_observes = client && is_true(peri_str_trim(peri_str_c(client)));
    if (restricted) {
        host->switched_off = "PERILUNE_RESTRICTED is on in the environment";
    } else if (!wanted) {
        host->switched_off = "PERILUNE_OBSERVERS is off in the environment";
    }
    return PERI_OK;
}

// ---- The agent's own

static const char *off_in(const peri_obs *obs) {
    bool restricted = false, wanted = true;
    if (obs->x.restricted.ptr && parse_switch(obs->x.restricted, &restricted) < 0) {
        return "PERILUNE_RESTRICTED is neither true nor false in the agent's environment";
    }
    if (obs->x.observers.ptr && parse_switch(obs->x.observers, &wanted) < 0) {
        return "PERILUNE_OBSERVERS is neither true nor false in the agent's environment";
    }
    if (restricted) return "PERILUNE_RESTRICTED is on in the agent's environment";
    return wanted ? NULL : "PERILUNE_OBSERVERS is off in the agent's environment";
}

void host_switches_hear(peri_host *host, const peri_session *session, const peri_obs *obs) {
    if (host->mode == PERI_MODE_REPLAY || (!obs->x.observers.ptr && !obs->x.restricted.ptr))
        return;
    host_session *kept = session->attached;
    const char *before = kept->off;
    kept->off = off_in(obs);
    if (!kept->off || kept->off == before) return;
    peri_buf text;
    peri_buf_init(&text, 4096);
    peri_buf_addf(&text, "session %.*s is not observed: %s", PERI_FMT(session->id), kept->off);
    host_logf(host, "warning", "%s", peri_buf_c(&text));
    host_warn(host, "switched-off", (peri_str){0}, peri_buf_str(&text),
              PERI_STR("the env block of the agent's settings may set it; write 1 or 0"));
    peri_buf_deinit(&text);
}

// ---- The managed file

static int take_managed(peri_host *host, const char *path) {
    peri_buf text;
    peri_buf_init(&text, HOST_CONFIG_MAX_BYTES);
    bool before = host->config.observers_enabled;
    int status = peri_file_read(path, &text);
    if (status == PERI_OK) {
        status = host_config_narrow(&host->config, peri_buf_str(&text), peri_str_c(path),
                                    &host->diags);
    } else if (status == PERI_ENOENT) {
        peri_buf_deinit(&text);
        return PERI_OK;
    }
    peri_buf_deinit(&text);
    if (status == PERI_ENOMEM) return status;
    if (status < 0) {
        // What it forbids cannot be known.
        host_switch_off(host, "the managed file has a mistake", path);
    } else if (before && !host->config.observers_enabled) {
        host_switch_off(host, "the managed file switches observers off", path);
    }
    return PERI_OK;
}

int host_switches_managed(peri_host *host, const char *more) {
    int status = take_managed(host, HOST_MANAGED_PATH);
    return status < 0 || !more ? status : take_managed(host, more);
}
