// A pairing's moves: each that its table of states allows is made and told to the record
// stream, one that it does not allow is refused and told as well. Called by all that arm, stop,
// feed or end observers.
#include "host/told/told.h"

void host_pairing_tell(peri_host *host, peri_pairing *pairing, peri_str state, peri_str reason,
                       const peri_gate_trace *trace) {
    const peri_agent *agent = pairing->agent;
    const host_agent *of = agent->attached;
    peri_buf json;
    peri_buf_init(&json, 16 * 1024);
    if (trace) {
        peri_buf_add_c(&json, "\"gate\":{");
        peri_gate_trace_add_json(trace, &json);
        peri_buf_add_byte(&json, '}');
    }
    pairing->since_wall_ms = host_wall_ms(host);
    pairing->told = state;
    peri_try_own(&pairing->why, reason);
    host_standing_touch(host, pairing);
    peri_record record = {
        .kind = PERI_RECORD_PAIRING,
        .session = agent->session->id,
        .agent = agent->key,
        .observer = pairing->observer->name,
        .id = peri_str_c(pairing->task_id),
        .state = state,
        .reason = reason,
        .name = agent->name.len ? agent->name : agent->key,
        .step = of->stepper.step,
        .turn = of->stepper.turn,
        .count = (uint64_t)pairing->wait_until_wall_ms,
    };
    if (json.len && json.status == PERI_OK) record.json = peri_buf_str(&json);
    host_record(host, &record);
    peri_buf_deinit(&json);
}

int host_pairing_move(peri_host *host, peri_pairing *pairing, peri_cause cause) {
    int status = peri_pairing_move(pairing, cause);
    if (status >= 0) return status;
    peri_buf text;
    peri_buf_init(&text, 1024);
    peri_buf_addf(&text, "observer %.*s of %.*s is %.*s: '%.*s' may not move it",
                  PERI_FMT(pairing->observer->name), PERI_FMT(pairing->agent->key),
                  PERI_FMT(peri_pairing_state_word(pairing->state)),
                  PERI_FMT(peri_cause_word(cause)));
    host_logf(host, "warning", "%s", peri_buf_c(&text));
    host_warn(host, "refused-transition", (peri_str){0}, peri_buf_str(&text), (peri_str){0});
    peri_buf_deinit(&text);
    return status;
}

void host_retire(peri_host *host, const peri_agent *agent) {
    for (size_t i = 0; i < agent->pairing_count; i++) {
        peri_pairing *pairing = agent->pairings[i];
        if (host_pairing_move(host, pairing, PERI_CAUSE_AGENT_END) <= 0) continue;
        host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                          peri_cause_word(PERI_CAUSE_AGENT_END), NULL);
    }
}
