// Why is it silent? One state for each observer, with since when, cause and next step (case C67), from
// what the layers hold and what the ledger remembers of its pairings and runs.
#include "host_internal.h"

enum { LOOK_BACK_ROWS = 2000, DAY_MS = 24 * 60 * 60 * 1000 };

/// What the ledger's rows of one observer come to.
typedef struct history {
    peri_arena arena;
    peri_str state, cause; // of its latest pairing
    int64_t since_wall_ms, until_wall_ms, last_run_wall_ms;
    bool paired;
    uint64_t runs, failures, proposed, delivered, dropped;
    peri_str last_drop;
} history;

static bool is(peri_str text, const char *word) {
    return peri_str_eq(text, peri_str_c(word));
}

// An end is told of what had ended in another way before as well: the way stays.
static void take_pairing(history *h, const peri_record *row) {
    h->paired = true;
    bool ended = h->state.len && !is(h->state, "armed") && !is(h->state, "retired");
    if (is(row->state, "retired") && ended) return;
    h->state = peri_arena_copy(&h->arena, row->state);
    h->cause = peri_arena_copy(&h->arena, row->reason);
    h->since_wall_ms = row->at_wall_ms;
    h->until_wall_ms = (int64_t)row->count;
}

static void take_row(void *user, const peri_record *row) {
    history *h = user;
    if (row->kind == PERI_RECORD_PAIRING) {
        take_pairing(h, row);
    } else if (row->kind == PERI_RECORD_RUN) {
        h->runs++;
        h->failures += is(row->state, "failed") || is(row->state, "timeout");
        h->last_run_wall_ms = row->at_wall_ms;
    } else if (row->kind == PERI_RECORD_PROPOSAL) {
        h->proposed++;
    } else if (row->kind == PERI_RECORD_DECISION) {
        h->delivered += is(row->state, "deliver");
        h->dropped += is(row->state, "drop");
        if (is(row->state, "drop")) h->last_drop = peri_arena_copy(&h->arena, row->reason);
    }
}

typedef struct telling {
    peri_host *host;
    peri_ledger *ledger; // may be NULL
    peri_observer_state_fn fn;
    void *user;
    peri_arena arena;
    peri_str unrecognised; // the latest source in no known format
    int64_t unrecognised_wall_ms;
} telling;

static void take_warning(void *user, const peri_record *row) {
    telling *t = user;
    if (row->kind != PERI_RECORD_WARNING || !is(row->state, "format-not-recognised")) return;
    t->unrecognised = peri_arena_copy(&t->arena, row->file);
    t->unrecognised_wall_ms = row->at_wall_ms;
}

static void say(peri_observer_state *out, const char *state, peri_str cause, const char *next) {
    out->state = peri_str_c(state);
    out->cause = cause;
    out->next = peri_str_c(next);
}

// What keeps it from being loaded or armed; false if nothing does.
static bool from_entry(const peri_entry *entry, peri_observer_state *out) {
    switch (entry->state) {
    case PERI_ENTRY_OFF:
        say(out, "off", entry->reason, "perilune enable NAME, or change the switch it names");
        return true;
    case PERI_ENTRY_REPLACED:
        say(out, "replaced", entry->reason, NULL);
        return true;
    case PERI_ENTRY_DUPLICATE:
    case PERI_ENTRY_INVALID:
        say(out, "failed to load", entry->reason, "mend it, then perilune check FILE");
        return true;
    case PERI_ENTRY_UNTRUSTED:
        say(out, "waiting for trust", entry->reason, "perilune trust");
        return true;
    case PERI_ENTRY_ACTIVE:
        break;
    }
    return false;
}

// What the latest pairing tells; false if it is well. A state that was for a time ends by itself.
static bool from_pairing(const history *h, int64_t now_wall_ms, peri_observer_state *out) {
    out->since_wall_ms = h->since_wall_ms;
    if (is(h->state, "denied")) {
        say(out, "denied", h->cause,
            "see perilune gate --agent A --observer NAME; once the rule is gone, perilune enable "
            "NAME");
    } else if (is(h->state, "stopped")) {
        say(out, "stopped by user", h->cause, "a new session arms it again");
    } else if (is(h->state, "disabled")) {
        say(out, "disabled after failures", h->cause,
            "mend it, then perilune check FILE; a new session arms it again");
    } else if (is(h->state, "cooling-down") && h->until_wall_ms > now_wall_ms) {
        say(out, "cooling down", h->cause, "wait; it goes on by itself");
    } else if (is(h->state, "out-of-budget") && now_wall_ms - h->since_wall_ms < DAY_MS) {
        say(out, "out of budget", h->cause, "raise limits.session or limits.day, or wait");
    } else {
        return false;
    }
    return true;
}

static void from_runs(const telling *t, const history *h, peri_observer_state *out) {
    bool foreign = t->unrecognised_wall_ms && t->unrecognised_wall_ms >= h->last_run_wall_ms;
    out->since_wall_ms = h->last_run_wall_ms;
    if (foreign) {
        out->since_wall_ms = t->unrecognised_wall_ms;
        say(out, "format not recognised", t->unrecognised,
            "name its --dialect, or update perilune");
    } else if (h->runs == 0) {
        out->since_wall_ms = h->since_wall_ms;
        say(out, "never triggered",
            h->paired ? PERI_STR("armed, but none of its triggers has come")
                      : PERI_STR("no agent was seen that it watches"),
            "see what it waits for with perilune observers");
    } else {
        say(out, "healthy",
            h->proposed ? PERI_STR("it speaks when there is something to say")
                        : PERI_STR("it ran and proposed nothing"),
            NULL);
    }
}

static void tell_one(telling *t, const peri_entry *entry) {
    history h = {0};
    peri_arena_init(&h.arena, 1024 * 1024);
    peri_observer_state state = {
        .struct_size = sizeof state,
        .name = entry->name.ptr ? entry->name : entry->file,
        .layer = entry->layer,
    };
    if (t->ledger && entry->name.len) {
        int status = peri_ledger_log(t->ledger, (peri_str){0}, entry->name, LOOK_BACK_ROWS,
                                     take_row, &h);
        if (status < 0)
            host_logf(t->host, "warning", "ledger: %s", peri_status_message(status));
    }
    if (!from_entry(entry, &state) && !from_pairing(&h, host_wall_ms(t->host), &state)) {
        from_runs(t, &h, &state);
    }
    state.runs = h.runs;
    state.failures = h.failures;
    state.proposed = h.proposed;
    state.delivered = h.delivered;
    state.dropped = h.dropped;
    state.last_drop = h.last_drop;
    t->fn(t->user, &state);
    peri_arena_deinit(&h.arena);
}

// Before the first step nothing of the ledger is open yet, and another host may write to it.
static peri_ledger *open_to_read(const peri_host *host) {
    peri_ledger *ledger = NULL;
    const char *error = NULL;
    peri_ledger_options how = {.read_only = true};
    if (!host->ledger_path) return NULL;
    return peri_ledger_open(host->ledger_path, &how, &ledger, &error) < 0 ? NULL : ledger;
}

int peri_host_observer_states(peri_host *host, peri_observer_state_fn fn, void *user) {
    HOST_CHECK(host);
    peri_ledger *own = host->ledger ? NULL : open_to_read(host);
    telling t = {
        .host = host, .ledger = host->ledger ? host->ledger : own, .fn = fn, .user = user};
    peri_arena_init(&t.arena, 1024 * 1024);
    int status = PERI_OK;
    if (t.ledger) {
        status = peri_ledger_log(t.ledger, (peri_str){0}, (peri_str){0}, LOOK_BACK_ROWS,
                                 take_warning, &t);
    }
    for (size_t i = 0; i < host->layers.count; i++) tell_one(&t, &host->layers.entries[i]);
    peri_arena_deinit(&t.arena);
    peri_ledger_close(own);
    return status == PERI_ENOMEM ? status : PERI_OK;
}

peri_str peri_host_switched_off(const peri_host *host) {
    return peri_str_c(host ? host->switched_off : NULL);
}

// ---- JSON

static void add_text(peri_buf *out, const char *key, peri_str text) {
    if (!text.ptr) return;
    peri_buf_addf(out, ",\"%s\":", key);
    peri_json_add_string(out, text);
}

static void add_state(void *user, const peri_observer_state *s) {
    peri_buf *out = user;
    bool first = out->len && out->ptr[out->len - 1] == '[';
    peri_buf_add_c(out, first ? "{\"name\":" : ",{\"name\":");
    peri_json_add_string(out, s->name);
    add_text(out, "layer", s->layer);
    add_text(out, "state", s->state);
    if (s->since_wall_ms) {
        peri_buf_add_c(out, ",\"since\":\"");
        peri_time_format(out, s->since_wall_ms);
        peri_buf_add_byte(out, '"');
    }
    add_text(out, "cause", s->cause);
    add_text(out, "next", s->next);
    peri_buf_addf(out,
                  ",\"runs\":%llu,\"failures\":%llu,\"proposed\":%llu,\"delivered\":%llu,"
                  "\"dropped\":%llu",
                  (unsigned long long)s->runs, (unsigned long long)s->failures,
                  (unsigned long long)s->proposed, (unsigned long long)s->delivered,
                  (unsigned long long)s->dropped);
    add_text(out, "lastDrop", s->last_drop);
    peri_buf_add_byte(out, '}');
}

void host_states_add_json(peri_host *host, peri_buf *out) {
    peri_buf_add_c(out, ",\"states\":[");
    int status = peri_host_observer_states(host, add_state, out);
    if (status < 0) host_logf(host, "warning", "status: %s", peri_status_message(status));
    peri_buf_add_byte(out, ']');
}
