// What a project may add to a host: observers, notes and a goal in the contents a person agreed
// to, and a config that only narrows. Everything else of it is named once and
// left alone. Called by host/load.c.
#include "host/told/told.h"
#include "host/written/written.h"

enum { NAMED_FILES = 5 }; // in the notice; the rest is counted

// One notice for all that is untrusted; none for a project that brings nothing along.
static void notice(peri_host *host) {
    const peri_project *project = &host->project;
    peri_buf text;
    if (!project->untrusted_count) return;
    peri_buf_init(&text, 4096);
    size_t named = 0;
    for (size_t i = 0; i < project->count && named < NAMED_FILES; i++) {
        const peri_project_file *file = &project->files[i];
        if (!file->text.ptr || file->trusted) continue;
        peri_buf_addf(
            &text, "%s%.*s", named ? ", " : "",
            PERI_FMT(peri_str_sub(file->path, project->folder.len + 1, file->path.len)));
        named++;
    }
    size_t more = project->untrusted_count - named;
    if (more) peri_buf_addf(&text, " and %zu more", more);
    peri_diag_addf(&host->diags, PERI_WARNING, "untrusted", project->folder, 0, 0,
                   "see what they may do, and agree or not, with perilune trust",
                   "not used, since nobody has agreed to their content: %s", peri_buf_c(&text));
    peri_buf_deinit(&text);
}

int host_project_open(peri_host *host, const peri_host_options *options) {
    if (!options->project_dir) return PERI_OK;
    peri_trust trust;
    peri_trust_init(&trust);
    int status = PERI_OK;
    if (options->trust_path) {
        status = peri_trust_read(&trust, options->trust_path, &host->diags);
    }
    if (status != PERI_ENOMEM) { // a store that cannot be read trusts nothing
        status = peri_project_read(&host->project, options->project_dir, &trust, &host->diags);
    }
    peri_trust_deinit(&trust);
    if (status == PERI_ENOENT) {
        host_logf(host, "error", "%s: no such project folder", options->project_dir);
    }
    if (status == PERI_OK) notice(host);
    return status;
}

int host_project_configure(peri_host *host) {
    for (size_t i = 0; i < host->project.count; i++) {
        const peri_project_file *file = &host->project.files[i];
        int status = PERI_OK;
        if (!file->trusted) continue;
        if (file->kind == PERI_PROJECT_CONFIG) {
            status = host_config_narrow(&host->config, file->text, file->path, &host->diags);
        } else if (file->kind == PERI_PROJECT_GOAL && host->mode == PERI_MODE_LIVE) {
            status = host_goal_parse(&host->config, file->text);
        }
        if (status == PERI_ENOMEM) return status;
        if (status < 0) // spec PI-14
            host_switch_off(host, "the project's config has a mistake", file->path.ptr);
    }
    return PERI_OK;
}
