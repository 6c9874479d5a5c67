// `perilune policy eval`, `table` and `lanes`: what policies decide and which ways lead to an
// agent, without one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "cli.h"
#include "host/author.h"
#include "policy_eval.h"
#include "policy_lanes.h"
#include "policy_table.h"
#include "session.h"

static const char help[] =
    "usage: perilune policy eval [options] [FILE|-]\n"
    "       perilune policy table [options]\n"
    "       perilune policy lanes [options]\n"
    "\n"
    "eval puts proposals to the policies and prints what they decide. One JSON object\n"
    "a line:\n"
    "  {\"proposals\":[{\"observer\":\"a\",\"kind\":\"advisory\",\"text\":\"...\",\n"
    "                 \"fingerprint\":\"f\"}]}\n"
    "docs/reference/policies.md names all it may hold. table prints what becomes of a\n"
    "proposal by its severity, the agent's state and the lane it asks for. lanes\n"
    "prints by which events and commands each agent is reached, as your config has\n"
    "it.\n"
    "\n"
    "  --policy A,B   policies instead of the configured ones\n"
    "  --config FILE  one more config.yaml over yours\n"
    "  --lua DIR      shipped Lua from this folder instead of the built-in\n"
    "  --json         the table as one object a cell, the lanes as one a way\n"
    "\n"
    "Exit status: 0 printed; 2 usage, or input that cannot be read; 3 internal\n"
    "failure.\n";

static int eval_file(const char *path, const peri_chain *chain) {
    if (!path || strcmp(path, "-") == 0) return policy_eval(stdin, "stdin", chain, stdout);
    FILE *in = fopen(path, "rb");
    if (!in) {
        fprintf(stderr, "perilune policy: ");
        perror(path);
        return PERI_EXIT_USAGE;
    }
    int code = policy_eval(in, path, chain, stdout);
    fclose(in);
    return code;
}

// A host that loads no observer, for its policies and dialects alone.
static int open_host(const session_options *options, peri_host_options *how, peri_host **out) {
    int code = session_host_options(options, how);
    if (code != PERI_EXIT_OK) return code;
    how->mode = PERI_MODE_REPLAY;
    how->no_observers = true;
    return session_exit_code(peri_host_new(how, out));
}

// `path` may be NULL: standard input.
static int with_chain(const session_options *options, bool table, const char *path) {
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    peri_host *host = NULL;
    int code = open_host(options, &how, &host);
    if (code != PERI_EXIT_OK) return code;
    peri_chain chain;
    code = session_exit_code(peri_host_open_chain(host, &how, &chain));
    if (code == PERI_EXIT_OK && table) policy_table(&chain, options->json, stdout);
    if (code == PERI_EXIT_OK && !table) code = eval_file(path, &chain);
    peri_host_free(host);
    return code;
}

static int print_lanes(const session_options *options) {
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    peri_host *host = NULL;
    int code = open_host(options, &how, &host);
    if (code == PERI_EXIT_OK) policy_lanes(host, options->json, stdout);
    peri_host_free(host);
    return code;
}

int cmd_policy(int argc, char **argv) {
    session_options options = {0};
    const peri_option list[] = {
        {"--policy", &options.policy, NULL},
        {"--config", &options.config, NULL},
        {"--lua", &options.lua_dir, NULL},
        {"--json", NULL, &options.json},
        {NULL, NULL, NULL},
    };
    const char **words = calloc((size_t)argc, sizeof *words);
    if (!words) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, words, &count);
    if (code == PERI_EXIT_OK) {
        if (count >= 1 && count <= 2 && strcmp(words[0], "eval") == 0) {
            code = with_chain(&options, false, count == 2 ? words[1] : NULL);
        } else if (count == 1 && strcmp(words[0], "table") == 0) {
            code = with_chain(&options, true, NULL);
        } else if (count == 1 && strcmp(words[0], "lanes") == 0) {
            code = print_lanes(&options);
        } else {
            fputs("perilune policy: say eval, table or lanes; see perilune policy --help\n",
                  stderr);
            code = PERI_EXIT_USAGE;
        }
    }
    free(words);
    return code < 0 ? PERI_EXIT_OK : code;
}
