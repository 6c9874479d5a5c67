// The observers in use: found by name, and what keeps one from running. Their places in
// host->defs are given out in host/written/define.c.
#include "host/written/written.h"

const peri_observer *peri_host_find_observer(const peri_host *host, peri_str name) {
    for (size_t i = 0; i < host->observer_count; i++) {
        if (peri_str_eq(host->defs[i].name, name)) return &host->defs[i];
    }
    return NULL;
}

const char *host_off_by(const peri_host *host, const peri_observer *def) {
    const host_config *config = &host->config;
    if (host->switched_off) return host->switched_off;
    if (!config->observers_enabled) return config->off_by;
    if (host->observer_only && !peri_str_eq(def->name, peri_str_c(host->observer_only))) {
        return "only another one was asked for";
    }
    size_t at = peri_str_index_in(def->name, config->disabled, config->disabled_count);
    if (at < config->disabled_count) return config->disabled_by[at].ptr;
    bool enabled =
        def->enabled || peri_str_is_one_of(def->name, config->enabled, config->enabled_count);
    return enabled ? NULL : "its definition says enabled: false";
}
