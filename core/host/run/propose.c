// What a run emits becomes a proposal here, or is refused with a reason: by a ceiling, by a
// report's conditions, by its observer's definition. It is then judged with the batch of whom
// it is for. Called by host/run/runs.c and host/run/report.c.
#include <stdio.h>
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/run/run.h"
#include "host/told/told.h"

void host_make_id(char out[11], const host_work *work, const char *kind, uint64_t ordinal) {
    uint64_t numbers[2] = {work->step, ordinal};
    const peri_agent *agent = work->pairing->agent;
    uint64_t hash = peri_str_hash(peri_str_c(kind), PERI_HASH_SEED);
    const peri_str parts[] = {agent->session->id, agent->key, work->pairing->observer->name,
                              peri_str_of((const char *)numbers, sizeof numbers)};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        hash = peri_str_hash(parts[i], peri_str_hash(PERI_STR("\x1f"), hash));
    }
    hash ^= hash >> 29;
    snprintf(out, 11, "%010llx", (unsigned long long)(hash & UINT64_C(0xffffffffff)));
}

void host_go_without(peri_host *host, peri_pairing *pairing, const char *reached) {
    pairing->budget_until_wall_ms = host_spend_until(host, reached);
    if (pairing->out_of_budget) return;
    pairing->out_of_budget = true;
    host_pairing_tell(host, pairing, PERI_STR("out-of-budget"), peri_str_c(reached), NULL);
}

static int keep_fresh(host_agent *of, peri_proposal *proposal) {
    peri_proposal **fresh = realloc(of->fresh, (of->fresh_count + 1) * sizeof *fresh);
    if (!fresh) {
        free(proposal);
        return PERI_ENOMEM;
    }
    of->fresh = fresh;
    of->fresh[of->fresh_count++] = proposal;
    return PERI_OK;
}

void host_record_proposal(peri_host *host, const host_work *work, const peri_proposal *p) {
    peri_record record = host_record_of(PERI_RECORD_PROPOSAL, work);
    record.id = p->id;
    record.observer = p->observer;
    record.state = peri_proposal_kind_word(p->kind);
    record.severity = peri_weight_word(p->severity);
    record.lane = peri_lane_word(p->lane);
    record.text = p->text;
    record.fingerprint = p->fingerprint;
    host_record(host, &record);
    host->counts.proposals++;
}

typedef struct calls {
    const peri_host *host;
    peri_str session;
} calls;

// Was it made in this session, by any agent, though the log has
// forgotten it? Its source may be closed.
static bool is_known_call(void *user, peri_str call_id) {
    const calls *of = user;
    const peri_joiner *joiner = &of->host->joiner;
    if (peri_join_has_call(joiner, of->session, (peri_join_source){0}, call_id)) return true;
    for (uint32_t number = 1; number <= of->host->source_count; number++) {
        peri_join_source own = {number, true};
        if (peri_join_has_call(joiner, of->session, own, call_id)) return true;
    }
    return false;
}

static peri_str invented(const peri_host *host, const host_agent *of, peri_str text) {
    const peri_item *const *log = (const peri_item *const *)of->tap.items;
    calls known = {host, of->agent->session->id};
    return peri_invented_call(text, log, of->tap.count, is_known_call, &known);
}

static int check_proposal(peri_host *host, const host_work *work, const peri_draft *draft,
                          peri_proposal **out, const char **reason) {
    peri_pairing *pairing = work->pairing;
    const char *refusal = draft->report.ptr ? host_report_refusal(pairing) : NULL;
    if (!refusal) {
        refusal = host_spend_try(host, work->of, PERI_SPEND_PROPOSALS, 1);
        if (refusal) host_go_without(host, pairing, refusal);
    }
    if (refusal) { // no fault of the observer's
        *reason = refusal;
        return PERI_EDENIED;
    }
    char id[11];
    host_make_id(id, work, "proposal", pairing->counts.proposed);
    peri_draft own = *draft;
    peri_buf room;
    peri_buf_init(&room, 64 * 1024);
    if (draft->report.ptr) own.report = host_report_text(pairing, draft->report, &room);
    int status = peri_draft_check(pairing->observer, &own, peri_str_c(id), out, reason);
    if (status == PERI_OK && draft->report.ptr) (*out)->lane = host_report_lane(pairing);
    peri_buf_deinit(&room);
    return status;
}

int host_propose(peri_host *host, const host_work *work, const peri_draft *draft,
                 const peri_proposal **out, const char **reason) {
    peri_pairing *pairing = work->pairing;
    host_agent *receiver = draft->report.ptr ? host_report_receiver(pairing) : work->of;
    peri_proposal *proposal;
    *reason = "out of memory";
    int status = check_proposal(host, work, draft, &proposal, reason);
    if (status == PERI_OK) {
        proposal->step = work->step;
        proposal->turn = work->turn;
        proposal->at_wall_ms = host_wall_ms(host);
        proposal->invents = invented(host, work->of, proposal->text);
        status = keep_fresh(receiver, proposal);
    }
    if (status < 0) {
        pairing->counts.refused++;
        pairing->counts.refused_reports += draft->report.ptr != NULL;
        return status;
    }
    pairing->counts.proposed++;
    pairing->counts.reports += draft->report.ptr != NULL;
    *out = proposal;
    if (receiver == work->of) return PERI_OK;
    host_work batch = *work; // judged where it goes to
    batch.kind = WORK_BATCH;
    batch.of = receiver;
    batch.turn = receiver->stepper.turn;
    batch.step = receiver->stepper.step;
    host_push_work(host, batch);
    return PERI_OK;
}
