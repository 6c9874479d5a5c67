// Reading a project folder for definitions. Nothing here evaluates anything: a cloned
// repository must not get to run code because somebody asked what is in it (case C65).
#include "host/written/project.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/written/layers.h"
#include "io/files.h"
#include "io/own_files.h"

typedef struct reading {
    peri_project *project;
    const peri_trust *trust;
    peri_diag_list *diags;
    peri_project_kind kind;
    bool of_pi;
    size_t room_bytes;
} reading;

// A copy of `text` with a NUL behind it.
static peri_str keep_c(peri_project *project, peri_str text) {
    char *kept = peri_arena_alloc(&project->arena, text.len + 1);
    if (!kept) return (peri_str){0};
    memcpy(kept, text.ptr, text.len);
    kept[text.len] = '\0';
    return peri_str_of(kept, text.len);
}

static void refuse(reading *r, const char *path, const char *problem) {
    peri_diag_addf(r->diags, PERI_ERROR, "refused", peri_str_c(path), 0, 0,
                   "make it a plain file or folder that only its owner can write",
                   "left out: it %s", problem);
}

static int read_text(reading *r, const char *path, peri_project_file *file) {
    const char *problem = peri_own_problem(path, PERI_OWN_FILE);
    if (problem) {
        refuse(r, path, problem);
        return PERI_OK;
    }
    peri_buf text;
    peri_buf_init(&text, r->room_bytes < PERI_PROJECT_FILE_MAX_BYTES
                             ? r->room_bytes
                             : PERI_PROJECT_FILE_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status == PERI_OK) {
        file->text = keep_c(r->project, text.ptr ? peri_buf_str(&text) : PERI_STR(""));
        r->room_bytes -= text.len;
    } else if (status != PERI_ENOMEM) {
        peri_diag_addf(r->diags, PERI_ERROR, "unreadable", peri_str_c(path), 0, 0, NULL,
                       "cannot be read: %s", peri_status_message(status));
        status = PERI_OK;
    }
    peri_buf_deinit(&text);
    return status;
}

static int add_file(void *user, const char *path) {
    reading *r = user;
    peri_project *project = r->project;
    if (peri_host_is_of_spec(peri_str_c(path))) return PERI_OK;
    if (project->count == PERI_PROJECT_MAX_FILES) {
        peri_diag_addf(r->diags, PERI_ERROR, "too-many", peri_str_c(path), 0, 0, NULL,
                       "left out: a project may bring %d files", PERI_PROJECT_MAX_FILES);
        return PERI_ELIMIT;
    }
    peri_project_file *file = &project->files[project->count];
    *file = (peri_project_file){.kind = r->kind, .of_pi = r->of_pi};
    file->path = keep_c(project, peri_str_c(path));
    if (!file->path.ptr) return PERI_ENOMEM;
    int status = read_text(r, path, file);
    if (status < 0) return status;
    project->count++;
    if (!file->text.ptr) return PERI_OK;
    peri_trust_hash(file->text, file->hash);
    file->trusted = r->trust && peri_trust_has(r->trust, file->path, file->hash);
    *(file->trusted ? &project->trusted_count : &project->untrusted_count) += 1;
    return PERI_OK;
}

static int add_lone_file(reading *r, const char *folder, const char *name,
                         peri_project_kind kind) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) return PERI_ENOMEM;
    r->kind = kind;
    r->of_pi = false;
    bool is_there =
        peri_path_type_of(path) != PERI_PATH_NONE || peri_own_problem(path, PERI_OWN_FILE);
    int status = is_there ? add_file(r, path) : PERI_OK;
    free(path);
    return status;
}

// True if the folder may be looked into; otherwise it was reported, or is not there.
static bool is_usable(reading *r, const char *folder) {
    const char *problem = peri_own_problem(folder, PERI_OWN_FOLDER);
    if (problem) refuse(r, folder, problem);
    return !problem && peri_path_type_of(folder) == PERI_PATH_FOLDER;
}

static int list(reading *r, const char *folder, const char *suffix) {
    int status = peri_folder_list(folder, suffix, add_file, r);
    if (status == PERI_OK || status == PERI_ENOMEM || status == PERI_ELIMIT) return status;
    peri_diag_addf(r->diags, PERI_ERROR, "unreadable", peri_str_c(folder), 0, 0, NULL,
                   "the folder cannot be listed: %s", peri_status_message(status));
    return PERI_OK;
}

static int add_folder_of(reading *r, const char *folder, const char *name,
                         peri_project_kind kind, bool of_pi) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) return PERI_ENOMEM;
    r->kind = kind;
    r->of_pi = of_pi;
    int status = PERI_OK;
    if (is_usable(r, path)) {
        bool lua = kind == PERI_PROJECT_OBSERVER && !of_pi;
        if (lua) status = list(r, path, ".lua");
        if (status == PERI_OK) status = list(r, path, ".md");
    }
    free(path);
    return status == PERI_ELIMIT ? PERI_OK : status; // the rest is left out, and said so
}

static int add_own(reading *r, const char *folder) {
    int status = add_lone_file(r, folder, "config.yaml", PERI_PROJECT_CONFIG);
    if (status == PERI_OK) status = add_lone_file(r, folder, "goal.md", PERI_PROJECT_GOAL);
    if (status == PERI_OK)
        status = add_folder_of(r, folder, "memory", PERI_PROJECT_NOTE, false);
    if (status < 0) return status;
    return add_folder_of(r, folder, "observers", PERI_PROJECT_OBSERVER, false);
}

static int add_folder(reading *r, const char *name, bool of_pi) {
    char *folder = NULL;
    if (asprintf(&folder, "%s/%s", r->project->folder.ptr, name) < 0) return PERI_ENOMEM;
    int status = PERI_OK;
    if (is_usable(r, folder)) {
        status = of_pi ? add_folder_of(r, folder, "observers", PERI_PROJECT_OBSERVER, true)
                       : add_own(r, folder);
    }
    free(folder);
    return status;
}

static bool names_observer(const peri_project_file *file) {
    return peri_str_find(file->text, PERI_STR("\nobserver:")) != PERI_NPOS;
}

// Agents nobody is to observe are no matter of ours, and nobody is asked to agree to them.
static int add_agents(reading *r) {
    peri_project *project = r->project;
    peri_project before = *project;
    char *folder = NULL;
    bool any = false;
    if (asprintf(&folder, "%s/.claude", project->folder.ptr) < 0) return PERI_ENOMEM;
    int status = is_usable(r, folder)
                     ? add_folder_of(r, folder, "agents", PERI_PROJECT_AGENT, false)
                     : PERI_OK;
    free(folder);
    for (size_t i = before.count; i < project->count; i++) {
        any |= names_observer(&project->files[i]);
    }
    if (!any) {
        project->count = before.count;
        project->trusted_count = before.trusted_count;
        project->untrusted_count = before.untrusted_count;
    }
    return status;
}

int peri_project_read(peri_project *project, const char *folder, const peri_trust *trust,
                      peri_diag_list *diags) {
    *project = (peri_project){0};
    peri_arena_init(&project->arena, 2 * (size_t)PERI_PROJECT_MAX_BYTES);
    char *real = realpath(folder, NULL);
    if (!real || peri_path_type_of(real) != PERI_PATH_FOLDER) {
        free(real);
        return PERI_ENOENT;
    }
    project->folder = keep_c(project, peri_str_c(real));
    free(real);
    size_t bytes = PERI_PROJECT_MAX_FILES * sizeof *project->files;
    project->files = peri_arena_zero(&project->arena, bytes);
    if (!project->folder.ptr || !project->files) return PERI_ENOMEM;
    reading r = {.project = project,
                 .trust = trust,
                 .diags = diags,
                 .room_bytes = PERI_PROJECT_MAX_BYTES};
    int status = add_folder(&r, ".perilune", false);
    if (status == PERI_OK) status = add_folder(&r, ".pi", true);
    return status < 0 ? status : add_agents(&r);
}

void peri_project_deinit(peri_project *project) {
    peri_arena_deinit(&project->arena);
    project->files = NULL;
    project->count = 0;
}

const peri_project_file *peri_project_find(const peri_project *project, peri_str path) {
    for (size_t i = 0; i < project->count; i++) {
        if (peri_str_eq(project->files[i].path, path)) return &project->files[i];
    }
    return NULL;
}
