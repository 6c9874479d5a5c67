// Reading a verb's options, and the wish to stop.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "cli.h"
#include "plain.h"

enum { MAX_OPTIONS = 32 };

static const peri_option *find(const peri_option *options, peri_str name) {
    for (; options->name; options++) {
        if (peri_str_eq(peri_str_c(options->name), name)) return options;
    }
    return NULL;
}

int peri_name_deny(const char *verb, const char *noun, peri_str name, const peri_str *words,
                   const char *otherwise) {
    peri_str near = words ? peri_diag_nearest(name, words) : (peri_str){0};
    fprintf(stderr, "perilune %s: there is no %s '", verb, noun);
    plain_print(stderr, name);
    fputs(near.len ? "'; did you mean '" : "'; ", stderr);
    plain_print(stderr, near.len ? near : peri_str_c(otherwise));
    fputs(near.len ? "'?\n" : "\n", stderr);
    return PERI_EXIT_USAGE;
}

static int unknown(const char *verb, const peri_option *options, peri_str name) {
    peri_str words[MAX_OPTIONS + 2] = {{0}};
    size_t count = 0;
    for (; options->name && count < MAX_OPTIONS; options++)
        words[count++] = peri_str_c(options->name);
    words[count] = PERI_STR("--help");
    peri_str near = peri_diag_nearest(name, words);
    fprintf(stderr, "perilune %s: unknown option '%.*s'", verb, PERI_FMT(name));
    if (near.len) fprintf(stderr, "; did you mean '%.*s'?", PERI_FMT(near));
    fprintf(stderr, near.len ? "\n" : "; see perilune %s --help\n", verb);
    return PERI_EXIT_USAGE;
}

// Takes the option at argv[*at], and its value where it has one.
static int take(int argc, char **argv, int *at, const peri_option *options) {
    peri_str word = peri_str_c(argv[*at]);
    size_t equals = peri_str_find_byte(word, '=', 0);
    peri_str name = peri_str_sub(word, 0, equals);
    const peri_option *option = find(options, name);
    if (!option) return unknown(argv[0], options, name);
    if (!option->value) {
        if (equals != PERI_NPOS) {
            fprintf(stderr, "perilune %s: %s takes no value\n", argv[0], option->name);
            return PERI_EXIT_USAGE;
        }
        *option->flag = true;
        return PERI_EXIT_OK;
    }
    if (equals != PERI_NPOS) {
        *option->value = argv[*at] + equals + 1;
        return PERI_EXIT_OK;
    }
    if (*at + 1 >= argc) {
        fprintf(stderr, "perilune %s: %s needs a value\n", argv[0], option->name);
        return PERI_EXIT_USAGE;
    }
    *option->value = argv[++*at];
    return PERI_EXIT_OK;
}

int peri_options_read(int argc, char **argv, const peri_option *options, const char *help,
                      const char **paths, size_t *path_count) {
    *path_count = 0;
    bool only_paths = false;
    for (int i = 1; i < argc; i++) {
        if (!only_paths && strcmp(argv[i], "--") == 0) {
            only_paths = true;
        } else if (only_paths || argv[i][0] != '-' || argv[i][1] == '\0') {
            paths[(*path_count)++] = argv[i];
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return -1;
        } else {
            int code = take(argc, argv, &i, options);
            if (code != PERI_EXIT_OK) return code;
        }
    }
    return PERI_EXIT_OK;
}

// A program may have globals where a library may not: a signal handler has nothing else.
static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    (void)number;
    interrupted = 1;
}

void peri_interrupt_install(void) {
    struct sigaction action = {.sa_handler = on_signal}; // no SA_RESTART: a read must return
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); // a closed stdout shows as a failed write
}

bool peri_interrupted(void) {
    return interrupted != 0;
}
