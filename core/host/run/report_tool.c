// ObserverReport, the tool of observers that their own programs run (spec CC-9): finds the
// pairing whose task calls it and answers as the tool does.
#include <stdio.h>

#include "host/admit/admit.h"
#include "host/run/run.h"

static const peri_session *find_session(const peri_host *host, peri_str id) {
    return peri_map_get(&host->registry.sessions, id);
}

static peri_pairing *find_pairing(const peri_host *host, peri_str session_id, peri_str task) {
    const peri_session *session = find_session(host, session_id);
    for (const peri_agent *agent = session ? session->agents : NULL; agent;
         agent = agent->next) {
        for (size_t i = 0; i < agent->pairing_count; i++) {
            if (peri_str_eq(peri_str_c(agent->pairings[i]->task_id), task)) {
                return agent->pairings[i];
            }
        }
    }
    return NULL;
}

static void answer(peri_report_answer *out, bool is_error, const char *text) {
    out->is_error = is_error;
    snprintf(out->text, sizeof out->text, "%s", text);
}

static void say_queued(peri_report_answer *out, const peri_agent *receiver) {
    out->is_error = false;
    peri_str name = receiver->name.len ? receiver->name : receiver->key;
    if (peri_str_eq(receiver->key, PERI_STR("main"))) {
        answer(out, false, "report queued for the main conversation");
    } else {
        snprintf(out->text, sizeof out->text, "report queued for %.*s",
                 PERI_FMT(peri_str_sub(name, 0, peri_utf8_cut_bytes(name, 200))));
    }
}

int peri_host_report(peri_host *host, peri_str session, peri_str caller, peri_str report,
                     peri_report_answer *out) {
    HOST_CHECK(host);
    if (!caller.len || peri_str_eq(caller, PERI_STR("main"))) {
        answer(out, true,
               "ObserverReport is an observer's: the main session has no observed "
               "pairing; nothing was delivered");
        return PERI_OK;
    }
    peri_pairing *pairing = find_pairing(host, session, caller);
    if (pairing) (void)host_stopped(host, pairing); // the user may be in another program
    const char *reason = host_report_refusal(pairing);
    if (reason) {
        if (pairing) pairing->counts.refused_reports++;
        answer(out, true, reason);
        return PERI_OK;
    }
    host_agent *of = pairing->agent->attached;
    const host_work work = {.kind = WORK_BATCH,
                            .of = of,
                            .pairing = pairing,
                            .step = of->stepper.step,
                            .turn = of->stepper.turn};
    const peri_draft draft = {.report = report};
    const peri_proposal *proposal;
    int status = host_propose(host, &work, &draft, &proposal, &reason);
    if (status == PERI_ENOMEM) return status;
    if (status < 0) {
        answer(out, true, reason);
        return PERI_OK;
    }
    host_record_proposal(host, &work, proposal);
    host_push_work(host, work);
    say_queued(out, host_report_receiver(pairing)->agent);
    return PERI_OK;
}
