// A policy tried on a recording: behind `default`, as most stand, over what the observers
// propose there. Only a decision that it changed is its word, so a condition that is never met
// shows as a count of none.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "against_replay.h"
#include "against_rules.h"
#include "base/str.h"
#include "json_line.h"
#include "plain.h"

typedef struct words {
    peri_str policy;
    unsigned long long decisions, own;
} words;

static void count_decision(void *user, const peri_record *r) {
    words *w = user;
    if (r->kind != PERI_RECORD_DECISION) return;
    w->decisions++;
    w->own += peri_str_eq(r->policy, w->policy);
}

static void tell(const words *w, const char *path, bool json) {
    if (json) {
        fputs("{\"policy\":", stdout);
        json_line_string(stdout, w->policy);
        printf(",\"matched\":%s,\"decisions\":%llu,\"own\":%llu}\n", w->own ? "true" : "false",
               w->decisions, w->own);
        return;
    }
    plain_print(stdout, peri_str_c(path));
    if (w->own) {
        printf(": changed %llu of %llu decisions\n", w->own, w->decisions);
    } else if (w->decisions) {
        printf(": warning: never matched: it changed none of %llu decisions [never-matched]\n",
               w->decisions);
    } else {
        puts(": warning: never matched: nothing was proposed there [never-matched]");
    }
}

int against_policy_run(const char *path, const char *observers, const char *recording,
                       bool json) {
    char *chain = NULL;
    // A name with a slash is a path.
    const char *here = strchr(path, '/') ? "" : "./";
    if (asprintf(&chain, "default,%s%s", here, path) < 0) return PERI_EXIT_INTERNAL;
    words w = {.policy = peri_str_c(chain + sizeof "default," - 1)};
    const session_options options = {.policy = chain, .observers = observers, .quiet = true};
    int code = against_replay(&options, recording, count_decision, &w);
    if (code == PERI_EXIT_OK) tell(&w, path, json);
    free(chain);
    return code;
}
