// The queue of work that is due: whoever finds that something is to be done notes it here, and
// core/host.c has it done, one piece a step (host/run/runs.c). Beyond HOST_MAX_WORK what comes
// is dropped and counted.
#include <stdlib.h>

#include "host/admit/admit.h"

static host_work *place(const peri_host *host, size_t at) {
    return &host->work[(host->work_first + at) & (host->work_cap - 1)];
}

static bool has_room(peri_host *host) {
    if (host->work_count < host->work_cap) return true;
    size_t cap = host->work_cap ? host->work_cap * 2 : 64;
    host_work *grown = cap > HOST_MAX_WORK ? NULL : malloc(cap * sizeof *grown);
    if (!grown) { // dropped, and said so
        host->counts.lost++;
        return false;
    }
    for (size_t i = 0; i < host->work_count; i++) {
        grown[i] = *place(host, i);
    }
    free(host->work);
    host->work = grown;
    host->work_cap = cap;
    host->work_first = 0;
    return true;
}

void host_push_work(peri_host *host, host_work work) {
    if (host->warming) { // an earlier run of the program did it
        if (work.kind == WORK_RUN) work.pairing->cursor = work.upto;
        return;
    }
    if (!has_room(host)) return;
    *place(host, host->work_count++) = work;
}

void host_push_work_first(peri_host *host, host_work work) {
    if (!has_room(host)) return;
    host->work_first = (host->work_first - 1) & (host->work_cap - 1);
    *place(host, 0) = work;
    host->work_count++;
}

host_work host_work_now(const host_agent *of, host_work_kind kind) {
    return (host_work){.kind = kind,
                       .of = (host_agent *)of,
                       .upto = of->tap.last_number + 1,
                       .turn_first = of->turn_first,
                       .step = of->stepper.step,
                       .turn = of->stepper.turn};
}

host_work host_take_work(peri_host *host) {
    host_work work = *place(host, 0);
    host->work_first = (host->work_first + 1) & (host->work_cap - 1);
    host->work_count--;
    return work;
}
