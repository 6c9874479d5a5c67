// The states of host/status/states.c, the hosts of the ledger and the lag behind the sources as
// JSON: the same answers for embedders (case C67).
#include "host/status/status.h"
#include "host/told/told.h"

static void add_text(peri_buf *out, const char *key, peri_str text) {
    if (!text.len) return;
    peri_buf_addf(out, ",\"%s\":", key);
    peri_json_add_string(out, text);
}

static void add_time(peri_buf *out, const char *key, int64_t wall_ms) {
    if (!wall_ms) return;
    peri_buf_addf(out, ",\"%s\":\"", key);
    peri_time_format(out, wall_ms);
    peri_buf_add_byte(out, '"');
}

static void add_number(peri_buf *out, const char *key, uint64_t number) {
    peri_buf_addf(out, ",\"%s\":%llu", key, (unsigned long long)number);
}

// Behind the bracket of a list there is no comma.
static void add_comma(peri_buf *out) {
    if (out->len && out->ptr[out->len - 1] != '[') peri_buf_add_byte(out, ',');
}

static void add_drops(peri_buf *out, const peri_observer_state *s) {
    peri_buf_add_c(out, ",\"drops\":[");
    for (size_t i = 0; i < s->drop_count; i++) {
        add_comma(out);
        peri_buf_addf(out, "{\"count\":%llu", (unsigned long long)s->drops[i].count);
        add_text(out, "reason", s->drops[i].reason);
        peri_buf_add_byte(out, '}');
    }
    peri_buf_add_byte(out, ']');
}

static void add_state(void *user, const peri_observer_state *s) {
    peri_buf *out = user;
    add_comma(out);
    peri_buf_add_c(out, "{\"name\":");
    peri_json_add_string(out, s->name);
    add_text(out, "layer", s->layer);
    add_text(out, "state", s->state);
    add_time(out, "since", s->since_wall_ms);
    add_time(out, "until", s->until_wall_ms);
    add_text(out, "cause", s->cause);
    add_text(out, "next", s->next);
    add_text(out, "model", s->model);
    add_text(out, "waitsFor", s->waits_for);
    if (s->shadow) add_text(out, "mode", PERI_STR("shadow"));
    add_text(out, "lastError", s->last_error);
    add_number(out, "runs", s->runs);
    add_number(out, "silent", s->silent);
    add_number(out, "skipped", s->skipped);
    add_number(out, "noRuntime", s->no_runtime);
    add_number(out, "failures", s->failures);
    add_number(out, "proposed", s->proposed);
    add_number(out, "delivered", s->delivered);
    add_number(out, "deferred", s->deferred);
    add_number(out, "dropped", s->dropped);
    add_drops(out, s);
    add_text(out, "lastDrop", s->last_drop);
    add_number(out, "tokens", s->tokens);
    add_number(out, "heard", s->heard);
    add_number(out, "lag", s->lag);
    add_number(out, "digestStep", s->digest_step);
    add_time(out, "digestAt", s->digest_wall_ms);
    add_number(out, "sessions", s->sessions);
    add_number(out, "alike", s->alike);
    peri_buf_add_byte(out, '}');
}

static void add_peer(void *user, const peri_peer *peer) {
    peri_buf *out = user;
    add_comma(out);
    peri_buf_addf(out, "{\"pid\":%lld,\"alive\":%s,\"ended\":%s", (long long)peer->pid,
                  peer->alive ? "true" : "false", peer->ended ? "true" : "false");
    add_time(out, "started", peer->started_wall_ms);
    add_time(out, "told", peer->told_wall_ms);
    peri_buf_add_c(out, ",\"counters\":");
    peri_buf_add(out, peer->json.len ? peer->json : PERI_STR("{}"));
    peri_buf_add_byte(out, '}');
}

void host_states_add_json(peri_host *host, peri_buf *out) {
    peri_source_lag lag;
    peri_buf_add_c(out, ",\"states\":[");
    int status = peri_host_observer_states(host, add_state, out);
    peri_buf_add_c(out, "],\"hosts\":[");
    if (status == PERI_OK) status = peri_host_peers(host, add_peer, out);
    peri_buf_add_c(out, "]");
    if (status == PERI_OK) status = peri_host_source_lag(host, &lag);
    if (status == PERI_OK) {
        peri_buf_addf(out, ",\"sourceLag\":{\"bytes\":%llu,\"files\":%llu",
                      (unsigned long long)lag.bytes, (unsigned long long)lag.files);
        add_time(out, "since", lag.since_wall_ms);
        peri_buf_add_byte(out, '}');
    } else {
        host_logf(host, "warning", "status: %s", peri_status_message(status));
    }
}
