// What the ledger remembers of one observer, over all its pairings: sums, the latest errors and
// drops, and the one pairing that answers best why it is silent now. That is one of a session
// which a live host observes, the worst off of them; where no host runs, the latest of all.
#include "host/status/history.h"

#include "host/admit/admit.h"

enum { LOOK_BACK_PAIRINGS = 2000, LOOK_BACK_DROPS = 8, ARENA_BYTES = 1024 * 1024 };

static bool is(peri_str text, const char *word) {
    return peri_str_eq(text, peri_str_c(word));
}

// What is worth telling first; a state that was for a time ends by itself.
static host_fate fate_of(const history_reading *r, const peri_standing *s, bool live) {
    bool over = s->until_wall_ms && s->until_wall_ms <= r->now_wall_ms;
    if (is(s->state, "denied")) return HOST_FATE_DENIED;
    if (is(s->state, "stopped")) return HOST_FATE_STOPPED;
    if (is(s->state, "disabled")) return HOST_FATE_DISABLED;
    if (is(s->state, "out-of-budget") && !over && (live || s->until_wall_ms)) {
        return HOST_FATE_OUT_OF_BUDGET;
    }
    if (is(s->state, "cooling-down") && !over) return HOST_FATE_COOLING_DOWN;
    return live && s->overdue && s->items > s->read_to ? HOST_FATE_BEHIND : HOST_FATE_WELL;
}

// An ended host's claims are free; the asker's own are no other's.
static bool is_live(const history_reading *r, const peri_standing *s) {
    if (is(s->state, "retired")) return false;
    return host_observes(r->host, s->session) || host_presence_observes(&r->claims, s->session);
}

static void keep(history_reading *r, peri_str *slot, peri_str text) {
    if (text.len) *slot = peri_arena_copy(r->arena, text);
}

static void pick(history_reading *r, const peri_standing *s, host_fate fate, bool live) {
    host_history *h = r->out;
    h->live_count += live;
    if (h->paired && (live < h->live || (live == h->live && live && fate < h->fate))) return;
    h->same_count = live && h->live && fate == h->fate ? h->same_count + 1 : 1;
    h->live = live;
    h->fate = fate;
    h->since_wall_ms = s->since_wall_ms;
    h->until_wall_ms = s->until_wall_ms;
    h->overdue = s->overdue;
    h->waiting = s->items > s->read_to ? s->items - s->read_to : 0;
    h->cause = (peri_str){0};
    keep(r, &h->cause, s->cause);
    keep(r, &h->session, s->session);
}

static void take_standing(void *user, const peri_standing *s) {
    history_reading *r = user;
    host_history *h = r->out;
    bool live = is_live(r, s);
    host_fate fate = fate_of(r, s, live);
    bool is_fed = live && fate < HOST_FATE_DISABLED; // no other is shown what came since
    pick(r, s, fate, live);
    h->paired = true;
    h->runs += s->runs;
    h->silent += s->silent;
    h->skipped += s->skipped;
    h->no_runtime += s->no_runtime;
    h->failures += s->failures;
    h->proposed += s->proposed;
    h->delivered += s->delivered;
    h->deferred += s->deferred;
    h->dropped += s->dropped;
    h->tokens += s->tokens;
    h->heard += s->items;
    if (is_fed && s->items > s->read_to) h->lag += s->items - s->read_to;
    keep(r, &h->last_error, s->last_error);
    keep(r, &h->last_drop, s->last_drop);
    if (s->digest_wall_ms < h->digest_wall_ms) return;
    h->digest_wall_ms = s->digest_wall_ms;
    h->digest_step = s->digest_step;
}

static void take_drop(void *user, peri_str reason, uint64_t count) {
    history_reading *r = user;
    host_history *h = r->out;
    h->drops[h->drop_count++] =
        (peri_drop_count){.reason = peri_arena_copy(r->arena, reason), .count = count};
}

int host_history_read(history_reading *reading, peri_str observer, host_history *out) {
    *out = (host_history){0};
    if (!reading->ledger || !observer.len) return PERI_OK;
    reading->out = out;
    peri_drop_count *drops = peri_arena_zero(reading->arena, LOOK_BACK_DROPS * sizeof *drops);
    if (!drops) return PERI_ENOMEM;
    out->drops = drops;
    int status = peri_ledger_standings(reading->ledger, observer, LOOK_BACK_PAIRINGS,
                                       take_standing, reading);
    if (status < 0) return status;
    return peri_ledger_drops(reading->ledger, observer, LOOK_BACK_DROPS, take_drop, reading);
}
