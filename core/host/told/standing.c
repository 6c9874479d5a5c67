// How each pairing fares, written down as it changes: what status tells is read from there, by
// a host that runs or by anybody else (host/status/states.c). Changes are collected and stored
// once, by the commit that stores what caused them. Live hosts only.
#include "ledger/standing.h"
#include "host/told/told.h"

static bool is_kept(const peri_host *host) {
    return host->ledger && host->mode == PERI_MODE_LIVE;
}

void host_standing_touch(peri_host *host, peri_pairing *pairing) {
    if (pairing->touched || !is_kept(host)) return;
    pairing->touched = true;
    pairing->next_touched = host->touched;
    host->touched = pairing;
}

void host_standing_heard(peri_host *host, host_agent *of) {
    if (of->touched || !is_kept(host)) return;
    of->touched = true;
    of->next_touched = host->touched_agents;
    host->touched_agents = of;
}

void host_standing_drop(peri_host *host, peri_pairing *pairing, peri_str reason) {
    peri_try_own(&pairing->last_drop, reason);
    if (!is_kept(host)) return;
    peri_buf room;
    peri_buf_init(&room, 64 * 1024);
    peri_str clean = host_scrubbed(host, reason, &room);
    if (peri_ledger_add_drop(host->ledger, pairing->observer->name, clean,
                             host_wall_ms(host)) == PERI_OK) {
        host->ledger_dirty = true;
    }
    peri_buf_deinit(&room);
}

static void take_before(void *user, const peri_standing *from) {
    peri_pairing *pairing = user;
    pairing->before = (peri_pairing_counts){.runs = from->runs,
                                            .silent = from->silent,
                                            .skipped = from->skipped,
                                            .no_runtime = from->no_runtime,
                                            .failed = from->failures,
                                            .delivered = from->delivered,
                                            .deferred = from->deferred,
                                            .dropped = from->dropped};
    pairing->digest_step = from->digest_step;
    pairing->digest_wall_ms = from->digest_wall_ms;
    peri_try_own(&pairing->last_error, from->last_error);
    peri_try_own(&pairing->last_drop, from->last_drop);
}

void host_standing_resume(peri_host *host, peri_pairing *pairing) {
    if (!is_kept(host)) return;
    const peri_standing key = {.session = pairing->agent->session->id,
                               .agent = pairing->agent->key,
                               .observer = pairing->observer->name};
    int status = peri_ledger_get_standing(host->ledger, &key, take_before, pairing);
    if (status < 0) host_logf(host, "warning", "ledger: %s", peri_status_message(status));
}

// Three failures stay what it is known for, even after its agent has ended.
static peri_str state_of(const peri_pairing *pairing) {
    if (pairing->disabled) return PERI_STR("disabled");
    return pairing->told.len ? pairing->told : peri_pairing_state_word(pairing->state);
}

static void save_pairing(peri_host *host, const peri_pairing *pairing, peri_buf *room) {
    const peri_pairing_counts *c = &pairing->counts, *before = &pairing->before;
    peri_buf_clear(&room[0]);
    peri_standing standing = {
        .session = pairing->agent->session->id,
        .agent = pairing->agent->key,
        .observer = pairing->observer->name,
        .state = state_of(pairing),
        .cause = host_scrubbed(host, pairing->disabled ? pairing->last_error : pairing->why,
                               &room[0]),
        .since_wall_ms = pairing->since_wall_ms,
        .until_wall_ms = pairing->out_of_budget ? pairing->budget_until_wall_ms
                                                : pairing->wait_until_wall_ms,
        .last_error = host_scrubbed(host, pairing->last_error, &room[1]),
        .last_drop = host_scrubbed(host, pairing->last_drop, &room[2]),
        .runs = before->runs + c->runs,
        .silent = before->silent + c->silent,
        .skipped = before->skipped + c->skipped,
        .no_runtime = before->no_runtime + c->no_runtime,
        .failures = before->failed + c->failed,
        .proposed = c->proposed, // goes on over restarts, for its ids
        .delivered = before->delivered + c->delivered,
        .deferred = before->deferred + c->deferred,
        .dropped = before->dropped + c->dropped,
        .digest_step = pairing->digest_step,
        .digest_wall_ms = pairing->digest_wall_ms,
        .overdue = pairing->overdue,
        .read_to = pairing->cursor - 1,
    };
    if (peri_ledger_put_standing(host->ledger, &standing, host_wall_ms(host)) == PERI_OK) {
        host->ledger_dirty = true;
    }
}

void host_standing_save(peri_host *host) {
    peri_buf room[3];
    bool kept = is_kept(host); // the ledger may be lost since
    for (size_t i = 0; i < 3; i++) peri_buf_init(&room[i], 64 * 1024);
    for (peri_pairing *pairing = host->touched; pairing; pairing = pairing->next_touched) {
        if (kept) save_pairing(host, pairing, room);
        pairing->touched = false;
    }
    for (host_agent *of = host->touched_agents; of; of = of->next_touched) {
        const peri_agent *agent = of->agent;
        if (kept && peri_ledger_put_heard(host->ledger, agent->session->id, agent->key,
                                          of->tap.last_number, host_wall_ms(host)) == PERI_OK) {
            host->ledger_dirty = true;
        }
        of->touched = false;
    }
    host->touched = NULL;
    host->touched_agents = NULL;
    for (size_t i = 0; i < 3; i++) peri_buf_deinit(&room[i]);
}
