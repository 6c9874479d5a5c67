// What a host says of itself: the status document, and the summary that ends a stream.
#include "host/internal.h"

static void count_dialect(peri_host *host, const peri_source *source) {
    const peri_ingest_counts *from = &source->reader.counts;
    for (size_t i = 0; i < host->dialect_count; i++) {
        if (host->dialects[i] != source->reader.dialect) continue;
        host->by_dialect[i].records += from->records;
        host->by_dialect[i].observations += from->observations;
        host->by_dialect[i].raw += from->raw;
    }
}

void host_count_source(peri_host *host, const peri_source *source) {
    const peri_ingest_counts *from = &source->reader.counts;
    peri_ingest_counts *to = &host->ingested;
    to->lines += from->lines;
    to->blank += from->blank;
    to->records += from->records;
    to->observations += from->observations;
    to->raw += from->raw;
    to->invalid += from->invalid;
    to->failed_maps += from->failed_maps;
    to->malformed += from->malformed;
    to->torn += from->torn;
    to->welded += from->welded;
    to->repaired += from->repaired;
    to->oversized += from->oversized;
    to->unfinished += from->unfinished;
    to->bytes += from->bytes;
    count_dialect(host, source);
}

/// What was read so far: what is done, and what is still open.
typedef struct read_counts {
    peri_ingest_counts all;
    host_dialect_counts by_dialect[HOST_MAX_DIALECTS];
} read_counts;

static read_counts counts_of(const peri_host *host) {
    read_counts counts = {.all = host->ingested};
    memcpy(counts.by_dialect, host->by_dialect, sizeof counts.by_dialect);
    return counts;
}

static read_counts all_counts(peri_host *host) {
    read_counts done = counts_of(host);
    for (const peri_source *source = host->sources; source; source = source->next) {
        host_count_source(host, source);
    }
    host_follow_add_counts(host);
    read_counts counts = counts_of(host);
    host->ingested = done.all;
    memcpy(host->by_dialect, done.by_dialect, sizeof done.by_dialect);
    return counts;
}

static size_t observed_sessions(const peri_host *host, size_t *agents) {
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

static void add_ingest(peri_buf *out, const peri_ingest_counts *c) {
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

static void add_counts(peri_host *host, peri_buf *out) {
    const host_counts *c = &host->counts;
    size_t agents, sessions = observed_sessions(host, &agents);
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
    bool started = true;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        member(out, &started, counts[i].key, counts[i].count);
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

static void add_outbox(const peri_host *host, peri_buf *out) {
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

// What this host alone knows, whichever way it is asked.
static void add_self(peri_host *host, peri_buf *json) {
    read_counts counts = all_counts(host);
    add_counts(host, json);
    peri_buf_add_byte(json, ',');
    add_ingest(json, &counts.all);
    peri_buf_add_byte(json, ',');
    add_outbox(host, json);
    add_quarantined(host, json);
    host_follow_write_status(host, json);
    host_subscribers_write_status(host, json);
}

void host_status_add_self(peri_host *host, peri_buf *json) {
    peri_buf_add_byte(json, '{');
    add_self(host, json);
    peri_buf_add_byte(json, '}');
}

int peri_host_status_json(peri_host *host, peri_str *out) {
    HOST_CHECK(host);
    peri_buf *json = &host->status_json;
    peri_buf_clear(json);
    peri_buf_add_byte(json, '{');
    add_self(host, json);
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

// "1 session" or "3 sessions".
static void plural(peri_buf *out, uint64_t count, const char *one, const char *many) {
    peri_buf_addf(out, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
}

static void say_damage(peri_buf *out, const peri_ingest_counts *c) {
    const struct {
        uint64_t count;
        const char *one, *many;
    } damage[] = {
        {c->malformed, "unreadable line", "unreadable lines"},
        {c->torn, "torn line", "torn lines"},
        {c->welded, "record glued to another", "records glued to others"},
        {c->oversized, "line over the size cap", "lines over the size cap"},
        {c->repaired, "character or value mended", "characters or values mended"},
        {c->failed_maps, "record its dialect's script failed on",
         "records their dialect's script failed on"},
        {c->invalid, "record without a field it needs", "records without a field they need"},
        {c->unfinished, "unfinished last line", "unfinished last lines"},
    };
    bool started = false;
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        if (!damage[i].count) continue;
        peri_buf_add_c(out, started ? ", " : "damage   ");
        plural(out, damage[i].count, damage[i].one, damage[i].many);
        started = true;
    }
    if (started) peri_buf_add_byte(out, '\n');
}

static void say_dialects(const peri_host *host, peri_buf *out, const read_counts *counts) {
    for (size_t i = 0; i < host->dialect_count; i++) {
        const host_dialect_counts *of = &counts->by_dialect[i];
        if (!of->files) continue;
        peri_buf_addf(out, "         %-18.*s", PERI_FMT(host->dialects[i]->name));
        plural(out, of->files, "file", "files");
        peri_buf_add_c(out, ", ");
        plural(out, of->records, "record", "records");
        if (of->raw) peri_buf_addf(out, ", %llu raw", (unsigned long long)of->raw);
        peri_buf_add_byte(out, '\n');
    }
}

static void say_input(peri_host *host, peri_buf *out, const read_counts *counts) {
    const peri_ingest_counts *all = &counts->all;
    size_t agents, sessions = observed_sessions(host, &agents);
    peri_buf_add_c(out, "read     ");
    plural(out, sessions, "session", "sessions");
    peri_buf_add_c(out, ", ");
    plural(out, agents, "agent", "agents");
    peri_buf_add_c(out, ", ");
    plural(out, host->counts.observations, "observation", "observations");
    peri_buf_add_c(out, " from ");
    plural(out, all->records, "record", "records");
    if (all->raw) {
        peri_buf_addf(out, " (%llu of unknown kinds, kept as raw)",
                      (unsigned long long)all->raw);
    }
    peri_buf_add_byte(out, '\n');
    say_dialects(host, out, counts);
    if (host->counts.other_files) {
        peri_buf_add_c(out, "other    ");
        plural(out, host->counts.other_files, "file", "files");
        peri_buf_add_c(out, " in no known format, not read\n");
    }
    if (host->counts.same_session) {
        peri_buf_add_c(out, "same     ");
        plural(out, host->counts.same_session, "file", "files");
        peri_buf_add_c(out, " of the same sessions, not read: another of theirs tells more\n");
    }
    for (size_t i = 0; i < HOST_MAX_UNRECOGNISED && host->unrecognised[i]; i++) {
        peri_buf_addf(out, "format not recognised: %s\n", host->unrecognised[i]);
    }
    if (host->counts.unread_files) {
        peri_buf_add_c(out, "unread   ");
        plural(out, host->counts.unread_files, "file or folder", "files or folders");
        peri_buf_add_c(out, " that could not be read\n");
    }
}

static void say_observers(const peri_host *host, peri_buf *out) {
    const host_counts *c = &host->counts;
    peri_buf_add_c(out, "watched  ");
    plural(out, c->runs, "observer run", "observer runs");
    peri_buf_add_c(out, ", ");
    plural(out, c->proposals, "proposal", "proposals");
    if (c->failed_runs) {
        peri_buf_add_c(out, ", ");
        plural(out, c->failed_runs, "failed run", "failed runs");
    }
    peri_buf_add_c(out, ", ");
    plural(out, c->model_calls, "model call", "model calls");
    peri_buf_add_c(out, "\ndecided  ");
    plural(out, c->delivered, "delivery", "deliveries");
    peri_buf_add_c(out, " (");
    plural(out, c->vetoes, "veto", "vetoes");
    peri_buf_addf(out, "), %llu deferred, %llu dropped\n", (unsigned long long)c->deferred,
                  (unsigned long long)c->dropped);
    if (c->shadowed) {
        peri_buf_add_c(out, "shadow   ");
        plural(out, c->shadowed, "note", "notes");
        peri_buf_add_c(out, " that would have been delivered\n");
    }
    if (c->lost) {
        peri_buf_add_c(out, "lost     ");
        plural(out, c->lost, "thing", "things");
        peri_buf_add_c(out, " for want of memory or room\n");
    }
}

// What became of what the sink was offered, and who lost records on the way.
static void say_outbox(const peri_host *host, peri_buf *out) {
    const host_counts *c = &host->counts;
    uint64_t dropped = 0;
    if (c->handed || c->expired || host->outbox.count) {
        peri_buf_addf(out, "out      %zu waiting, %llu handed over (%llu seen), %llu expired\n",
                      host->outbox.count, (unsigned long long)c->handed,
                      (unsigned long long)c->seen, (unsigned long long)c->expired);
    }
    if (host->outbox.overdue_count || host->outbox.lost_count) {
        peri_buf_addf(out,
                      "unseen   %zu for three turns and more, %llu for good: do they arrive?\n",
                      host->outbox.overdue_count, (unsigned long long)host->outbox.lost_count);
    }
    if (c->lost_handing) {
        peri_buf_addf(out, "         %llu of those lost in hand-over by the host before\n",
                      (unsigned long long)c->lost_handing);
    }
    for (size_t i = 0; i < host->subscriber_count; i++) {
        const host_subscriber *s = &host->subscribers[i];
        dropped += s->failed + s->dropped_full + s->dropped_memory;
    }
    if (dropped) {
        peri_buf_add_c(out, "behind   ");
        plural(out, dropped, "record", "records");
        peri_buf_add_c(out, " that a subscriber did not take\n");
    }
}

// Sessions that their agents' environment keeps from being observed.
static void say_switched_off(const peri_host *host, peri_buf *out) {
    enum { TELL = 5 };
    size_t told = 0;
    for (const peri_session *s = host->registry.first; s && told < TELL; s = s->next) {
        const host_session *kept = s->attached;
        if (!kept || !kept->off) continue;
        peri_buf_addf(out, "off      session %.*s: %s\n", PERI_FMT(s->id), kept->off);
        told++;
    }
}

// What the ledger could not store.
static void say_ledger(const peri_host *host, peri_buf *out) {
    peri_ledger_stats stats;
    if (!host->ledger) return;
    peri_ledger_get_stats(host->ledger, &stats);
    uint64_t lost = stats.dropped_busy + stats.dropped_full + stats.dropped_error;
    if (!lost) return;
    peri_buf_add_c(out, "ledger   ");
    plural(out, lost, "change", "changes");
    peri_buf_addf(out, " not stored (busy %llu, disk full %llu, other %llu)\n",
                  (unsigned long long)stats.dropped_busy,
                  (unsigned long long)stats.dropped_full,
                  (unsigned long long)stats.dropped_error);
}

void host_status_say_self(peri_host *host, peri_buf *text) {
    read_counts counts = all_counts(host);
    say_input(host, text, &counts);
    say_damage(text, &counts.all);
    if (host->counts.quarantined) {
        peri_buf_add_c(text, "aside    ");
        plural(text, host->counts.quarantined, "record", "records");
        peri_buf_add_c(text, " that could not be read; see perilune status --json\n");
    }
    if (!host->no_observers) say_observers(host, text);
    say_outbox(host, text);
    say_switched_off(host, text);
    say_ledger(host, text);
}

void host_summary(peri_host *host) {
    if (host->summed) return;
    host->summed = true;
    read_counts counts = all_counts(host);
    peri_buf text, json;
    peri_buf_init(&text, 16 * 1024);
    peri_buf_init(&json, 16 * 1024);
    say_input(host, &text, &counts);
    say_damage(&text, &counts.all);
    if (!host->no_observers) say_observers(host, &text);
    say_outbox(host, &text);
    say_ledger(host, &text);
    add_counts(host, &json);
    peri_buf_add_byte(&json, ',');
    add_outbox(host, &json);
    peri_buf_add_byte(&json, ',');
    add_ingest(&json, &counts.all);
    peri_record record = {
        .kind = PERI_RECORD_SUMMARY, .text = peri_buf_str(&text), .json = peri_buf_str(&json)};
    host_record(host, &record);
    peri_buf_deinit(&text);
    peri_buf_deinit(&json);
}
