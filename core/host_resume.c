// What outlives a host (spec CC-6): an observer's task, state and place in the agent's activity are stored
// with every batch, the user's stops when they are made. A host that starts again on the same ledger
// reads them when it arms, so that nothing is digested twice, no id is given twice, and an observer that
// was stopped stays so. Called by host_pairing.c and host_runs.c.
#include "host_internal.h"
#include "ledger/pairing_state.h"

static peri_pairing_row key_of(const peri_pairing *pairing) {
    return (peri_pairing_row){.session = pairing->agent->session->id,
                              .agent = pairing->agent->key,
                              .observer = pairing->observer->name};
}

static void take_row(peri_host *host, peri_pairing *pairing, const peri_pairing_row *row) {
    pairing->armed_wall_ms = row->armed_wall_ms;
    pairing->mode = row->mode < PERI_PERMISSION_MODE_COUNT ? (int)row->mode : -1;
    if (pairing->mode == PERI_PERMISSION_BYPASS) pairing->mode = PERI_PERMISSION_DEFAULT;
    pairing->counts.digests = row->digests; // so that ids go on where they were
    pairing->counts.proposed = row->proposed;
    pairing->seen = row->seen;
    pairing->seen_cursor = row->cursor;
    pairing->seen_first = row->first;
    if (row->saved_state.ptr) {
        peri_try_own(&pairing->saved_state, row->saved_state);
        if (row->task_id.len < sizeof pairing->task_id) {
            memcpy(pairing->task_id, row->task_id.ptr, row->task_id.len);
            pairing->task_id[row->task_id.len] = '\0';
        }
    } else { // a fresh task that is told so
        peri_pairing_renew(pairing, peri_random_next(&host->random));
        pairing->note_due = true;
    }
}

void host_resume(peri_host *host, peri_pairing *pairing) {
    pairing->armed_wall_ms = host_wall_ms(host);
    if (!host->ledger || host->mode == PERI_MODE_REPLAY) return;
    peri_arena arena;
    peri_arena_init(&arena, 64 * 1024);
    peri_pairing_row row = key_of(pairing);
    if (peri_ledger_get_pairing(host->ledger, &row, &arena) == PERI_OK) {
        take_row(host, pairing, &row);
    }
    peri_arena_deinit(&arena);
}

void host_resume_reference(peri_host *host, const peri_agent *agent, peri_str type,
                           peri_str task_id) {
    for (size_t i = 0; type.len && i < agent->pairing_count; i++) {
        peri_pairing *pairing = agent->pairings[i];
        bool fits = pairing->named && peri_str_eq(pairing->observer->name, type) &&
                    pairing->state == PERI_PAIRING_ARMED &&
                    task_id.len < sizeof pairing->task_id;
        if (!fits) continue;
        memcpy(pairing->task_id, task_id.ptr, task_id.len);
        pairing->task_id[task_id.len] = '\0';
        host_resume_save(host, pairing);
    }
}

void host_resume_save(peri_host *host, const peri_pairing *pairing) {
    if (!host->ledger || host->mode == PERI_MODE_REPLAY) return;
    const host_agent *of = pairing->agent->attached;
    peri_pairing_row row = key_of(pairing);
    row.task_id = peri_str_c(pairing->task_id);
    row.saved_state = pairing->saved_state.ptr ? pairing->saved_state : PERI_STR("");
    row.armed_wall_ms = pairing->armed_wall_ms;
    row.mode = pairing->mode;
    row.first = of->first;
    row.cursor = pairing->cursor;
    row.seen = pairing->asked > pairing->seen ? pairing->asked : pairing->seen;
    row.digests = pairing->counts.digests;
    row.proposed = pairing->counts.proposed;
    if (peri_ledger_put_pairing(host->ledger, &row, host_wall_ms(host)) == PERI_OK) {
        host->ledger_dirty = true;
    }
}

bool host_stopped(peri_host *host, peri_pairing *pairing) {
    if (!host->ledger || host->mode == PERI_MODE_REPLAY) return false;
    int64_t at = peri_ledger_stopped_at(host->ledger, pairing->observer->name);
    if (at < pairing->armed_wall_ms || at == 0) return false;
    if (peri_pairing_move(pairing, PERI_CAUSE_USER_STOP) > 0) {
        host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                          peri_cause_word(PERI_CAUSE_USER_STOP), NULL);
    }
    return true;
}

// The whole of the agent's activity is read again if it begins as it did; else this is what followed, and
// all of it is new.
bool host_resume_has_seen(const host_work *work) {
    peri_pairing *pairing = work->pairing;
    if (!pairing->seen || pairing->seen_first != work->of->first ||
        work->upto > pairing->seen) {
        return false;
    }
    pairing->cursor = work->upto < pairing->seen_cursor ? work->upto : pairing->seen_cursor;
    return true;
}

// ---- Deliveries

static void end_left(void *user, const peri_record *left, bool handing) {
    peri_host *host = user;
    peri_record record = *left;
    record.state = peri_delivery_state_word(PERI_DELIVERY_EXPIRED);
    record.reason = handing ? PERI_STR("lost in hand-over")
                            : PERI_STR("the host ended before it was handed over");
    host_record(host, &record);
    if (!handing) return;
    int status = peri_ledger_end_handing(host->ledger, left->session, left->id);
    if (status < 0) host_logf(host, "warning", "ledger: %s", peri_status_message(status));
}

typedef struct left_list {
    peri_arena arena;
    struct left_one {
        struct left_one *next;
        peri_record record;
        bool handing;
    } * first, **last;
} left_list;

// Kept until the query has ended: what ends them is written to the same table.
static void keep_left(void *user, const peri_record *left, bool handing) {
    left_list *list = user;
    struct left_one *one = peri_arena_zero(&list->arena, sizeof *one);
    if (!one) return;
    one->record = (peri_record){.kind = PERI_RECORD_DELIVERY,
                                .session = peri_arena_copy(&list->arena, left->session),
                                .agent = peri_arena_copy(&list->arena, left->agent),
                                .id = peri_arena_copy(&list->arena, left->id),
                                .observer = peri_arena_copy(&list->arena, left->observer),
                                .lane = peri_arena_copy(&list->arena, left->lane)};
    one->handing = handing;
    *list->last = one;
    list->last = &one->next;
}

void host_resume_deliveries(peri_host *host) {
    if (!host->ledger || host->mode == PERI_MODE_REPLAY) return;
    left_list list = {.last = &list.first};
    peri_arena_init(&list.arena, 1024 * 1024);
    int status = peri_ledger_left(host->ledger, keep_left, &list);
    if (status < 0) host_logf(host, "warning", "ledger: %s", peri_status_message(status));
    for (const struct left_one *one = list.first; one; one = one->next) {
        end_left(host, &one->record, one->handing);
    }
    peri_arena_deinit(&list.arena);
}

// That it is being handed over is durable before it is: what a crash leaves so is lost, not sent twice.
int host_begin_handing(void *user, const peri_delivery *delivery) {
    peri_host *host = user;
    if (!host->ledger) return PERI_OK;
    int status = peri_ledger_commit(host->ledger, host_wall_ms(host));
    if (status == PERI_OK) {
        host->ledger_dirty = false;
        status = peri_ledger_begin_handing(host->ledger, delivery->session, delivery->id);
    }
    return status == PERI_EAGAIN ? PERI_EAGAIN : PERI_OK;
}
