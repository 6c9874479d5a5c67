// The status document: all that a host can say, of itself and
// from the ledger, as one JSON object.
#include "host/status/status.h"

#include "host/written/written.h"

static void add_dialects(const peri_host *host, peri_buf *out) {
    bool started = false;
    peri_buf_add_c(out, "\"files\":{");
    for (size_t i = 0; i < host->dialect_count; i++) {
        if (!host->by_dialect[i].files) continue;
        if (started) peri_buf_add_byte(out, ',');
        started = true;
        peri_json_add_string(out, host->dialects[i]->name);
        peri_buf_addf(out, ":%llu", (unsigned long long)host->by_dialect[i].files);
    }
    peri_buf_add_byte(out, '}');
}

static void add_pairing(peri_buf *out, const peri_pairing *pairing) {
    const peri_pairing_counts *c = &pairing->counts;
    const peri_agent *agent = pairing->agent;
    peri_buf_add_c(out, "{\"session\":");
    peri_json_add_string(out, agent->session->id);
    peri_buf_add_c(out, ",\"agent\":");
    peri_json_add_string(out, agent->key);
    peri_buf_add_c(out, ",\"observer\":");
    peri_json_add_string(out, pairing->observer->name);
    peri_buf_addf(out, ",\"state\":\"%.*s\"",
                  PERI_FMT(pairing->disabled ? PERI_STR("disabled")
                                             : peri_pairing_state_word(pairing->state)));
    const struct {
        const char *key;
        uint64_t count;
    } counts[] = {
        {"runs", c->runs},
        {"silent", c->silent},
        {"skipped", c->skipped},
        {"noRuntime", c->no_runtime},
        {"proposed", c->proposed},
        {"reports", c->reports},
        {"reportsRefused", c->refused_reports},
        {"failed", c->failed},
        {"refused", c->refused},
        {"missed", c->missed},
        {"delivered", c->delivered},
        {"deferred", c->deferred},
        {"dropped", c->dropped},
        {"batchesDenied", c->denied},
        {"gateErrors", c->gate_errors},
        {"batchesLost", c->lost_batches},
        {"statesLost", c->lost_states},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        peri_buf_addf(out, ",\"%s\":%llu", counts[i].key, (unsigned long long)counts[i].count);
    }
    if (pairing->last_error.len) {
        peri_buf_add_c(out, ",\"lastError\":");
        peri_json_add_string(out, pairing->last_error);
    }
    peri_buf_add_byte(out, '}');
}

static void add_pairings(const peri_host *host, peri_buf *out) {
    bool started = false;
    peri_buf_add_c(out, "\"pairings\":[");
    for (const peri_session *s = host->registry.first; s; s = s->next) {
        for (const peri_agent *agent = s->agents; agent; agent = agent->next) {
            for (size_t i = 0; i < agent->pairing_count; i++) {
                if (started) peri_buf_add_byte(out, ',');
                started = true;
                add_pairing(out, agent->pairings[i]);
            }
        }
    }
    peri_buf_add_byte(out, ']');
}

static void add_unrecognised(const peri_host *host, peri_buf *out) {
    peri_buf_add_c(out, "\"formatNotRecognised\":[");
    for (size_t i = 0; i < HOST_MAX_UNRECOGNISED && host->unrecognised[i]; i++) {
        if (i) peri_buf_add_byte(out, ',');
        peri_json_add_string(out, peri_str_c(host->unrecognised[i]));
    }
    peri_buf_add_byte(out, ']');
}

static void add_listed(const peri_host *host, peri_buf *out) {
    peri_buf_add_c(out, "\"other\":[");
    for (size_t i = 0; i < host->listed_count; i++) {
        if (i) peri_buf_add_byte(out, ',');
        peri_json_add_string(out, peri_str_c(host->listed[i]));
    }
    peri_buf_add_byte(out, ']');
}

int peri_host_status_json(peri_host *host, peri_str *out) {
    HOST_CHECK(host);
    peri_buf *json = &host->status_json;
    peri_buf_clear(json);
    peri_buf_add_byte(json, '{');
    host_counts_add_json(host, json);
    peri_buf_add_byte(json, ',');
    add_dialects(host, json);
    peri_buf_add_byte(json, ',');
    add_pairings(host, json);
    peri_buf_add_byte(json, ',');
    add_unrecognised(host, json);
    peri_buf_add_byte(json, ',');
    add_listed(host, json);
    peri_buf_add_byte(json, ',');
    host_layers_add_json(host, json);
    host_states_add_json(host, json);
    peri_buf_add_c(json, ",\"switchedOff\":");
    peri_str off = peri_host_switched_off(host);
    if (off.len) {
        peri_json_add_string(json, off);
    } else {
        peri_buf_add_c(json, "null");
    }
    peri_buf_add_byte(json, '}');
    if (json->status < 0) return json->status;
    *out = peri_buf_str(json);
    return PERI_OK;
}
