// What policies remember of a session outlives the host (spec PI-7): fingerprints that were
// delivered, the vetoes that were spent, how much the agent and its user were told, and their
// own ctx.state. Taken from the ledger when a session is first seen, and held to the budgets
// again: what is stored is not trusted. Called by host/read/observe.c.
#include "ledger/accepted.h"
#include "host/admit/admit.h"
#include "host/told/told.h"

typedef struct taking {
    const peri_host *host;
    host_session *kept;
    host_agent *of; // NULL: what belongs to the session
} taking;

static bool is(peri_str text, const char *word) {
    return peri_str_eq(text, peri_str_c(word));
}

static uint32_t more(uint32_t count, uint64_t by) {
    return by > UINT32_MAX - count ? UINT32_MAX : count + (uint32_t)by;
}

static void take_for_session(void *user, const peri_accepted *a) {
    const taking *t = user;
    peri_veto_book *book = a->shadow ? &t->kept->shadow_book : &t->kept->book;
    t->kept->has_past = true;
    if (is(a->lane, "hold")) {
        peri_veto_book_restore(book, a->observer, a->fingerprint, a->count,
                               t->host->config.limits.veto_budget);
    } else if (is(a->lane, "user")) {
        book->told = more(book->told, a->count);
    } else if (!is(a->lane, "log")) {
        book->advisories = more(book->advisories, a->count);
    }
}

// A veto's fingerprint is no advice that was given: its own budget bounds it.
static void take_for_agent(void *user, const peri_accepted *a) {
    const taking *t = user;
    if (is(a->kind, "veto") || !peri_str_eq(a->agent, t->of->agent->key)) return;
    peri_desk_restore(a->shadow ? &t->of->shadow_desk : &t->of->desk, a->fingerprint);
}

// ---- What policies noted

static bool is_kept(const peri_host *host) {
    return host->ledger && host->mode == PERI_MODE_LIVE;
}

static void save_state(void *user, peri_str session, peri_str policy, peri_str state) {
    peri_host *host = user;
    if (!is_kept(host)) return;
    peri_buf room;
    peri_buf_init(&room, HOST_CLEAN_BYTES);
    if (peri_ledger_put_policy_state(host->ledger, session, policy,
                                     host_scrubbed_json(host, state, &room),
                                     host_wall_ms(host)) == PERI_OK) {
        host->ledger_dirty = true;
    }
    peri_buf_deinit(&room);
}

static peri_str load_state(void *user, peri_str session, peri_str policy, peri_arena *arena) {
    const peri_host *host = user;
    peri_str state = {0};
    if (is_kept(host) &&
        peri_ledger_get_policy_state(host->ledger, session, policy, arena, &state) < 0) {
        state = (peri_str){0}; // it begins anew
    }
    return state;
}

void host_accepted_keep_states(peri_host *host, peri_script *policies) {
    if (host->mode != PERI_MODE_LIVE) return;
    peri_script_keep_states(policies, (peri_state_keeper){host, save_state, load_state});
}

// ---- What was let through

static void take(peri_host *host, peri_str session, peri_accepted_fn fn, taking *t) {
    if (!is_kept(host)) return;
    int status = peri_ledger_accepted(host->ledger, session, fn, t);
    if (status < 0) host_logf(host, "warning", "ledger: %s", peri_status_message(status));
}

void host_accepted_resume_session(peri_host *host, host_session *kept, peri_str session) {
    taking t = {.host = host, .kept = kept};
    take(host, session, take_for_session, &t);
}

void host_accepted_resume(peri_host *host, host_agent *of, const host_session *kept) {
    taking t = {.host = host, .of = of};
    if (kept->has_past) take(host, of->agent->session->id, take_for_agent, &t);
}
