// `perilune remember TEXT`: keeps a note in the project's .perilune/memory/, where the recall
// observers find it.
#include <stdio.h>
#include <stdlib.h>

#include "agreed.h"
#include "base/json.h"
#include "base/slug.h"
#include "base/utf8.h"
#include "cli.h"
#include "io/own_files.h"
#include "model/observer.h"
#include "tell.h"

static const char help[] =
    "usage: perilune remember TEXT... [--type TYPE] [--project DIR] [--json]\n"
    "\n"
    "Writes a note to .perilune/memory/ of the project. Its name is made from the\n"
    "first six words, its description is the first sentence; observers may remind the\n"
    "agent of it.\n"
    "\n"
    "  --type TYPE      a word of yours for its kind, such as feedback (note)\n"
    "  --project DIR    the project's folder (where you are)\n"
    "  --json           the note's path as {\"file\":PATH}\n"
    "  --state DIR      where the trust store is (your state folder)\n"
    "\n"
    "Exit status: 0 written; 2 usage, or the note cannot be written; 3 internal\n"
    "failure.\n";

enum { NOTE_MAX_BYTES = 32 * 1024, MAX_SAME_NAME = 1000 };

#define FOLDER ".perilune/memory/"

typedef struct note {
    const char *project, *state, *type;
    bool json;
    peri_buf text, name, content; // `name`: the note's and its file's
} note;

static void write_content(note *n) {
    peri_str text = peri_str_trim(peri_buf_str(&n->text));
    peri_buf_clear(&n->content);
    peri_buf_add_c(&n->content, "---\nname: ");
    peri_json_add_string(&n->content,
                         peri_buf_str(&n->name)); // a JSON string is one of YAML too
    peri_buf_add_c(&n->content, "\ndescription: ");
    peri_json_add_string(&n->content, peri_slug_sentence(text));
    peri_buf_addf(&n->content, "\ntype: %s\n---\n", n->type);
    peri_buf_add(&n->content, text);
    peri_buf_add_byte(&n->content, '\n');
}

// The first free name: slug, slug-2, slug-3, ... `path` gets its file's. What recalls notes
// tells them apart by name.
static int write_note(note *n, peri_buf *path) {
    int status = PERI_EDUP;
    size_t slug_bytes = n->name.len;
    for (int i = 1; i < MAX_SAME_NAME && status == PERI_EDUP; i++) {
        if (i > 1) {
            peri_buf_truncate(&n->name, slug_bytes);
            peri_buf_addf(&n->name, "-%d", i);
            write_content(n);
        }
        peri_buf_clear(path);
        peri_buf_addf(path, FOLDER "%s.md", peri_buf_c(&n->name));
        status = path->status < 0 ? path->status : n->content.status;
        if (status == PERI_OK) {
            status = peri_own_write_below(n->project, peri_buf_c(path),
                                          peri_buf_str(&n->content), PERI_OWN_CREATE);
        }
    }
    return status;
}

static int keep(note *n) {
    peri_slug_add(&n->name, peri_buf_str(&n->text));
    write_content(n);
    if (n->content.status < 0) {
        fputs("perilune remember: the note is too long\n", stderr);
        return PERI_EXIT_USAGE;
    }
    peri_buf path;
    peri_buf_init(&path, 4096);
    int status = write_note(n, &path);
    int code;
    if (status < 0) {
        fprintf(stderr, "perilune remember: %s/%s: %s\n", n->project, FOLDER,
                status == PERI_EDENIED
                    ? "not written, since a part of the path is a symbolic link"
                    : peri_status_message(status));
        code = status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    } else {
        code = peri_agreed_note_own("remember", n->state, n->project, peri_buf_c(&path),
                                    peri_buf_str(&n->content));
    }
    if (code == PERI_EXIT_OK && n->json) {
        peri_tell_json("file", peri_buf_str(&path));
    } else if (code == PERI_EXIT_OK) {
        puts(peri_buf_c(&path));
    }
    peri_buf_deinit(&path);
    return code;
}

static int check(const note *n) {
    peri_str text = peri_buf_str(&n->text);
    if (!peri_str_trim(text).len) {
        fputs("perilune remember: say what to remember; see perilune remember --help\n",
              stderr);
        return PERI_EXIT_USAGE;
    }
    if (n->text.status < 0 || !peri_utf8_valid(text)) {
        fputs("perilune remember: the text is too long or not UTF-8\n", stderr);
        return PERI_EXIT_USAGE;
    }
    if (!peri_observer_name_ok(peri_str_c(n->type))) {
        fprintf(stderr, "perilune remember: a type is [a-z0-9][a-z0-9_-]*, not '%s'\n",
                n->type);
        return PERI_EXIT_USAGE;
    }
    return PERI_EXIT_OK;
}

int cmd_remember(int argc, char **argv) {
    note n = {.project = ".", .type = "note"};
    const peri_option list[] = {{"--project", &n.project, NULL},
                                {"--state", &n.state, NULL},
                                {"--type", &n.type, NULL},
                                {"--json", NULL, &n.json},
                                {NULL, NULL, NULL}};
    const char **words = calloc((size_t)argc, sizeof *words);
    if (!words) return PERI_EXIT_INTERNAL;
    size_t count = 0;
    int code = peri_options_read(argc, argv, list, help, words, &count);
    peri_buf_init(&n.text, NOTE_MAX_BYTES);
    peri_buf_init(&n.name, 256);
    peri_buf_init(&n.content, 3 * NOTE_MAX_BYTES);
    for (size_t i = 0; i < count; i++) peri_buf_addf(&n.text, "%s%s", i ? " " : "", words[i]);
    if (code == PERI_EXIT_OK) code = check(&n);
    if (code == PERI_EXIT_OK) code = keep(&n);
    peri_buf_deinit(&n.text);
    peri_buf_deinit(&n.name);
    peri_buf_deinit(&n.content);
    free(words);
    return code < 0 ? PERI_EXIT_OK : code;
}
