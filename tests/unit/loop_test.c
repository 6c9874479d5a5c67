// The loop waits as long as it is told to, and not where nothing could come.
#include "io/loop.h"

#include <poll.h>
#include <sys/resource.h>
#include <time.h>

#include "test.h"

static long long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void pause_ms(long ms) {
    struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

IT("waits the time it is told, also after its owner was busy with something else") {
    peri_loop *loop;
    CHECK_OK(peri_loop_new(&loop));
    peri_loop_run(loop, 1);
    pause_ms(60);
    long long before = now_ms();
    peri_loop_run(loop, 40);
    CHECK(now_ms() - before >= 38);
    peri_loop_free(loop);
}

IT("does not wait for 0, nor without end where nothing could come") {
    peri_loop *loop;
    CHECK_OK(peri_loop_new(&loop));
    peri_loop_run(loop, 0);
    peri_loop_run(loop, -1); // comes back
    CHECK_EQ(peri_loop_timeout_ms(loop), -1);
    peri_loop_free(loop);
    peri_loop_free(NULL);
}

IT("has a descriptor to wait on, quiet while nothing is due") {
    peri_loop *loop;
    CHECK_OK(peri_loop_new(&loop));
    struct pollfd fd = {.fd = peri_loop_fd(loop), .events = POLLIN};
    CHECK(fd.fd >= 0);
    CHECK_EQ(poll(&fd, 1, 0), 0);
    peri_loop_free(loop);
}

IT("fails where too few files may be open, and does not end the process") {
    struct rlimit before, few;
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 5;
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    peri_loop *loop = NULL;
    CHECK_EQ(peri_loop_new(&loop), PERI_EIO);
    CHECK(!loop);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    CHECK_OK(peri_loop_new(&loop));
    peri_loop_free(loop);
}

TEST_MAIN
