// What outlives a host (spec CC-6): an observer's task, state and place in the agent's activity
// are stored with every batch, the user's stops when they are made. A host that starts again on
// the same ledger reads them when it arms, so that nothing is digested twice, no id is given
// twice, and an observer that was stopped stays so. Called by host/admit/pairing.c and
// host/run/runs.c.
#include <stdio.h>
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/told/told.h"
#include "host/written/written.h"
#include "ledger/pairing_state.h"

enum { PATH_BYTES = 4096 };

static peri_pairing_row key_of(const peri_pairing *pairing) {
    return (peri_pairing_row){.session = pairing->agent->session->id,
                              .agent = pairing->agent->key,
                              .observer = pairing->observer->name};
}

static bool is_state(peri_str word, peri_pairing_state state) {
    return peri_str_eq(word, peri_pairing_state_word(state));
}

static void take_task(peri_pairing *pairing, peri_str task_id) {
    if (task_id.len >= sizeof pairing->task_id) return;
    memcpy(pairing->task_id, task_id.ptr, task_id.len);
    pairing->task_id[task_id.len] = '\0';
}

void host_resume_anew(peri_host *host, peri_pairing *pairing) {
    peri_pairing_renew(pairing, peri_random_next(&host->random));
    peri_try_own(&pairing->saved_state, (peri_str){0});
    peri_try_own(&pairing->transcript, (peri_str){0});
    pairing->note_due = true;
}

static bool is_gone(peri_str transcript) {
    char path[PATH_BYTES];
    if (!transcript.len || transcript.len >= sizeof path) return false;
    snprintf(path, sizeof path, "%.*s", PERI_FMT(transcript));
    return peri_path_type_of(path) != PERI_PATH_FILE;
}

// What no agent's going on changes: the user's stop, and a denial
// that the user has not taken back.
static void take_state(peri_host *host, peri_pairing *pairing, const peri_pairing_row *row) {
    int changed = 0;
    pairing->since_wall_ms = row->since_wall_ms;
    if (is_state(row->state, PERI_PAIRING_STOPPED)) {
        changed = host_pairing_move(host, pairing, PERI_CAUSE_USER_STOP);
    } else if (is_state(row->state, PERI_PAIRING_DENIED)) {
        changed = host_pairing_move(host, pairing, PERI_CAUSE_GATE);
    }
    if (changed <= 0 || host_enabled(host, pairing)) return;
    bool stopped = pairing->state == PERI_PAIRING_STOPPED;
    host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                      stopped ? peri_cause_word(PERI_CAUSE_USER_STOP)
                              : PERI_STR("denied before this host began; perilune enable NAME "
                                         "arms it again"),
                      NULL);
    pairing->since_wall_ms = row->since_wall_ms;
}

static void take_row(peri_host *host, peri_pairing *pairing, const peri_pairing_row *row) {
    pairing->armed_wall_ms = row->armed_wall_ms;
    pairing->mode = row->mode < PERI_PERMISSION_MODE_COUNT ? (int)row->mode : -1;
    if (pairing->mode == PERI_PERMISSION_BYPASS) pairing->mode = PERI_PERMISSION_DEFAULT;
    pairing->counts.digests = row->digests; // so that ids go on where they were
    pairing->counts.proposed = row->proposed;
    pairing->seen = row->seen;
    pairing->seen_cursor = row->cursor;
    pairing->seen_first = row->first;
    if (!row->saved_state.ptr || is_gone(row->transcript)) {
        host_resume_anew(host, pairing);
    } else {
        peri_try_own(&pairing->saved_state, row->saved_state);
        peri_try_own(&pairing->transcript, row->transcript);
        take_task(pairing, row->task_id);
    }
    take_state(host, pairing, row);
}

void host_resume(peri_host *host, peri_pairing *pairing) {
    pairing->armed_wall_ms = host_wall_ms(host);
    if (!host->ledger || host->mode == PERI_MODE_REPLAY) return;
    // What begins now begins behind the stop, though that was made while the clock was fast.
    int64_t stopped_at = peri_ledger_stopped_at(host->ledger, pairing->observer->name);
    bool is_behind = pairing->armed_wall_ms < stopped_at && stopped_at < INT64_MAX;
    if (is_behind) pairing->armed_wall_ms = stopped_at + 1;
    peri_arena arena;
    peri_arena_init(&arena, 64 * 1024);
    peri_pairing_row row = key_of(pairing);
    if (peri_ledger_get_pairing(host->ledger, &row, &arena) == PERI_OK) {
        take_row(host, pairing, &row);
    }
    peri_arena_deinit(&arena);
}

bool host_enabled(peri_host *host, peri_pairing *pairing) {
    if (pairing->state != PERI_PAIRING_DENIED || !host->ledger) return false;
    int64_t at = peri_ledger_enabled_at(host->ledger, pairing->observer->name);
    if (at <= pairing->since_wall_ms) return false;
    if (host_pairing_move(host, pairing, PERI_CAUSE_USER_ENABLE) <= 0) return false;
    host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                      peri_cause_word(PERI_CAUSE_USER_ENABLE), NULL);
    host_resume_save(host, pairing);
    return true;
}

// ---- References of the client

// Behind the last `byte`; the whole text if there is none.
static size_t behind_last(peri_str text, char byte) {
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != byte) at--;
    return at;
}

// Where the client keeps the observer's own recording: below the observed one's, or beside it.
static char *find_transcript(const peri_source *source, peri_str task_id) {
    peri_str file = source->reader.dialect->observer_file;
    peri_str path = peri_str_c(source->name);
    size_t star = peri_str_find_byte(file, '*', 0), dot = behind_last(path, '.');
    bool is_file = source->from_file || source->followed;
    bool is_name = task_id.len && peri_str_find_byte(task_id, '/', 0) == PERI_NPOS;
    if (!is_file || !is_name || star == PERI_NPOS || !dot) return NULL;
    size_t name = behind_last(peri_str_sub(file, 0, star), '/');
    peri_str stem = peri_str_sub(path, 0, dot - 1);
    peri_str folder = peri_str_sub(path, 0, behind_last(path, '/'));
    char full[PATH_BYTES];
    for (int beside = 0; beside < 2; beside++) {
        size_t from = beside ? name : 0;
        peri_str before = peri_str_sub(file, from, star - from);
        int len = snprintf(full, sizeof full, "%.*s%.*s%.*s%.*s",
                           PERI_FMT(beside ? folder : stem), PERI_FMT(before),
                           PERI_FMT(task_id), PERI_FMT(peri_str_sub(file, star + 1, file.len)));
        bool fits = len > 0 && (size_t)len < sizeof full;
        if (fits && peri_path_type_of(full) == PERI_PATH_FILE) return peri_path_resolve(full);
    }
    return NULL;
}

static void stop_by_client(peri_host *host, peri_pairing *pairing) {
    if (host_pairing_move(host, pairing, PERI_CAUSE_USER_STOP) <= 0) return;
    host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                      peri_cause_word(PERI_CAUSE_USER_STOP), NULL);
}

static void take_reference(peri_host *host, const peri_source *source, peri_pairing *pairing,
                           peri_str task_id) {
    char *transcript = find_transcript(source, task_id);
    bool has_begun = pairing->counts.digests > 0 && !pairing->transcript.len;
    if (transcript) {
        peri_sidecar_facts facts = {0};
        take_task(pairing, task_id);
        peri_try_own(&pairing->transcript, peri_str_c(transcript));
        pairing->note_due = false;
        peri_arena arena;
        peri_arena_init(&arena, 64 * 1024);
        bool told = host_sidecar_read(host, source->reader.dialect, transcript, &arena, &facts);
        if (told && facts.stopped) stop_by_client(host, pairing);
        peri_arena_deinit(&arena);
    } else if (!has_begun &&
               !pairing->note_due) { // it went on as that task, and what that knew is lost
        host_resume_anew(host, pairing);
    }
    free(transcript);
    host_resume_save(host, pairing);
}

void host_resume_reference(peri_host *host, const peri_source *source, const peri_agent *agent,
                           peri_str type, peri_str task_id) {
    for (size_t i = 0; type.len && i < agent->pairing_count; i++) {
        peri_pairing *pairing = agent->pairings[i];
        bool fits = pairing->named && peri_str_eq(pairing->observer->name, type) &&
                    pairing->state == PERI_PAIRING_ARMED;
        if (fits) take_reference(host, source, pairing, task_id);
    }
}

// How far it has read, by this host; until this one has woken it, by the hosts before it. Their
// numbers count on only where the agent's activity begins as it did for them.
static void take_place(const peri_pairing *pairing, peri_pairing_row *row) {
    const host_agent *of = pairing->agent->attached;
    bool same = pairing->seen && of->first == pairing->seen_first;
    row->first = pairing->asked ? of->first : pairing->seen_first;
    row->cursor = pairing->asked || !pairing->seen ? pairing->cursor : pairing->seen_cursor;
    row->seen = pairing->asked;
    if (pairing->seen > row->seen && (same || !pairing->asked)) row->seen = pairing->seen;
}

void host_resume_save(peri_host *host, const peri_pairing *pairing) {
    if (!host->ledger || host->mode == PERI_MODE_REPLAY) return;
    peri_pairing_row row = key_of(pairing);
    row.task_id = peri_str_c(pairing->task_id);
    peri_buf room;
    peri_buf_init(&room, HOST_CLEAN_BYTES);
    row.saved_state = host_scrubbed_json(host, pairing->saved_state, &room);
    if (!row.saved_state.ptr) row.saved_state = PERI_STR("");
    row.transcript = pairing->transcript;
    row.state = peri_pairing_state_word(pairing->state);
    row.since_wall_ms = pairing->since_wall_ms;
    row.armed_wall_ms = pairing->armed_wall_ms;
    row.mode = pairing->mode;
    take_place(pairing, &row);
    row.digests = pairing->counts.digests;
    row.proposed = pairing->counts.proposed;
    if (peri_ledger_put_pairing(host->ledger, &row, host_wall_ms(host)) == PERI_OK) {
        host->ledger_dirty = true;
    }
    peri_buf_deinit(&room);
}

// The user stops an observer for a session: for tasks that begin later, too.
static int64_t watched_since(const peri_pairing *pairing) {
    const peri_agent *first = pairing->agent->session->agents;
    for (size_t i = 0; i < first->pairing_count; i++) {
        const peri_pairing *one = first->pairings[i];
        bool is_earlier = one->armed_wall_ms && one->armed_wall_ms < pairing->armed_wall_ms;
        if (is_earlier && peri_str_eq(one->observer->name, pairing->observer->name)) {
            return one->armed_wall_ms;
        }
    }
    return pairing->armed_wall_ms;
}

bool host_stopped(peri_host *host, peri_pairing *pairing) {
    if (!host->ledger || host->mode == PERI_MODE_REPLAY) return false;
    int64_t at = peri_ledger_stopped_at(host->ledger, pairing->observer->name);
    if (at == 0 || at < watched_since(pairing)) return false;
    if (host_pairing_move(host, pairing, PERI_CAUSE_USER_STOP) > 0) {
        host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                          peri_cause_word(PERI_CAUSE_USER_STOP), NULL);
        host_resume_save(host, pairing);
    }
    return true;
}

// The whole of the agent's activity is read again if it begins as it did; else this is what
// followed, and all of it is new.
bool host_resume_has_seen(const host_work *work) {
    peri_pairing *pairing = work->pairing;
    if (!pairing->seen || pairing->seen_first != work->of->first ||
        work->upto > pairing->seen) {
        return false;
    }
    pairing->cursor = work->upto < pairing->seen_cursor ? work->upto : pairing->seen_cursor;
    return true;
}
