// What a host says of itself in lines for people: the summary that ends a stream, and what it
// leaves in the ledger once a second, for who asks from another process (`perilune status`).
#include <unistd.h>

#include "host/status/status.h"
#include "host/told/told.h"
#include "ledger/standing.h"

enum { TELL_MS = 1000 };

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

static void say_dialects(const peri_host *host, peri_buf *out, const host_read_counts *counts) {
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

static void say_input(peri_host *host, peri_buf *out, const host_read_counts *counts) {
    const peri_ingest_counts *all = &counts->all;
    size_t agents, sessions = host_counts_sessions(host, &agents);
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
    if (c->known_runs) {
        peri_buf_add_c(out, "\nearlier  ");
        plural(out, c->known_runs, "observer run", "observer runs");
        peri_buf_add_c(out, " made before, on the same ledger; none is repeated");
    }
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
        peri_buf_addf(
            out,
            "unseen   %zu for three turns, %llu no longer looked for: does the agent get them?\n",
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

static void say_self(peri_host *host, peri_buf *text) {
    host_read_counts counts = host_counts_read(host);
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
    host_read_counts counts = host_counts_read(host);
    peri_buf text, json;
    peri_buf_init(&text, 16 * 1024);
    peri_buf_init(&json, 16 * 1024);
    say_input(host, &text, &counts);
    say_damage(&text, &counts.all);
    if (!host->no_observers) say_observers(host, &text);
    say_outbox(host, &text);
    say_ledger(host, &text);
    host_counts_add_totals(host, &json);
    peri_buf_add_byte(&json, ',');
    host_counts_add_outbox(host, &json);
    peri_buf_add_byte(&json, ',');
    host_counts_add_ingest(&counts.all, &json);
    peri_record record = {
        .kind = PERI_RECORD_SUMMARY, .text = peri_buf_str(&text), .json = peri_buf_str(&json)};
    host_record(host, &record);
    peri_buf_deinit(&text);
    peri_buf_deinit(&json);
}

// ---- In the ledger

int host_tell_timeout_ms(const peri_host *host) {
    if (!host->ledger || host->claims.fd < 0 || host->told_seq == host->seq) return -1;
    int64_t passed_ms = host->clock.now_ms(host->clock.user) - host->told_ms;
    return passed_ms >= TELL_MS ? 0 : (int)(TELL_MS - passed_ms);
}

void host_tell_self(peri_host *host, bool ended) {
    if (!host->ledger || host->claims.fd < 0) return;
    if (!ended && host_tell_timeout_ms(host) != 0) return;
    peri_buf json, text;
    peri_buf_init(&json, 64 * 1024);
    peri_buf_init(&text, 16 * 1024);
    peri_buf_add_byte(&json, '{');
    host_counts_add_json(host, &json);
    peri_buf_add_byte(&json, '}');
    say_self(host, &text);
    const peri_host_row row = {
        .id = (int64_t)host->claim,
        .pid = getpid(),
        .started_wall_ms = host->started_wall_ms,
        .at_wall_ms = host_wall_ms(host),
        .ended = ended,
        .status = json.status < 0 ? PERI_STR("{}") : peri_buf_str(&json),
        .text = peri_buf_str(&text),
    };
    if (peri_ledger_put_host(host->ledger, &row) == PERI_OK) host->ledger_dirty = true;
    host->told_ms = host->clock.now_ms(host->clock.user);
    host->told_seq = host->seq;
    peri_buf_deinit(&json);
    peri_buf_deinit(&text);
}
