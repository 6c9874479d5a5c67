// Observers that run out of time. A session is rid of one after three failures in a row; a
// replay reads many sessions, and each overrun costs it what a runaway script may cost, so that
// it goes on without an observer that had nothing but overruns in several of them. Live, where
// a busy machine may be to blame, only the session counts.
#include "host/run/run.h"
#include "host/told/told.h"

enum { MAX_OVERRUNS = 9 }; // in a row, whatever the session: three sessions' worth of failures
_Static_assert(MAX_OVERRUNS == 3 * PERI_RUN_MAX_FAILURES, "three sessions' worth");

static uint32_t *overruns_of(peri_host *host, const peri_observer *observer) {
    bool replay = host->mode == PERI_MODE_REPLAY;
    bool ours = observer >= host->defs && observer < host->defs + HOST_MAX_OBSERVERS;
    return replay && ours ? &host->overruns[observer - host->defs] : NULL;
}

void host_overrun_note(peri_host *host, const peri_observer *observer, peri_run_state state) {
    uint32_t *overruns = overruns_of(host, observer);
    if (!overruns || *overruns >= MAX_OVERRUNS) return;
    if (state == PERI_RUN_TIMEOUT) {
        ++*overruns;
    } else if (state == PERI_RUN_SILENT || state == PERI_RUN_PROPOSED) {
        *overruns = 0;
    }
}

bool host_overrun_ends(peri_host *host, peri_pairing *pairing) {
    const uint32_t *overruns = overruns_of(host, pairing->observer);
    if (!overruns || *overruns < MAX_OVERRUNS) return false;
    pairing->disabled = true;
    peri_try_own(&pairing->last_error,
                 PERI_STR("it ran out of time in 9 runs in a row, over several sessions"));
    host_pairing_tell(host, pairing, PERI_STR("disabled"), pairing->last_error, NULL);
    return true;
}
