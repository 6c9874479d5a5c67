// One piece of work at a time: an observer's run on its digest, the judging of a batch, a
// window that opens. What is refused on the way is ruled on like everything else: with a
// reason.
#include <sodium.h>
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/run/run.h"
#include "host/told/told.h"
#include "host/written/written.h"

enum { EXCERPT_BYTES = 4096, HASH_BYTES = 16 };

// ---- digest
// ---------------------------------------------------------------------------------------

static peri_str agent_name(const peri_agent *agent) {
    return agent->name.len ? agent->name : agent->key;
}

static peri_turn turn_of(const peri_host *host, const host_work *work) {
    const host_agent *of = work->of;
    peri_turn turn = {
        .session = of->agent->session->id,
        .agent = of->agent->key,
        .agent_name = agent_name(of->agent),
        .cwd = of->agent->cwd,
        .trigger = work->trigger,
        .step = work->step,
        .turn = work->turn,
        .last_user = of->last_user_at < work->upto ? of->last_user : of->user_before,
        .usage = peri_meter_total(&of->meter),
        .last_usage = of->meter.last,
        .ending = work->ending,
        .memory = host->recall.memory,
        .memory_count = host->recall.memory_count,
        .skills = host->recall.skills,
        .skill_count = host->recall.skill_count,
    };
    const peri_goal *goal = &host->config.goal;
    if (goal->text.ptr || goal->item_count) turn.goal = goal;
    turn.items = peri_tap_range(&of->tap, work->pairing->cursor, work->upto, &turn.item_count,
                                &turn.dropped_count);
    turn.log = peri_tap_range(&of->tap, work->turn_first, work->upto, &turn.log_count,
                              &turn.log_dropped_count);
    while (turn.log_count && turn.log[0]->turn < work->turn) { // of the turn before
        turn.log++;
        turn.log_count--;
    }
    return turn;
}

// observeToolResults is false: whatever way the observer looks
// at the turn, results are not in it.
static int hide_results(peri_arena *arena, const peri_item *const **items, size_t *count) {
    const peri_item **kept = peri_arena_alloc(arena, (*count + 1) * sizeof *kept);
    size_t left = 0;
    if (!kept) return PERI_ENOMEM;
    for (size_t i = 0; i < *count; i++) {
        if ((*items)[i]->kind != PERI_ITEM_TOOL_RESULT) kept[left++] = (*items)[i];
    }
    *items = kept;
    *count = left;
    return PERI_OK;
}

static int fit_turn(peri_host *host, const peri_observer *observer, peri_turn *turn) {
    if (!observer->no_results) return PERI_OK;
    int status = hide_results(&host->run_arena, &turn->items, &turn->item_count);
    return status < 0 ? status : hide_results(&host->run_arena, &turn->log, &turn->log_count);
}

static void hex(char *to, const unsigned char *from, size_t count) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = digits[from[i] >> 4];
        to[2 * i + 1] = digits[from[i] & 15];
    }
}

static void record_digest(peri_host *host, const host_work *work, peri_str id) {
    peri_str text = peri_buf_str(&host->digest);
    unsigned char hash[HASH_BYTES];
    char name[2 * HASH_BYTES + 1];
    // BLAKE2b: a quarter of SHA-256's instructions, which were a fifth of a replay's.
    crypto_generichash(hash, sizeof hash, (const unsigned char *)text.ptr, text.len, NULL, 0);
    hex(name, hash, HASH_BYTES);
    peri_record record = host_record_of(PERI_RECORD_DIGEST, work);
    record.id = id;
    record.observer = work->pairing->observer->name;
    record.trigger = peri_trigger_word(work->trigger);
    record.state = peri_layout_word(work->pairing->observer->layout);
    record.text = peri_str_sub(text, 0, peri_utf8_cut_bytes(text, EXCERPT_BYTES));
    record.hash = peri_str_of(name, 2 * HASH_BYTES);
    record.count = text.len;
    host_record(host, &record);
}

static peri_outcome outcome_of(const peri_pairing *pairing) {
    const peri_str *last = pairing->last;
    return (peri_outcome){.text = last[PERI_LAST_TEXT],
                          .fingerprint = last[PERI_LAST_FINGERPRINT],
                          .verdict = last[PERI_LAST_VERDICT],
                          .lane = last[PERI_LAST_LANE],
                          .reason = last[PERI_LAST_REASON],
                          .state = last[PERI_LAST_STATE]};
}

static const char recovery_note[] =
    "Recovery note: what you had noted before is lost. You begin anew here, in the middle of the "
    "agent's work.\n\n";

// Frames what the pairing has not seen yet into host->digest.
static int make_digest(peri_host *host, const host_work *work, const peri_turn *turn) {
    const peri_observer *observer = work->pairing->observer;
    char nonce[PERI_NONCE_LEN];
    peri_random_token(&host->random, nonce, sizeof nonce);
    peri_digest_options options = {
        .layout = observer->layout,
        .name = turn->agent_name,
        .nonce = peri_str_of(nonce, sizeof nonce),
        .message = observer->message,
        .no_results = observer->no_results,
        .scrub = host->config.scrub && !observer->unscrubbed ? host->scrub : NULL,
    };
    if (work->pairing->last_due) options.last = outcome_of(work->pairing);
    peri_buf_clear(&host->digest);
    if (work->pairing->note_due) peri_buf_add_c(&host->digest, recovery_note);
    work->pairing->note_due = false;
    int status = peri_digest_write(&options, turn, observer, &host->digest, NULL);
    if (host->digest.len) work->pairing->last_due = false;
    return status;
}

// ---- run
// ------------------------------------------------------------------------------------------

static void strike(peri_host *host, peri_pairing *pairing, peri_str error) {
    host->counts.failed_runs++;
    pairing->counts.failed++;
    peri_try_own(&pairing->last_error, error);
    if (++pairing->failures < PERI_RUN_MAX_FAILURES || pairing->disabled) return;
    pairing->disabled = true;
    host_pairing_tell(host, pairing, PERI_STR("disabled"), pairing->last_error, NULL);
    host_logf(host, "warning", "observer %.*s is disabled after %u failures in a row: %.*s",
              PERI_FMT(pairing->observer->name), pairing->failures,
              PERI_FMT(pairing->last_error));
}

static void record_run(peri_host *host, const host_work *work, peri_str id,
                       const peri_run_result *result) {
    peri_record record = host_record_of(PERI_RECORD_RUN, work);
    record.id = id;
    record.observer = work->pairing->observer->name;
    record.trigger = peri_trigger_word(work->trigger);
    record.state = peri_run_state_word(result->state);
    record.text = result->error;
    record.count = work->pairing->failures;
    host_record(host, &record);
}

static const peri_proposal *propose(peri_host *host, const host_work *work,
                                    peri_run_result *result) {
    const peri_proposal *proposal = NULL;
    const char *reason;
    int status = host_propose(host, work, &result->draft, &proposal, &reason);
    if (status < 0) {
        result->state = status == PERI_EDENIED ? PERI_RUN_SKIPPED : PERI_RUN_FAILED;
        result->error = peri_str_c(reason);
    }
    return proposal;
}

static void settle_run(peri_host *host, const host_work *work, peri_str id,
                       peri_run_result *result) {
    peri_pairing *pairing = work->pairing;
    const peri_proposal *proposal = NULL;
    if (result->state == PERI_RUN_PROPOSED) proposal = propose(host, work, result);
    if (result->saved_state.ptr) peri_try_own(&pairing->saved_state, result->saved_state);
    pairing->counts.runs++;
    pairing->counts.silent += result->state == PERI_RUN_SILENT;
    pairing->counts.skipped += result->state == PERI_RUN_SKIPPED;
    pairing->counts.no_runtime += result->state == PERI_RUN_NO_RUNTIME;
    bool failed = result->state == PERI_RUN_FAILED || result->state == PERI_RUN_TIMEOUT;
    host_overrun_note(host, pairing->observer, result->state);
    bool unheard = result->state == PERI_RUN_SKIPPED || result->state == PERI_RUN_ABANDONED;
    if (failed) {
        strike(host, pairing, result->error);
    } else if (!unheard) {
        pairing->failures = 0;
    }
    record_run(host, work, id, result);
    if (proposal) host_record_proposal(host, work, proposal);
    if (result->wait_until_wall_ms > host_wall_ms(host)) {
        pairing->wait_until_wall_ms = result->wait_until_wall_ms;
        pairing->wait_since_wall_ms = host_wall_ms(host);
        host_pairing_tell(host, pairing, PERI_STR("cooling-down"), result->error, NULL);
    }
    if (!unheard) pairing->cursor = work->upto;
    host_standing_touch(host, pairing);
    host_resume_save(host, pairing);
}

// A Markdown observer without a line of Lua, where no model runs: it costs nothing.
static bool has_no_runtime(const peri_host *host, const peri_observer *observer) {
    return observer->runtime == PERI_RUN_MODEL && !observer->has_wake &&
           !observer->has_lua_form && !host->watching;
}

// One run at a time (spec PI-6): its activity stays in the tap for a later one.
static void miss(peri_host *host, const host_work *work) {
    peri_pairing *pairing = work->pairing;
    host_run *run = pairing->run;
    pairing->counts.missed++;
    pairing->overdue++;
    host_standing_touch(host, pairing);
    run->kicked = true;
    run->again = *work;
}

// What is due once a run has ended that outlasted its wake. In a replay the batch of its
// trigger still waits for it.
static void follow(peri_host *host, const host_run *run) {
    host_agent *of = run->work.of;
    if (host->mode == PERI_MODE_LIVE && of->fresh_count) {
        host_work batch = run->work;
        batch.kind = WORK_BATCH;
        batch.late = of->phase == PERI_PHASE_SETTLED || batch.turn != of->stepper.turn;
        host_push_work(host, batch);
    }
    if (run->kicked && run->work.pairing->named) {
        host_work again = run->again;
        host_push_work(host, again);
        again.kind = WORK_BATCH;
        host_push_work(host, again);
    }
    host_end_if_idle(host, of);
}

// Its state is lost, and only that (spec CC-10): a fresh task is shown the same batch with a
// note in front, once. The user's stop and the gate are asked about that as about any other
// batch.
static void begin_anew(peri_host *host, const host_run *run) {
    host_work again = run->work;
    peri_pairing *pairing = again.pairing;
    pairing->counts.lost_states++;
    record_run(host, &run->work, peri_str_c(run->id),
               &(peri_run_result){.state = PERI_RUN_LOST});
    host_resume_anew(host, pairing);
    host_resume_save(host, pairing);
    host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                      PERI_STR("what it had noted is lost: a fresh task"), NULL);
    again.again = true;
    host_push_work_first(host, again);
    again.kind = WORK_BATCH;
    if (run->outlasted) host_push_work(host, again);
}

static void end_run(host_run *run, const peri_run_result *result) {
    peri_host *host = run->host;
    peri_pairing *pairing = run->work.pairing;
    peri_run_result own = *result;
    host_run **at = &host->runs;
    while (*at != run) at = &(*at)->next;
    *at = run->next;
    pairing->run = NULL;
    if (run->outlasted) (void)host_stopped(host, pairing); // meanwhile
    if (!peri_pairing_active(pairing) && own.state != PERI_RUN_ABANDONED) {
        own = (peri_run_result){.state = PERI_RUN_ABANDONED,
                                .error = PERI_STR("its observer is not armed any more")};
    }
    if (own.state == PERI_RUN_LOST && run->work.again) {
        own = (peri_run_result){.state = PERI_RUN_FAILED,
                                .error = PERI_STR("its state was lost twice in a row")};
    }
    if (own.state == PERI_RUN_LOST) {
        begin_anew(host, run);
    } else {
        settle_run(host, &run->work, peri_str_c(run->id), &own);
    }
    if (run->outlasted) follow(host, run);
    free((char *)(uintptr_t)run->digest.ptr);
    free(run);
}

// A model's call is asked for before it is made; without it
// the run ends as one nobody could do.
static bool may_call(const host_run *run) {
    peri_pairing *pairing = run->work.pairing;
    if (pairing->observer->runtime != PERI_RUN_MODEL) return true;
    const char *spent = host_spend_try(run->host, run->work.of, PERI_SPEND_MODEL_CALLS, 1);
    if (spent) host_go_without(run->host, pairing, spent);
    return !spent;
}

static peri_run_request request_of(const peri_pairing *pairing, const peri_turn *turn,
                                   peri_str digest) {
    return (peri_run_request){
        .observer = pairing->observer,
        .turn = turn,
        .digest = digest,
        .saved_state = pairing->saved_state,
        .last = outcome_of(pairing),
    };
}

static void on_run_done(void *user, const peri_run_result *result);

// Lua has answered later, from a worker: what it had been asked is put together once more.
static void start_late(host_run *run, const peri_runtime *other) {
    peri_host *host = run->host;
    peri_pairing *pairing = run->work.pairing;
    peri_turn turn = turn_of(host, &run->work);
    peri_run_request request = request_of(pairing, &turn, run->digest);
    other->start(other->user, &request, &host->run_arena, on_run_done, run);
    peri_arena_reset(&host->run_arena);
}

// Lua is asked first: it knows whether a wake() says no, and leaves the rest to the runtime
// that the definition wants. One that could not be asked, which `error` tells, leaves nothing
// to anyone.
static void on_run_done(void *user, const peri_run_result *result) {
    host_run *run = user;
    const peri_runtime *other = run->other;
    run->other = NULL;
    bool left = result->state == PERI_RUN_NO_RUNTIME && !result->error.ptr;
    bool wanted = left && other && other->start && peri_pairing_active(run->work.pairing);
    if (wanted && run->host->abandoned) {
        end_run(run, &(peri_run_result){.state = PERI_RUN_ABANDONED,
                                        .error = PERI_STR("the host is ending")});
    } else if (!wanted || !may_call(run)) {
        end_run(run, result);
    } else if (run->request) {
        other->start(other->user, run->request, &run->host->run_arena, on_run_done, run);
    } else {
        start_late(run, other);
    }
}

static int start_run(peri_host *host, const host_work *work, peri_str id,
                     const peri_run_request *request) {
    const peri_runtime *lua = host_lua_of(host, request->observer);
    peri_runtime_kind kind = request->observer->runtime;
    host_run *run = calloc(1, sizeof *run);
    if (!run) return PERI_ENOMEM;
    *run = (host_run){.next = host->runs, .host = host, .work = *work, .request = request};
    if (kind != PERI_RUN_LUA) run->other = &host->runtimes[kind];
    bool later = lua != &host->runtimes[PERI_RUN_LUA];
    if (later && run->other->start) peri_try_own(&run->digest, request->digest);
    memcpy(run->id, id.ptr, id.len);
    host->runs = run;
    work->pairing->run = run;
    lua->start(lua->user, request, &host->run_arena, on_run_done, run);
    if (work->pairing->run == run) { // it goes on without the request
        run->request = NULL;
        run->outlasted = true;
    }
    peri_arena_reset(&host->run_arena);
    return PERI_OK;
}

void host_runs_abandon(peri_host *host) {
    for (size_t i = 0; i < sizeof host->runtimes / sizeof *host->runtimes; i++) {
        const peri_runtime *runtime = &host->runtimes[i];
        if (runtime->abandon) runtime->abandon(runtime->user);
    }
}

// This batch is lost, the pairing stays armed (spec CC-10).
static void lose_batch(peri_host *host, const host_work *work, int status) {
    work->pairing->cursor = work->upto;
    work->pairing->counts.lost_batches++;
    host->counts.lost++;
    host_logf(host, "error", "a digest for %.*s was dropped: %s",
              PERI_FMT(work->pairing->observer->name), peri_status_message(status));
}

static void tell_armed(peri_host *host, peri_pairing *pairing) {
    host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state), (peri_str){0},
                      NULL);
}

static void look_at_budget(peri_host *host, peri_pairing *pairing) {
    int64_t until = pairing->budget_until_wall_ms;
    if (!pairing->out_of_budget || !until || host_wall_ms(host) < until) return;
    pairing->out_of_budget = false;
    tell_armed(host, pairing);
}

// True while its runtime is to be left alone; its activity waits in the tap. A clock that was
// put back tells nothing of how long that is still to be: the runtime is asked, and may ask for
// it again.
static bool rests(peri_host *host, peri_pairing *pairing) {
    if (!pairing->wait_until_wall_ms) return false;
    int64_t now = host_wall_ms(host);
    if (now >= pairing->wait_since_wall_ms && now < pairing->wait_until_wall_ms) {
        pairing->counts.skipped++;
        return true;
    }
    pairing->wait_until_wall_ms = 0;
    tell_armed(host, pairing);
    return false;
}

// May the observer be woken now? What keeps it from that is counted or told where it is found.
static bool may_wake(peri_host *host, const host_work *work) {
    peri_pairing *pairing = work->pairing;
    const host_session *session = pairing->agent->session->attached;
    if (!peri_pairing_active(pairing) || session->off) return false;
    if (pairing->run) {
        miss(host, work);
        return false;
    }
    if (host_resume_has_seen(work)) {
        host->counts.known_runs++;
        return false;
    }
    if (rests(host, pairing)) return false;
    if (host_overrun_ends(host, pairing)) return false;
    return !host_stopped(host, pairing) && host_admit(host, work);
}

// A wake that is counted and shows the observer nothing: there is nobody to run it, or a
// ceiling is reached.
static bool passes_over(peri_host *host, const host_work *work) {
    peri_pairing *pairing = work->pairing;
    if (has_no_runtime(host, pairing->observer)) {
        pairing->counts.no_runtime++;
        pairing->cursor = work->upto;
        return true;
    }
    look_at_budget(host, pairing);
    const char *spent = host_spend_try(host, work->of, PERI_SPEND_WAKES, 1);
    if (!spent) return false;
    host_go_without(host, pairing, spent);
    pairing->counts.skipped++;
    pairing->cursor = work->upto;
    return true;
}

static void do_run(peri_host *host, const host_work *work) {
    peri_pairing *pairing = work->pairing;
    if (!may_wake(host, work)) return;
    pairing->asked = work->upto;
    host_standing_touch(host, pairing); // whatever comes of it, it is counted
    if (passes_over(host, work)) return;
    peri_turn turn = turn_of(host, work);
    char id[11];
    host_make_id(id, work, "digest", pairing->counts.digests);
    pairing->counts.digests++;
    int status = fit_turn(host, pairing->observer, &turn);
    if (status == PERI_OK) status = make_digest(host, work, &turn);
    if (status < 0) {
        peri_arena_reset(&host->run_arena);
        lose_batch(host, work, status);
        return;
    }
    host->counts.digests++;
    host->counts.runs++;
    pairing->overdue = 0;
    pairing->digest_step = work->step;
    pairing->digest_wall_ms = host_wall_ms(host);
    record_digest(host, work, peri_str_c(id));
    peri_run_request request = request_of(pairing, &turn, peri_buf_str(&host->digest));
    status = start_run(host, work, peri_str_c(id), &request);
    if (status < 0) lose_batch(host, work, status);
}

static void do_end(peri_host *host, const host_work *work) {
    host_agent *of = work->of;
    if (host_is_busy(of->agent)) {
        of->end_due = true;
        return;
    }
    host_drop_deferred(host, work, "the session ended first");
    of->agent->ended = true;
    host_retire(host, of->agent);
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        host_rest(host, of->agent->pairings[i]->observer);
    }
    host_standing_save(host); // of its items, too
    uint64_t last = of->tap.last_number;
    peri_tap_deinit(&of->tap);  // nothing reads it any more
    of->tap.last_number = last; // it may go on: cursors stand behind it
}

void host_do_work(peri_host *host) {
    host_work work = host_take_work(host);
    switch (work.kind) {
    case WORK_RUN:
        do_run(host, &work);
        return;
    case WORK_BATCH:
        host_do_batch(host, &work);
        return;
    case WORK_WINDOW:
        host_do_window(host, &work);
        return;
    case WORK_NOTES:
        host_do_notes(host, &work);
        return;
    case WORK_END:
        do_end(host, &work);
        return;
    }
}
