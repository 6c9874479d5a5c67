// libuv behind loop.h. Waiting with an end is a timer that stops the loop.
#include "io/loop.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/loop_uv.h"

enum { LOOP_PIPES = 4 }; // as many descriptors as it takes, in pairs

struct peri_loop {
    uv_loop_t uv;
    uv_timer_t wait;
};

uv_loop_t *peri__loop_uv(peri_loop *loop) {
    return &loop->uv;
}

// libuv ends the process where it gets no descriptors for its signals' pipe: so it is asked
// only where there are enough for all it opens.
static bool have_descriptors(void) {
    int ends[LOOP_PIPES][2], count = 0;
    while (count < LOOP_PIPES && pipe2(ends[count], O_CLOEXEC) == 0) count++;
    bool enough = count == LOOP_PIPES;
    while (count > 0) {
        count--;
        close(ends[count][0]);
        close(ends[count][1]);
    }
    return enough;
}

int peri_loop_new(peri_loop **out) {
    if (!have_descriptors()) return PERI_EIO;
    peri_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return PERI_ENOMEM;
    int error = uv_loop_init(&loop->uv);
    if (error) {
        free(loop);
        return error == UV_ENOMEM ? PERI_ENOMEM : PERI_EIO;
    }
    uv_timer_init(&loop->uv, &loop->wait);
    *out = loop;
    return PERI_OK;
}

void peri_loop_free(peri_loop *loop) {
    if (!loop) return;
    uv_close((uv_handle_t *)&loop->wait, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT); // lets the close finish
    uv_loop_close(&loop->uv);
    free(loop);
}

static void on_wait_over(uv_timer_t *timer) {
    uv_stop(timer->loop);
}

void peri_loop_run(peri_loop *loop, int timeout_ms) {
    if (timeout_ms == 0) {
        uv_run(&loop->uv, UV_RUN_NOWAIT);
        return;
    }
    uv_update_time(&loop->uv); // a timer counts from the loop's idea of now
    if (timeout_ms > 0) uv_timer_start(&loop->wait, on_wait_over, (uint64_t)timeout_ms, 0);
    uv_run(&loop->uv, UV_RUN_ONCE);
    uv_timer_stop(&loop->wait);
}

int peri_loop_fd(const peri_loop *loop) {
    return uv_backend_fd(&loop->uv);
}

int peri_loop_timeout_ms(const peri_loop *loop) {
    if (!uv_loop_alive(&loop->uv)) return -1; // libuv says 0: it would not wait
    return uv_backend_timeout(&loop->uv);
}
