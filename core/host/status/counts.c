// What a host has counted, as members of a JSON object: what this one alone knows, whichever
// way it is asked. Called by host/status/summary.c and host/status/status.c.
#include "host/read/read.h"
#include "host/status/status.h"
#include "host/told/told.h"

static host_read_counts counts_of(const peri_host *host) {
    host_read_counts counts = {.all = host->ingested};
    memcpy(counts.by_dialect, host->by_dialect, sizeof counts.by_dialect);
    return counts;
}

host_read_counts host_counts_read(peri_host *host) {
    host_read_counts done = counts_of(host);
    for (const peri_source *source = host->sources; source; source = source->next) {
        host_count_source(host, source);
    }
    host_follow_add_counts(host);
    host_read_counts counts = counts_of(host);
    host->ingested = done.all;
    memcpy(host->by_dialect, done.by_dialect, sizeof done.by_dialect);
    return counts;
}

size_t host_counts_sessions(const peri_host *host, size_t *agents) {
    size_t sessions = 0;
    *agents = 0;
    for (const peri_session *s = host->registry.first; s; s = s->next) {
        size_t of_session = 0;
        for (const peri_agent *agent = s->agents; agent; agent = agent->next) {
            of_session += !agent->is_observer;
        }
        if (!s->is_observer && of_session) {
            sessions++;
            *agents += of_session;
        }
    }
    return sessions;
}

static void member(peri_buf *out, bool *started, const char *key, uint64_t count) {
    peri_buf_addf(out, "%s\"%s\":%llu", *started ? "," : "", key, (unsigned long long)count);
    *started = true;
}

void host_counts_add_ingest(const peri_ingest_counts *c, peri_buf *out) {
    const struct {
        const char *key;
        uint64_t count;
    } counts[] = {
        {"lines", c->lines},         {"records", c->records},
        {"bytes", c->bytes},         {"raw", c->raw},
        {"invalid", c->invalid},     {"failedMaps", c->failed_maps},
        {"malformed", c->malformed}, {"torn", c->torn},
        {"welded", c->welded},       {"repaired", c->repaired},
        {"oversized", c->oversized}, {"unfinished", c->unfinished},
    };
    bool started = false;
    peri_buf_add_c(out, "\"ingest\":{");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        member(out, &started, counts[i].key, counts[i].count);
    }
    peri_buf_add_byte(out, '}');
}

void host_counts_add_totals(const peri_host *host, peri_buf *out) {
    const host_counts *c = &host->counts;
    size_t agents, sessions = host_counts_sessions(host, &agents);
    const struct {
        const char *key;
        uint64_t count;
    } counts[] = {
        {"sessions", sessions},
        {"agents", agents},
        {"observations", c->observations},
        {"digests", c->digests},
        {"runs", c->runs},
        {"failedRuns", c->failed_runs},
        {"earlierRuns", c->known_runs},
        {"proposals", c->proposals},
        {"delivered", c->delivered},
        {"deferred", c->deferred},
        {"dropped", c->dropped},
        {"vetoes", c->vetoes},
        {"shadowed", c->shadowed},
        {"followed", c->followed},
        {"ignored", c->ignored},
        {"contradicted", c->contradicted},
        {"modelCalls", c->model_calls},
        {"otherFiles", c->other_files},
        {"unreadFiles", c->unread_files},
        {"sameSession", c->same_session},
        {"unrecognised", c->unrecognised},
        {"repeats", host->joiner.repeat_count},
        {"withdrawn", host->joiner.withdrawn_count},
        {"lost", c->lost + host->registry.refused_count},
    };
    bool started = false;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        member(out, &started, counts[i].key, counts[i].count);
    }
}

// The last ones, the oldest first.
static void add_quarantined(const peri_host *host, peri_buf *out) {
    uint64_t count = host->counts.quarantined;
    uint64_t first = count > HOST_MAX_QUARANTINED ? count - HOST_MAX_QUARANTINED : 0;
    peri_buf_addf(out, ",\"quarantined\":%llu,\"quarantine\":[", (unsigned long long)count);
    for (uint64_t i = first; i < count; i++) {
        const char *what = host->quarantined[i % HOST_MAX_QUARANTINED];
        if (i > first) peri_buf_add_byte(out, ',');
        peri_json_add_string(out, what ? peri_str_c(what) : PERI_STR("?"));
    }
    peri_buf_add_byte(out, ']');
}

void host_counts_add_outbox(const peri_host *host, peri_buf *out) {
    const host_counts *c = &host->counts;
    const peri_outbox *outbox = &host->outbox;
    peri_buf_addf(out,
                  "\"outbox\":{\"queued\":%zu,\"handed\":%llu,\"seen\":%llu,\"unseen\":%zu,",
                  outbox->count, (unsigned long long)c->handed, (unsigned long long)c->seen,
                  outbox->unseen_count);
    peri_buf_addf(
        out, "\"expired\":%llu,\"lostInHandOver\":%llu,\"overdue\":%zu,\"neverSeen\":%llu}",
        (unsigned long long)c->expired, (unsigned long long)c->lost_handing,
        outbox->overdue_count, (unsigned long long)outbox->lost_count);
}

void host_counts_add_json(peri_host *host, peri_buf *out) {
    host_read_counts counts = host_counts_read(host);
    host_counts_add_totals(host, out);
    peri_buf_add_byte(out, ',');
    host_counts_add_ingest(&counts.all, out);
    peri_buf_add_byte(out, ',');
    host_counts_add_outbox(host, out);
    add_quarantined(host, out);
    host_follow_write_status(host, out);
    host_subscribers_write_status(host, out);
}
