// `perilune trust`: shows what a project brings along and asks whether it may be used. What was
// shown is what is agreed to: the hash is of the very bytes that were read for showing.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agreed.h"
#include "base/clock.h"
#include "base/json.h"
#include "cli.h"
#include "host/written/layers.h"
#include "project_view.h"
#include "prose.h"
#include "tell.h"

static const char help[] =
    "usage: perilune trust [--project DIR] [--yes] [PATH...]\n"
    "       perilune trust --list [--json]\n"
    "       perilune trust --revoke [--project DIR] [PATH...]\n"
    "\n"
    "Shows the observers, notes, goal and config that a project brings along\n"
    "(.perilune/ and .pi/observers/) and what they may do, then asks whether to use\n"
    "them. Nothing of them runs before that. You agree to the content that is shown:\n"
    "a file that changes is untrusted again. PATH names some of the files only.\n"
    "\n"
    "  --project DIR   the project's folder (where you are)\n"
    "  --yes           agree without being asked\n"
    "  --list          list everything you have agreed to\n"
    "  --revoke        take it back, for the project or the named files\n"
    "  --json          with --list: one entry a line\n"
    "  --state DIR     where the trust store is (your state folder)\n"
    "\n"
    "Exit status: 0 trusted, or nothing to trust; 1 not trusted; 2 usage, or\n"
    "something cannot be read; 3 internal failure.\n";

enum { OUTPUT_MAX_BYTES = 64 * 1024 * 1024 };

typedef struct asking {
    const char *project, *state;
    bool yes, list, revoke, json;
    const char **paths; // empty: all
    size_t path_count;
    peri_agreed agreed;
} asking;

static int list_all(const asking *a) {
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    for (size_t i = 0; i < a->agreed.trust.count; i++) {
        const peri_trust_entry *entry = &a->agreed.trust.entries[i];
        if (a->json) {
            peri_buf_add_c(&out, "{\"path\":");
            peri_json_add_string(&out, entry->path);
            peri_buf_addf(&out, ",\"sha256\":\"%s\",\"at\":\"", entry->hash);
            peri_time_format(&out, entry->at_wall_ms);
            peri_buf_add_c(&out, "\"}\n");
            continue;
        }
        peri_prose_add_time(&out, entry->at_wall_ms);
        peri_buf_addf(&out, "  %.12s  ", entry->hash);
        peri_prose_add_plain(&out, entry->path, 1000);
        peri_buf_add_byte(&out, '\n');
    }
    if (!a->json && out.len == 0) peri_buf_add_c(&out, "you have agreed to nothing yet\n");
    fwrite(out.ptr ? out.ptr : "", 1, out.len, stdout);
    peri_buf_deinit(&out);
    return PERI_EXIT_OK;
}

// Deleted files must be revocable too, so a path that is not there any more is taken as it is.
static size_t revoke_path(asking *a, const char *path) {
    char *real = realpath(path, NULL);
    size_t gone = peri_trust_del(&a->agreed.trust, peri_str_c(real ? real : path));
    free(real);
    return gone;
}

static int take_back(asking *a) {
    size_t gone = 0;
    if (a->path_count == 0) gone = revoke_path(a, a->project);
    for (size_t i = 0; i < a->path_count; i++) gone += revoke_path(a, a->paths[i]);
    if (!gone) {
        puts(
            "nothing was taken back: none of it is trusted; `perilune trust --list` lists what is");
        return PERI_EXIT_OK;
    }
    int code = peri_agreed_save(&a->agreed, "trust");
    if (code == PERI_EXIT_OK) {
        printf("%zu file%s trusted no more\n", gone, gone == 1 ? " is" : "s are");
    }
    return code;
}

// ---- Which files

static bool is_named(const asking *a, const peri_project_file *file) {
    if (a->path_count == 0) return true;
    for (size_t i = 0; i < a->path_count; i++) {
        char *real = realpath(a->paths[i], NULL);
        bool same = real && peri_str_eq(peri_str_c(real), file->path);
        free(real);
        if (same) return true;
    }
    return false;
}

static bool is_asked(const asking *a, const peri_project_file *file) {
    return file->text.ptr && !file->trusted && is_named(a, file);
}

static peri_str layer_of(void *user, peri_str name) {
    const peri_observer *observer = user ? peri_host_find_observer(user, name) : NULL;
    return observer ? observer->layer : (peri_str){0};
}

// A host without the project, to tell what its files would replace. NULL: then that is not
// told.
static peri_host *host_without_project(void) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.use_user_config = true;
    options.mode = PERI_MODE_REPLAY; // nothing is delivered, nothing is stored
    peri_host *host = NULL;
    return peri_host_new(&options, &host) < 0 ? NULL : host;
}

static size_t show(const asking *a, const peri_project *project) {
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    peri_host *host = host_without_project();
    size_t count = 0;
    for (size_t i = 0; i < project->count; i++) {
        if (!is_asked(a, &project->files[i])) continue;
        if (count++ == 0)
            peri_buf_addf(&out, "%.*s brings along:\n\n", PERI_FMT(project->folder));
        peri_project_view(&out, project, &project->files[i], layer_of, host);
    }
    peri_host_free(host);
    fwrite(out.ptr ? out.ptr : "", 1, out.len, stdout);
    peri_buf_deinit(&out);
    return count;
}

// ---- The question

static bool said_yes(size_t count) {
    char answer[16];
    printf("Use %s, in exactly this content? [y/N] ", count == 1 ? "it" : "them");
    fflush(stdout);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static int agree(asking *a, const peri_project *project, size_t count) {
    if (!a->yes && !isatty(STDIN_FILENO)) {
        fputs("not trusted: nobody is here to be asked; --yes agrees without asking\n", stdout);
        return PERI_EXIT_NEGATIVE;
    }
    if (!a->yes && !said_yes(count)) {
        fputs("not trusted\n", stdout);
        return PERI_EXIT_NEGATIVE;
    }
    peri_clock clock = peri_clock_system();
    int status = PERI_OK;
    for (size_t i = 0; i < project->count && status == PERI_OK; i++) {
        const peri_project_file *file = &project->files[i];
        if (!is_asked(a, file)) continue;
        status =
            peri_trust_add(&a->agreed.trust, file->path, file->hash, clock.wall_ms(clock.user));
    }
    if (status < 0) {
        fprintf(stderr, "perilune trust: %s\n", peri_status_message(status));
        return PERI_EXIT_INTERNAL;
    }
    int code = peri_agreed_save(&a->agreed, "trust");
    if (code == PERI_EXIT_OK) {
        printf("%zu file%s trusted; one that changes is untrusted again\n", count,
               count == 1 ? " is" : "s are");
    }
    return code;
}

// The first of the named paths that is no file of the project; NULL: there is none.
static const char *stranger(const asking *a, const peri_project *project) {
    for (size_t i = 0; i < a->path_count; i++) {
        char *real = realpath(a->paths[i], NULL);
        bool found = real && peri_project_find(project, peri_str_c(real));
        free(real);
        if (!found) return a->paths[i];
    }
    return NULL;
}

static int ask(asking *a) {
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_project project;
    int status = peri_project_read(&project, a->project, &a->agreed.trust, &diags);
    int code = PERI_EXIT_OK;
    peri_tell_diags(stderr, &diags);
    if (status < 0) {
        fprintf(stderr, "perilune trust: %s: %s\n", a->project,
                status == PERI_ENOENT ? "there is no such folder"
                                      : peri_status_message(status));
        code = status == PERI_ENOENT ? PERI_EXIT_USAGE : PERI_EXIT_INTERNAL;
    } else if (stranger(a, &project)) {
        fprintf(stderr, "perilune trust: %s is nothing that %.*s brings along\n",
                stranger(a, &project), PERI_FMT(project.folder));
        code = PERI_EXIT_USAGE;
    } else {
        size_t count = show(a, &project);
        if (count) {
            code = agree(a, &project, count);
        } else if (project.trusted_count) {
            printf("everything that may be used is trusted already\n");
        } else {
            printf("%.*s brings nothing along that could be used\n", PERI_FMT(project.folder));
        }
    }
    peri_project_deinit(&project);
    peri_diag_list_deinit(&diags);
    return code;
}

static int answer(asking *a) {
    int code = peri_agreed_open(&a->agreed, "trust", a->state);
    if (code == PERI_EXIT_OK) code = a->list ? list_all(a) : a->revoke ? take_back(a) : ask(a);
    peri_agreed_close(&a->agreed);
    return code;
}

int cmd_trust(int argc, char **argv) {
    asking a = {.project = "."};
    const peri_option list[] = {
        {"--project", &a.project, NULL},
        {"--state", &a.state, NULL},
        {"--yes", NULL, &a.yes},
        {"--list", NULL, &a.list},
        {"--revoke", NULL, &a.revoke},
        {"--json", NULL, &a.json},
        {NULL, NULL, NULL},
    };
    a.paths = calloc((size_t)argc, sizeof *a.paths);
    if (!a.paths) return PERI_EXIT_INTERNAL;
    int code = peri_options_read(argc, argv, list, help, a.paths, &a.path_count);
    if (code == PERI_EXIT_OK && a.list + a.revoke + a.yes > 1) {
        fputs("perilune trust: one of --yes, --list and --revoke at a time\n", stderr);
        code = PERI_EXIT_USAGE;
    } else if (code == PERI_EXIT_OK && a.json && !a.list) {
        fputs("perilune trust: --json is for --list; what is asked is asked of a person\n",
              stderr);
        code = PERI_EXIT_USAGE;
    }
    if (code == PERI_EXIT_OK) code = answer(&a);
    free(a.paths);
    return code < 0 ? PERI_EXIT_OK : code;
}
