// What a project folder brings along: config, goal, notes and observers, read but never run.
// Every file is there with the hash of the very bytes that were read, so that what a person
// agreed to is what is loaded. Used by host/written/layers.c and by the trust verb.
#ifndef PERI_PROJECT_H
#define PERI_PROJECT_H

#include "host/written/trust.h"

enum {
    PERI_PROJECT_MAX_FILES = 1024,
    PERI_PROJECT_FILE_MAX_BYTES = 256 * 1024,
    PERI_PROJECT_MAX_BYTES = 16 * 1024 * 1024, // of all files
};

typedef enum peri_project_kind {
    PERI_PROJECT_CONFIG,   // .perilune/config.yaml
    PERI_PROJECT_GOAL,     // .perilune/goal.md
    PERI_PROJECT_NOTE,     // .perilune/memory/*.md
    PERI_PROJECT_AGENT,    // .claude/agents/*.md, if one of them names an observer
    PERI_PROJECT_OBSERVER, // .perilune/observers/*.lua, *.md and .pi/observers/*.md
} peri_project_kind;

typedef struct peri_project_file {
    peri_str path; // absolute, ended by NUL
    peri_project_kind kind;
    bool of_pi;    // from .pi/observers
    peri_str text; // absent: it could not be read or is refused, which was reported
    char hash[PERI_TRUST_HASH_CHARS + 1];
    bool trusted;
} peri_project_file;

typedef struct peri_project {
    peri_arena arena; // owns every text
    peri_str folder;  // absolute, links resolved, ended by NUL
    peri_project_file *files;
    size_t count;
    size_t trusted_count, untrusted_count; // of the files with a text
} peri_project;

/// Reads what the project at `folder` brings along, in a fixed order. A folder or file that is
/// a symbolic link or that everyone may write is refused, one that cannot be read is reported,
/// and both are left out. `trust` may be NULL: nothing is trusted. PERI_ENOENT if there is no
/// such folder; PERI_ENOMEM. Deinit it in any case.
PERI_MUST_USE int peri_project_read(peri_project *project, const char *folder,
                                    const peri_trust *trust, peri_diag_list *diags);
void peri_project_deinit(peri_project *project);

/// The file called `path`, or NULL.
const peri_project_file *peri_project_find(const peri_project *project, peri_str path);

#endif
