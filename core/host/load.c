// Loading what people write: dialects, shipped inside the library or replaced by a folder,
// and the configs in their order. A file that cannot be used is left out alone, with a
// diagnostic.
#include "host/load.h"

#include <stdlib.h>

#include "host/run/run.h"
#include "host/written/written.h"

// One of the user's own files. What a broken one switches off cannot be known, so everything is
// (spec PI-14): a typing mistake never switches an observer on.
static int load_user_config(peri_host *host, const char *name) {
    char *path = host_user_path(name);
    int status = path ? host_config_read(&host->config, path, &host->diags) : PERI_ENOENT;
    if (path) host_watch(host, WATCHED_CONFIG, (peri_str){0}, path);
    if (status < 0 && status != PERI_ENOENT)
        host_switch_off(host, "your config has a mistake", path);
    free(path);
    return status == PERI_ENOMEM ? status : PERI_OK;
}

// In this order: the user's, the project's, the one of the options.
static int load_config(peri_host *host, const peri_host_options *options) {
    host_config_init(&host->config);
    int status = PERI_OK;
    if (options->use_user_config) {
        status = host_switches_read(host);
        if (status == PERI_OK) status = load_user_config(host, "config.yaml");
        if (status == PERI_OK) status = load_user_config(host, "switches.yaml");
    }
    if (status == PERI_OK) status = host_project_configure(host);
    if (status < 0) return status;
    if (options->config_path) {
        host_watch(host, WATCHED_CONFIG, (peri_str){0}, options->config_path);
        status = host_config_read(&host->config, options->config_path, &host->diags);
        if (status == PERI_ENOENT) {
            peri_diag_addf(&host->diags, PERI_ERROR, "unreadable",
                           peri_str_c(options->config_path), 0, 0, NULL,
                           "there is no such file");
        }
        if (status < 0) return PERI_EINVAL; // asked for by name: its mistakes are the caller's
    }
    return host_switches_managed(host, options->managed_path);
}

int host_load(peri_host *host, const peri_host_options *options) {
    int status = host_project_open(host, options);
    if (status == PERI_OK) status = load_config(host, options);
    if (status == PERI_OK) status = peri_scrub_new(&host->scrub);
    if (status < 0) return status;
    host_dialects_load(host);
    status = host_lanes_configure(host, &host->config, &host->diags);
    if (status < 0) return status;
    peri_script_options script = host_script_options(host);
    status = peri_script_new(&script, &host->script);
    if (status == PERI_OK) status = host_privacy_load(host, options->use_user_config);
    if (status < 0 || options->no_observers) return status;
    status = host_commands_open(host, options->exec_path);
    if (status == PERI_OK) status = host_layers_load(host, options);
    if (status == PERI_OK) status = host_notes_load(host);
    if (status < 0) return status;
    status = host_recall_load(host, options->use_user_config);
    if (status < 0) return status;
    status = host_agents_load(host, options);
    if (status < 0) return status;
    if (host->mode == PERI_MODE_LIVE) {
        status = host_permissions_new(host, options, &host->permissions);
        if (status < 0) return status;
    }
    peri_project_deinit(&host->project); // what was taken of it was copied
    status = host_policies_load(host, options);
    host->runtimes[PERI_RUN_LUA] = peri_script_runtime(host->script);
    return status;
}

void host_unload(peri_host *host) {
    host_permissions_free(host->permissions);
    host_agents_unload(&host->agents);
    host_recall_unload(host);
    host_layers_unload(host);
    peri_project_deinit(&host->project);
    host_policies_unload(host);
    host_watch_free(host);
    peri_script_free(host->script);
    host_dialects_unload(host);
    host_shipped_free(host);
    peri_scrub_free(host->scrub);
    host_config_deinit(&host->config);
}
