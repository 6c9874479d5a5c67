// `perilune goal`: declares what the agent is to reach, in the project's .perilune/goal.md.
#include <stdio.h>
#include <stdlib.h>

#include "agreed.h"
#include "cli.h"
#include "io/files.h"
#include "io/own_files.h"
#include "prose.h"
#include "tell.h"

static const char help[] =
    "usage: perilune goal TEXT... [--check COMMAND] [--project DIR] [--json]\n"
    "       perilune goal [--show] [--project DIR] [--json]\n"
    "\n"
    "Writes the goal to .perilune/goal.md, where observers such as goal-hold find it\n"
    "at the next `perilune run`. Without TEXT the goal is cleared. You may edit the\n"
    "file, for instance to add `- [ ] ITEM` lines; then `perilune trust` asks you\n"
    "about it once. The check is never run: observers look for it among the agent's\n"
    "own calls.\n"
    "\n"
    "  --check COMMAND  the command whose passing proves the goal\n"
    "  --show           print the goal and change nothing\n"
    "  --project DIR    the project's folder (where you are)\n"
    "  --json           the goal file's text as {\"goal\":TEXT}; \"\" for none\n"
    "  --state DIR      where the trust store is (your state folder)\n"
    "\n"
    "Exit status: 0 done; 1 there is no goal to show; 2 usage, or the file cannot be\n"
    "written; 3 internal failure.\n";

#define GOAL_FILE ".perilune/goal.md"

enum { GOAL_MAX_BYTES = 64 * 1024 };

typedef struct wish {
    const char *project, *state, *check;
    bool show, json;
    const char **words;
    size_t word_count;
} wish;

static int fail(const char *project, int status) {
    fprintf(stderr, "perilune goal: %s/%s: %s\n", project, GOAL_FILE,
            status == PERI_EDENIED ? "not written, since a part of the path is a symbolic link"
                                   : peri_status_message(status));
    return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
}

// Reads the goal file into `text`. PERI_ENOENT if there is none.
static int read_goal(const char *project, peri_buf *text) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", project, GOAL_FILE) < 0) return PERI_ENOMEM;
    int status =
        peri_own_problem(path, PERI_OWN_FILE) ? PERI_EDENIED : peri_file_read(path, text);
    free(path);
    return status;
}

static void tell(const wish *w, peri_str text, const char *if_empty) {
    if (w->json) {
        peri_tell_json("goal", text);
    } else if (text.len) {
        fwrite(text.ptr, 1, text.len, stdout);
    } else {
        puts(if_empty);
    }
}

static int show(const wish *w) {
    peri_buf text;
    peri_buf_init(&text, GOAL_MAX_BYTES);
    int status = read_goal(w->project, &text);
    int code = PERI_EXIT_OK;
    if (status == PERI_ENOENT) {
        tell(w, (peri_str){0}, "there is no goal; `perilune goal TEXT` declares one");
        code = PERI_EXIT_NEGATIVE;
    } else if (status < 0) {
        code = fail(w->project, status);
    } else {
        tell(w, peri_buf_str(&text), "");
    }
    peri_buf_deinit(&text);
    return code;
}

static int clear_goal(const wish *w) {
    int status = peri_own_remove_below(w->project, GOAL_FILE);
    if (status < 0 && status != PERI_ENOENT) return fail(w->project, status);
    tell(w, (peri_str){0}, status == PERI_OK ? "the goal is cleared" : "there was no goal");
    return PERI_EXIT_OK;
}

// Line breaks inside a part would make lines of their own meaning.
static void add_line(peri_buf *out, const char *before, const char *text) {
    peri_buf_add_c(out, before);
    peri_prose_add_plain(out, peri_str_c(text), GOAL_MAX_BYTES);
    peri_buf_add_byte(out, '\n');
}

static int set(const wish *w) {
    peri_buf text, words;
    peri_buf_init(&text, GOAL_MAX_BYTES);
    peri_buf_init(&words, GOAL_MAX_BYTES);
    for (size_t i = 0; i < w->word_count; i++) {
        peri_buf_addf(&words, "%s%s", i ? " " : "", w->words[i]);
    }
    add_line(&text, "", peri_buf_c(&words));
    if (w->check) add_line(&text, "\ncheck: ", w->check);
    int status = text.status < 0 ? text.status : words.status;
    if (status == PERI_OK) {
        status =
            peri_own_write_below(w->project, GOAL_FILE, peri_buf_str(&text), PERI_OWN_REPLACE);
    }
    int code = status < 0 ? fail(w->project, status)
                          : peri_agreed_note_own("goal", w->state, w->project, GOAL_FILE,
                                                 peri_buf_str(&text));
    if (code == PERI_EXIT_OK) tell(w, peri_buf_str(&text), "");
    peri_buf_deinit(&text);
    peri_buf_deinit(&words);
    return code;
}

// True if every word is blank: `perilune goal ""` clears too.
static bool is_blank(const wish *w) {
    for (size_t i = 0; i < w->word_count; i++) {
        if (peri_str_trim(peri_str_c(w->words[i])).len) return false;
    }
    return true;
}

int cmd_goal(int argc, char **argv) {
    wish w = {.project = "."};
    const peri_option list[] = {
        {"--project", &w.project, NULL}, {"--state", &w.state, NULL},
        {"--check", &w.check, NULL},     {"--show", NULL, &w.show},
        {"--json", NULL, &w.json},       {NULL, NULL, NULL},
    };
    w.words = calloc((size_t)argc, sizeof *w.words);
    if (!w.words) return PERI_EXIT_INTERNAL;
    int code = peri_options_read(argc, argv, list, help, w.words, &w.word_count);
    if (code == PERI_EXIT_OK && w.check && is_blank(&w)) {
        fputs("perilune goal: --check needs a TEXT\n", stderr);
        code = PERI_EXIT_USAGE;
    } else if (code == PERI_EXIT_OK) {
        code = w.show ? show(&w) : is_blank(&w) ? clear_goal(&w) : set(&w);
    }
    free(w.words);
    return code < 0 ? PERI_EXIT_OK : code;
}
