// Tries the permission rules of a config on a recording: it is replayed with that config, each
// pairing is one question that the gate would be asked, and every rule is matched with each of
// them. A rule that matched nothing is said with the reason. Called by against.c.
#include "against_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "against_replay.h"
#include "base/arena.h"
#include "base/json.h"
#include "gate/gate.h"
#include "host/admit/permissions.h"
#include "prose.h"

enum { MAX_REQUESTS = 4096, REQUESTS_BYTES = 8 * 1024 * 1024, LINE_BYTES = 16 * 1024 };

typedef struct trying {
    peri_arena arena; // owns the requests' texts
    peri_agent_request *requests;
    size_t count;
    const char *path;
    bool json;
    int status;
} trying;

static bool is_known(const trying *t, peri_str agent, peri_str type) {
    for (size_t i = 0; i < t->count; i++) {
        if (peri_str_eq(t->requests[i].observed, agent) &&
            peri_str_eq(t->requests[i].type, type)) {
            return true;
        }
    }
    return false;
}

// Equal ones once: a rule says the same of each.
static void take_pairing(void *user, const peri_record *r) {
    trying *t = user;
    bool armed = r->kind == PERI_RECORD_PAIRING && peri_str_eq(r->state, PERI_STR("armed"));
    if (!armed || t->status < 0 || t->count == MAX_REQUESTS) return;
    if (is_known(t, r->name, r->observer)) return;
    t->status =
        peri_agent_request_make(r->name, r->observer, &t->arena, &t->requests[t->count]);
    t->count += t->status == PERI_OK;
}

// ---- Telling

static void add_reason(peri_buf *out, const trying *t, const peri_tried_rule *rule) {
    if (rule->matched) return;
    if (!rule->of_agent) {
        peri_buf_add_c(out, "it does not speak of Agent, which observers are started by");
    } else {
        peri_buf_addf(out, "none of the %zu pairs of agent and observer is one it names",
                      t->count);
    }
}

static void add_line(peri_buf *out, const trying *t, const peri_tried_rule *rule,
                     peri_str reason) {
    peri_prose_add_plain(out, peri_str_c(t->path), LINE_BYTES);
    peri_buf_addf(out, ":%u: ", rule->line);
    if (reason.len) {
        peri_buf_addf(out, "warning: %s rule %.*s never matched: %.*s [never-matched]\n",
                      rule->effect, PERI_FMT(rule->text), PERI_FMT(reason));
    } else {
        peri_buf_addf(out, "%s rule %.*s matched %zu of %zu pairs of agent and observer\n",
                      rule->effect, PERI_FMT(rule->text), rule->matched, t->count);
    }
}

static void add_object(peri_buf *out, const trying *t, const peri_tried_rule *rule,
                       peri_str reason) {
    peri_buf_add_c(out, "{\"rule\":");
    peri_json_add_string(out, rule->text);
    peri_buf_addf(out, ",\"effect\":\"%s\",\"file\":", rule->effect);
    peri_json_add_string(out, peri_str_c(t->path));
    peri_buf_addf(out, ",\"line\":%u,\"matched\":%s,\"pairs\":%zu,\"of\":%zu", rule->line,
                  rule->matched ? "true" : "false", rule->matched, t->count);
    if (reason.len) {
        peri_buf_add_c(out, ",\"reason\":");
        peri_json_add_string(out, reason);
    }
    peri_buf_add_c(out, "}\n");
}

static void tell_rule(void *user, const peri_tried_rule *rule) {
    trying *t = user;
    peri_buf reason, out;
    peri_buf_init(&reason, LINE_BYTES);
    peri_buf_init(&out, LINE_BYTES);
    add_reason(&reason, t, rule);
    (t->json ? add_object : add_line)(&out, t, rule, peri_buf_str(&reason));
    if (out.status < 0) t->status = out.status;
    if (out.status == PERI_OK) fwrite(out.ptr, 1, out.len, stdout);
    peri_buf_deinit(&reason);
    peri_buf_deinit(&out);
}

int against_rules_run(const char *config, const char *observers, const char *recording,
                      bool json) {
    trying t = {.path = config, .json = json};
    peri_arena_init(&t.arena, REQUESTS_BYTES);
    t.requests = calloc(MAX_REQUESTS, sizeof *t.requests);
    int code = PERI_EXIT_INTERNAL;
    if (t.requests) {
        // An agent's settings hold its rules and nothing of ours.
        bool ours = !peri_str_ends(peri_str_c(config), PERI_STR(".json"));
        session_options options = {
            .config = ours ? config : NULL, .observers = observers, .quiet = true};
        code = against_replay(&options, recording, take_pairing, &t);
    }
    if (code == PERI_EXIT_OK && t.status == PERI_OK) {
        t.status = peri_host_try_rules(config, t.requests, t.count, tell_rule, &t);
    }
    free(t.requests);
    peri_arena_deinit(&t.arena);
    return code == PERI_EXIT_OK && t.status < 0 ? PERI_EXIT_INTERNAL : code;
}
