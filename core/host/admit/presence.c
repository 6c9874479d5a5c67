// Who else works on this ledger. Any number of live hosts may: each session is observed by one
// of them, by a claim that ends with its holder, so that no delivery is ended, no state written
// and no file's position moved by a host that does not own it. A session that another host
// observes is read but not observed, and taken over when that host has ended. A replay has its
// own ledger and claims nothing.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/admit/admit.h"
#include "host/told/told.h"
#include "ledger/standing.h"

static char *claims_path(const char *ledger_path) {
    char *path = NULL;
    return asprintf(&path, "%s.lock", ledger_path) < 0 ? NULL : path;
}

void host_presence_open(peri_host *host, const char *ledger_path) {
    if (host->mode == PERI_MODE_REPLAY) return;
    char *path = claims_path(ledger_path);
    int status = path ? peri_claims_open(&host->claims, path, false) : PERI_ENOMEM;
    host->started_wall_ms = host_wall_ms(host);
    host->claim = peri_random_next(&host->random);
    if (status == PERI_OK) status = peri_claims_take(&host->claims, host->claim);
    if (status < 0) {
        host_logf(host, "warning",
                  "%s: %s; sessions are not kept apart from those of another perilune here",
                  path ? path : ledger_path, peri_status_message(status));
        peri_claims_close(&host->claims);
    }
    free(path);
}

// ---- Sessions

static uint64_t place_of(peri_str session) {
    return peri_str_hash(session, PERI_HASH_SEED);
}

typedef struct naming {
    const peri_claims *claims;
    uint64_t own;
    peri_buf text; // "process 1, process 2"
} naming;

static void name_host(void *user, const peri_host_row *row) {
    naming *n = user;
    uint64_t claim = (uint64_t)row->id;
    if (claim == n->own || !peri_claims_is_held(n->claims, claim)) return;
    peri_buf_addf(&n->text, "%sprocess %lld", n->text.len ? " or " : "", (long long)row->pid);
}

static void tell_refused(peri_host *host, peri_str session) {
    enum { LOOK_AT = 16 };
    naming n = {.claims = &host->claims, .own = host->claim};
    peri_buf text;
    peri_buf_init(&n.text, 1024);
    peri_buf_init(&text, 4096);
    if (peri_ledger_hosts(host->ledger, LOOK_AT, name_host, &n) < 0) peri_buf_clear(&n.text);
    peri_buf_addf(&text,
                  "session %.*s: observed by another perilune already (%s); it is read here, "
                  "not observed",
                  PERI_FMT(session),
                  n.text.len ? peri_buf_c(&n.text) : "its process is not known");
    host_logf(host, "warning", "%s", peri_buf_c(&text));
    host_warn(host, "observed-elsewhere", (peri_str){0}, peri_buf_str(&text),
              PERI_STR("this one takes over when that one ends; to observe it twice, give each "
                       "a --state of its own"));
    peri_buf_deinit(&n.text);
    peri_buf_deinit(&text);
}

bool host_claim_session(peri_host *host, const peri_session *session) {
    host_session *kept = session->attached;
    if (host->claims.fd < 0 || kept->claimed) return true;
    int status = peri_claims_take(&host->claims, place_of(session->id));
    kept->claimed = status != PERI_EDENIED; // without locks every host is on its own
    if (!kept->claimed && !kept->refused) {
        kept->refused = true;
        tell_refused(host, session->id);
    }
    return kept->claimed;
}

bool host_presence_observes(const peri_claims *claims, peri_str session) {
    return peri_claims_is_held(claims, place_of(session));
}

bool host_is_elsewhere(const peri_host *host, peri_str session) {
    return host_presence_observes(&host->claims, session);
}

bool host_observes(const peri_host *host, peri_str id) {
    const peri_session *session = peri_map_get(&host->registry.sessions, id);
    const host_session *kept = session ? session->attached : NULL;
    return kept && kept->claimed;
}

void host_presence_ask(const char *ledger_path, peri_claims *out) {
    char *path = claims_path(ledger_path);
    if (!path || peri_claims_open(out, path, true) < 0) out->fd = -1;
    free(path);
}
