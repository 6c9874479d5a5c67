// The hand-over of deliveries, durable before it begins: what a crash leaves in the middle of
// it is lost and said so, never sent twice. What hosts before this one left is ended, and what
// waits of an observer that the user has stopped expires.
#include "host/admit/admit.h"
#include "host/run/run.h"
#include "host/told/told.h"
#include "ledger/pairing_state.h"

static void end_left(void *user, const peri_record *left, bool handing) {
    peri_host *host = user;
    peri_record record = *left;
    record.state = peri_delivery_state_word(PERI_DELIVERY_EXPIRED);
    record.reason = handing ? PERI_STR("lost in hand-over")
                            : PERI_STR("the host ended before it was handed over");
    host_record(host, &record);
    host->counts.expired++;
    host->counts.lost_handing += handing;
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
        if (host_is_elsewhere(host, one->record.session)) continue; // its host lives
        end_left(host, &one->record, one->handing);
    }
    peri_arena_deinit(&list.arena);
}

static peri_pairing *pairing_of(const peri_host *host, const peri_delivery *d) {
    const peri_agent *agent = peri_registry_find(&host->registry, d->session, d->agent);
    for (size_t i = 0; agent && i < agent->pairing_count; i++) {
        peri_pairing *pairing = agent->pairings[i];
        if (peri_str_eq(pairing->observer->name, d->observer)) return pairing;
    }
    return NULL;
}

static bool is_stopped(void *user, const peri_delivery *delivery) {
    peri_pairing *pairing = pairing_of(user, delivery);
    return pairing && host_stopped(user, pairing);
}

void host_expire_stopped(peri_host *host) {
    peri_outbox_expire_if(&host->outbox, is_stopped, host, "the user stopped its observer");
}

// That it is being handed over is durable before it is: what a
// crash leaves so is lost, not sent twice.
int host_begin_handing(void *user, peri_delivery *delivery) {
    peri_host *host = user;
    int status = host_lane_open(host, delivery);
    if (status < 0 || !host->ledger) return status;
    status = peri_ledger_commit(host->ledger, host_wall_ms(host));
    if (status == PERI_OK) {
        host->ledger_dirty = false;
        status = peri_ledger_begin_handing(host->ledger, delivery->session, delivery->id);
    }
    return status == PERI_EAGAIN ? PERI_EAGAIN : PERI_OK;
}

void host_end_handing(void *user, const peri_delivery *delivery) {
    peri_host *host = user;
    if (!host->ledger) return;
    if (peri_ledger_end_handing(host->ledger, delivery->session, delivery->id) == PERI_OK) {
        host->ledger_dirty = true;
    }
}
