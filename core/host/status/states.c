// Why is it silent? One state for each observer, with since when, cause and next step (case
// C67), from what the layers hold, what the ledger remembers of its pairings, and whether what
// agents write is being read. Asked of a host that runs, or of one that was made to ask and
// never stepped: that one opens the ledger for reading only.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/status/history.h"
#include "host/status/status.h"
#include "host/told/told.h"

enum { ARENA_BYTES = 1024 * 1024, PEERS = 16 };

typedef struct telling {
    peri_host *host;
    peri_arena arena; // of one observer
    history_reading reading;
    peri_ledger *own; // owned; opened to ask
    peri_observer_state_fn fn;
    void *user;
    peri_arena warned;
    peri_str unrecognised; // the latest source in no known format
    int64_t unrecognised_wall_ms;
    peri_source_lag lag;
    bool watched; // a live host is there
} telling;

// NULL if there is none yet; one that cannot be read is told once.
static peri_ledger *open_to_read(peri_host *host) {
    peri_ledger *ledger = NULL;
    const char *error = NULL;
    peri_ledger_options how = {.read_only = true};
    if (!host->ledger_path) return NULL;
    int status = peri_ledger_open(host->ledger_path, &how, &ledger, &error);
    if (status == PERI_OK) return ledger;
    if (status != PERI_ENOENT && !host->ledger_unread) {
        host->ledger_unread = true;
        host_logf(host, "warning", "%s cannot be read, so what it holds is not told: %s",
                  host->ledger_path, error);
    }
    return NULL;
}

// The asker's own claims are no other's: a running host asks by its own.
static void open_reading(telling *t, peri_host *host) {
    *t = (telling){.host = host};
    peri_arena_init(&t->arena, ARENA_BYTES);
    peri_arena_init(&t->warned, ARENA_BYTES);
    if (!host->ledger) t->own = open_to_read(host);
    t->reading = (history_reading){.host = host,
                                   .ledger = host->ledger ? host->ledger : t->own,
                                   .arena = &t->arena,
                                   .claims = host->claims,
                                   .now_wall_ms = host_wall_ms(host)};
    if (!host->ledger && host->ledger_path) {
        host_presence_ask(host->ledger_path, &t->reading.claims);
    }
}

static void close_reading(telling *t) {
    if (!t->host->ledger) peri_claims_close(&t->reading.claims);
    peri_ledger_close(t->own);
    peri_arena_deinit(&t->arena);
    peri_arena_deinit(&t->warned);
}

static peri_str __attribute__((format(printf, 2, 3)))
text(telling *t, const char *format, ...) {
    char room[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(room, sizeof room, format, args);
    va_end(args);
    return peri_arena_copy(&t->arena, peri_str_c(room));
}

static void say(peri_observer_state *out, const char *state, peri_str cause, peri_str next) {
    out->state = peri_str_c(state);
    out->cause = cause;
    out->next = next;
}

static unsigned long long number(uint64_t count) {
    return count;
}

static const char *times(uint64_t count, char room[32]) {
    snprintf(room, 32, "%llu time%s", number(count), count == 1 ? "" : "s");
    return room;
}

// ---- Not loaded, or not armed

// When the file came to be as it is; 0 for one that is built in.
static int64_t changed_at(const peri_entry *entry) {
    peri_file_id id;
    char path[4096];
    if (!entry->file.len || entry->file.len >= sizeof path) return 0;
    memcpy(path, entry->file.ptr, entry->file.len);
    path[entry->file.len] = '\0';
    return path[0] == '/' && peri_path_id_of(path, &id) == PERI_OK ? id.changed_wall_ms : 0;
}

// Enabling one observer helps only while nothing keeps all of them from running.
static peri_str end_of_off(telling *t, const peri_entry *entry) {
    if (t->host->switched_off || !t->host->config.observers_enabled)
        return PERI_STR("mend or change what it names, and start again");
    return text(t, "perilune enable %.*s, or change the switch it names",
                PERI_FMT(entry->name));
}

// What keeps it from being loaded or armed; false if nothing does.
static bool from_entry(telling *t, const peri_entry *entry, peri_observer_state *out) {
    out->since_wall_ms = changed_at(entry);
    switch (entry->state) {
    case PERI_ENTRY_OFF:
        say(out, "off", entry->reason, end_of_off(t, entry));
        return true;
    case PERI_ENTRY_REPLACED:
        say(out, "replaced", entry->reason, (peri_str){0});
        return true;
    case PERI_ENTRY_DUPLICATE:
    case PERI_ENTRY_INVALID:
        out->last_error = entry->reason;
        say(out, "failed to load", entry->reason,
            text(t, "mend it, then: perilune check %.*s", PERI_FMT(entry->file)));
        return true;
    case PERI_ENTRY_UNTRUSTED:
        say(out, "waiting for trust",
            text(t, "nobody has agreed to what %.*s holds now", PERI_FMT(entry->file)),
            PERI_STR("perilune trust shows it and asks"));
        return true;
    case PERI_ENTRY_ACTIVE:
        break;
    }
    return false;
}

// ---- Armed, and kept from running

static peri_str time_text(telling *t, int64_t wall_ms) {
    peri_buf room;
    peri_buf_init(&room, 64);
    peri_time_format(&room, wall_ms);
    peri_str copy = peri_arena_copy(&t->arena, peri_str_sub(peri_buf_str(&room), 0, 19));
    peri_buf_deinit(&room);
    return copy; // 2026-11-30T10:00:04
}

// What the picked pairing tells; false if it is well.
static bool from_pairing(telling *t, const host_history *h, peri_observer_state *out) {
    peri_str name = out->name;
    out->since_wall_ms = h->since_wall_ms;
    out->until_wall_ms = h->until_wall_ms;
    switch (h->fate) {
    case HOST_FATE_DENIED:
        say(out, "denied", h->cause,
            text(t,
                 "perilune gate --agent main --observer %.*s shows the rule; once it is gone: "
                 "perilune enable %.*s",
                 PERI_FMT(name), PERI_FMT(name)));
        return true;
    case HOST_FATE_STOPPED:
        say(out, "stopped by user", PERI_STR("perilune stop was called"),
            PERI_STR("nothing takes a stop back; sessions that begin later are watched"));
        return true;
    case HOST_FATE_DISABLED:
        say(out, "disabled after failures",
            text(t, "three runs in a row failed, the last with: %.*s", PERI_FMT(h->cause)),
            PERI_STR("mend it, then: perilune check FILE; the next session arms it again"));
        return true;
    case HOST_FATE_OUT_OF_BUDGET:
        say(out, "out of budget", h->cause,
            h->until_wall_ms ? text(t, "it goes on by itself at %.*s UTC, or raise limits.day",
                                    PERI_FMT(time_text(t, h->until_wall_ms)))
                             : PERI_STR("raise limits.session, or begin a new session"));
        return true;
    case HOST_FATE_COOLING_DOWN:
        say(out, "cooling down", h->cause,
            text(t, "it goes on by itself at %.*s UTC",
                 PERI_FMT(time_text(t, h->until_wall_ms))));
        return true;
    case HOST_FATE_BEHIND:
        say(out, "behind",
            text(t, "a run has not ended: %llu wakes could not be met since, %llu events wait",
                 number(h->overdue), number(h->waiting)),
            PERI_STR("wait for its run or the gate's hooks to end; timeout_ms bounds a run"));
        return true;
    case HOST_FATE_WELL:
        break;
    }
    out->until_wall_ms = 0;
    return false;
}

// ---- Free to run

static void never_triggered(telling *t, const host_history *h, peri_observer_state *out) {
    peri_str cause = PERI_STR("no agent that it watches was seen");
    if (h->heard) {
        cause =
            text(t, "armed, but none of %llu events was what it waits for", number(h->heard));
    } else if (h->paired) {
        cause = PERI_STR("armed, and its agent has done nothing yet");
    }
    say(out, "never triggered", cause,
        PERI_STR("perilune replay PATH tries it on a recording"));
}

static bool from_sources(telling *t, const host_history *h, peri_observer_state *out) {
    if (t->unrecognised_wall_ms && t->unrecognised_wall_ms >= h->digest_wall_ms) {
        out->since_wall_ms = t->unrecognised_wall_ms;
        say(out, "format not recognised", t->unrecognised,
            PERI_STR("name its --dialect, or update perilune"));
        return true;
    }
    if (!t->lag.files || !h->paired) return false;
    out->since_wall_ms = t->lag.since_wall_ms;
    say(out, "behind",
        text(t, "%llu bytes of %llu followed files are not read yet", number(t->lag.bytes),
             number(t->lag.files)),
        t->watched ? PERI_STR("a perilune runs but does not read: end it and start it again")
                   : PERI_STR("no perilune runs: start perilune run --follow again"));
    return true;
}

static void from_runs(telling *t, const peri_entry *entry, const host_history *h,
                      peri_observer_state *out) {
    const peri_observer *def = entry ? entry->observer : NULL;
    char room[32];
    bool needs_model =
        def && def->runtime == PERI_RUN_MODEL && !def->has_wake && !def->has_lua_form;
    out->since_wall_ms = h->since_wall_ms;
    if (needs_model || (h->no_runtime && !h->silent && !h->proposed)) {
        say(out, "no runtime",
            text(t, "it was woken %s, and nothing here could run it: it wants %s",
                 times(h->no_runtime, room),
                 def && def->runtime == PERI_RUN_MODEL ? "a model" : "its program"),
            text(t, "give it a Lua form, or: perilune disable %.*s", PERI_FMT(out->name)));
    } else if (from_sources(t, h, out)) {
        return;
    } else if (h->runs == 0) {
        never_triggered(t, h, out);
    } else if (h->proposed == 0) {
        say(out, "healthy and silent",
            text(t, "ran %s, proposed nothing", times(h->runs, room)), (peri_str){0});
    } else {
        say(out, "healthy",
            text(t, "ran %s, proposed %llu", times(h->runs, room), number(h->proposed)),
            (peri_str){0});
    }
}

// ---- All of them

static peri_str waits_for(telling *t, const peri_observer *def) {
    peri_buf words;
    peri_buf_init(&words, 1024);
    for (int i = 0; i < PERI_TRIGGER_COUNT; i++) {
        if (!(def->triggers >> i & 1)) continue;
        if (words.len) peri_buf_add_c(&words, ", ");
        peri_buf_add(&words, peri_trigger_word((peri_trigger)i));
    }
    peri_str copy = peri_arena_copy(&t->arena, peri_buf_str(&words));
    peri_buf_deinit(&words);
    return copy;
}

static peri_str model_of(const peri_observer *def) {
    if (def->runtime == PERI_RUN_LUA) return PERI_STR("lua");
    if (def->runtime == PERI_RUN_COMMAND) return PERI_STR("command");
    return def->model.len ? def->model : PERI_STR("the default model");
}

static void take_counts(const host_history *h, peri_observer_state *out) {
    out->runs = h->runs;
    out->silent = h->silent;
    out->skipped = h->skipped;
    out->no_runtime = h->no_runtime;
    out->failures = h->failures;
    out->proposed = h->proposed;
    out->delivered = h->delivered;
    out->deferred = h->deferred;
    out->dropped = h->dropped;
    out->tokens = h->tokens;
    out->heard = h->heard;
    out->lag = h->lag;
    out->last_drop = h->last_drop;
    out->last_error = h->last_error;
    out->digest_step = h->digest_step;
    out->digest_wall_ms = h->digest_wall_ms;
    out->sessions = h->live_count;
    out->alike = h->live ? h->same_count : 0;
    out->drops = h->drops;
    out->drop_count = h->drop_count;
}

// `entry` is NULL for an observer that agents' definitions name.
static int tell_one(telling *t, const peri_entry *entry, peri_str name) {
    peri_arena_reset(&t->arena);
    peri_observer_state state = {
        .struct_size = sizeof state,
        .name = name.len ? name : entry->file,
        .layer = entry ? entry->layer : PERI_STR("named by an agent"),
    };
    host_history h;
    bool in_use = !entry || entry->state <= PERI_ENTRY_OFF;
    int status = host_history_read(&t->reading, in_use ? name : (peri_str){0}, &h);
    if (status == PERI_ENOMEM) return status;
    take_counts(&h, &state);
    if (entry && entry->observer) {
        state.model = model_of(entry->observer);
        state.waits_for = waits_for(t, entry->observer);
        state.shadow = entry->observer->shadow;
    }
    bool kept = entry && from_entry(t, entry, &state);
    if (!kept && !from_pairing(t, &h, &state)) from_runs(t, entry, &h, &state);
    t->fn(t->user, &state);
    return PERI_OK;
}

typedef struct name_list {
    peri_arena arena;
    const host_layers *layers;
    peri_str names[HOST_MAX_OBSERVERS];
    size_t count;
} name_list;

// Kept until the query has ended: what is told of them asks the same ledger.
static void keep_named(void *user, peri_str name) {
    name_list *list = user;
    for (size_t i = 0; i < list->layers->count; i++) {
        if (peri_str_eq(list->layers->entries[i].name, name)) return;
    }
    if (list->count == HOST_MAX_OBSERVERS) return;
    list->names[list->count++] = peri_arena_copy(&list->arena, name);
}

static int tell_named(telling *t) {
    if (!t->reading.ledger) return PERI_OK;
    name_list *list = calloc(1, sizeof *list);
    if (!list) return PERI_ENOMEM;
    peri_arena_init(&list->arena, ARENA_BYTES);
    list->layers = &t->host->layers;
    int status = peri_ledger_observers(t->reading.ledger, keep_named, list);
    for (size_t i = 0; i < list->count && status != PERI_ENOMEM; i++) {
        status = tell_one(t, NULL, list->names[i]);
    }
    peri_arena_deinit(&list->arena);
    free(list);
    return status;
}

// ---- Who works on the ledger

typedef struct peer_telling {
    const telling *t;
    peri_peer_fn fn;
    void *user;
} peer_telling;

static bool is_alive(const telling *t, const peri_host_row *row) {
    uint64_t claim = (uint64_t)row->id;
    return claim == t->host->claim || peri_claims_is_held(&t->reading.claims, claim);
}

static void tell_peer(void *user, const peri_host_row *row) {
    const peer_telling *p = user;
    const peri_peer peer = {
        .struct_size = sizeof peer,
        .pid = row->pid,
        .started_wall_ms = row->started_wall_ms,
        .told_wall_ms = row->at_wall_ms,
        .alive = !row->ended && is_alive(p->t, row),
        .ended = row->ended,
        .text = row->text,
        .json = row->status,
    };
    p->fn(p->user, &peer);
}

static void see_alive(void *user, const peri_peer *peer) {
    ((telling *)user)->watched |= peer->alive;
}

static int each_peer(const telling *t, peri_peer_fn fn, void *user) {
    peer_telling p = {t, fn, user};
    if (!t->reading.ledger) return PERI_OK;
    return peri_ledger_hosts(t->reading.ledger, PEERS, tell_peer, &p);
}

int peri_host_peers(peri_host *host, peri_peer_fn fn, void *user) {
    HOST_CHECK(host);
    telling t;
    open_reading(&t, host);
    int status = each_peer(&t, fn, user);
    close_reading(&t);
    return status == PERI_ENOMEM ? status : PERI_OK;
}

int peri_host_source_lag(peri_host *host, peri_source_lag *out) {
    HOST_CHECK(host);
    telling t;
    open_reading(&t, host);
    int status = host_source_lag(host, t.reading.ledger, out);
    close_reading(&t);
    return status == PERI_ENOMEM ? status : PERI_OK;
}

int peri_host_observer_states(peri_host *host, peri_observer_state_fn fn, void *user) {
    HOST_CHECK(host);
    telling t;
    open_reading(&t, host);
    t.fn = fn;
    t.user = user;
    int status = PERI_OK;
    if (t.reading.ledger) { // whatever of it cannot be read is not told
        (void)!peri_ledger_last_warning(t.reading.ledger, PERI_STR("format-not-recognised"),
                                        &t.warned, &t.unrecognised, &t.unrecognised_wall_ms);
        (void)!host_source_lag(host, t.reading.ledger, &t.lag);
        (void)!each_peer(&t, see_alive, &t);
    }
    for (size_t i = 0; i < host->layers.count && status == PERI_OK; i++) {
        status = tell_one(&t, &host->layers.entries[i], host->layers.entries[i].name);
    }
    if (status == PERI_OK) status = tell_named(&t);
    close_reading(&t);
    return status == PERI_ENOMEM ? status : PERI_OK;
}

peri_str peri_host_switched_off(const peri_host *host) {
    if (!host || host->no_observers) return (peri_str){0};
    if (host->switched_off) return peri_str_c(host->switched_off);
    if (!host->config.observers_enabled) return peri_str_c(host->config.off_by);
    bool on = host->agents.count > 0; // a definition may name one that no layer has
    for (size_t i = 0; i < host->layers.count; i++) {
        on |= host->layers.entries[i].state == PERI_ENTRY_ACTIVE;
    }
    return on || !host->layers.count
               ? (peri_str){0}
               : PERI_STR("each by itself; `perilune observers` says why");
}
