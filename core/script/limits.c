// Allocator, count hook and nesting of limits.h. With the JIT off the hook fires in every loop
// of Lua code; what runs inside C between two instructions is kept short by three rules:
// nothing touches more than the largest live block, so the hook fires the more often the larger
// that is; C functions that loop over more charge steps; C functions that call back are nested
// at most PERI_METER_MAX_NEST deep. Raising here must need no memory: the thrown value is the
// meter's address.
#include "script/limits.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "script/vm.h"

enum {
    INTERVAL_MAX = 1000, // instructions between two looks at the clock
    LARGE_BLOCK_BYTES = 16 * 1024,
    TOUCH_MAX_BYTES = INTERVAL_MAX * LARGE_BLOCK_BYTES, // between two looks, about 10 ms
    WAIT_MOST_TIMES = 20, // of its time, that a call may take while it waits for its processor
};

static void on_count(lua_State *L, lua_Debug *ar);

peri__meter *peri__meter_of(lua_State *L) {
    void *user;
    lua_getallocf(L, &user);
    return user;
}

static void arm(peri__meter *m, uint32_t interval) {
    m->interval = interval;
    lua_sethook(m->L, on_count, LUA_MASKCOUNT, (int)interval);
}

static uint32_t fit_interval(const peri__meter *m) {
    unsigned top = PERI_METER_SIZE_CLASSES - 1;
    while (top > 0 && !m->blocks[top]) top--;
    uint64_t largest = UINT64_C(2) << top;
    if (largest <= LARGE_BLOCK_BYTES) return INTERVAL_MAX;
    return largest >= TOUCH_MAX_BYTES ? 1 : (uint32_t)(TOUCH_MAX_BYTES / largest);
}

static void count_block(peri__meter *m, size_t size, int by) {
    if (size < LARGE_BLOCK_BYTES) return;
    unsigned class = 63 - (unsigned)__builtin_clzll(size);
    if (class >= PERI_METER_SIZE_CLASSES) class = PERI_METER_SIZE_CLASSES - 1;
    m->blocks[class] += (uint32_t)by;
}

static void *refuse(peri__meter *m, int status) {
    if (!m->running) return NULL;
    if (m->stopped == PERI_OK) m->stopped = status;
    arm(m, 1);
    return NULL;
}

// LuaJIT never collects because an allocation failed. So the hook is asked for a full
// collection when three quarters are in use and enough was allocated since the last one to be
// worth it.
static bool wants_collection(const peri__meter *m) {
    return m->memory_bytes > m->max_memory_bytes / 4 * 3 &&
           m->memory_bytes - m->collected_bytes > m->max_memory_bytes / 16;
}

static void account(peri__meter *m, size_t had, size_t want) {
    m->memory_bytes = m->memory_bytes - had + want;
    if (m->memory_bytes < m->collected_bytes) m->collected_bytes = m->memory_bytes;
    count_block(m, had, -1);
    count_block(m, want, 1);
    if (!m->running || want <= had) return;
    if (!m->collect && wants_collection(m)) {
        m->collect = true;
        arm(m, 1);
    } else if (want >= LARGE_BLOCK_BYTES && fit_interval(m) < m->interval) {
        arm(m, fit_interval(m));
    }
}

// lua_newstate() crashes if an allocation fails half-way (LuaJIT 2.1.0-beta3): all it needs,
// about 12 KiB, is in the pool.
static void *take(peri__meter *m, size_t bytes) {
    return m->L ? peri__pool_take(&m->pool, bytes) : peri__pool_cut(&m->pool, bytes);
}

// realloc for blocks inside and outside the pool.
static void *resize(peri__meter *m, void *ptr, size_t had, size_t want) {
    bool pooled = ptr && peri__pool_has(&m->pool, ptr);
    if (pooled && peri__pool_same(had, want)) return ptr;
    void *now = ptr && !pooled ? NULL : take(m, want);
    if (!now) now = realloc(pooled ? NULL : ptr, want);
    if (now && pooled) {
        memcpy(now, ptr, had < want ? had : want);
        peri__pool_give(&m->pool, ptr, had);
    }
    return now;
}

static void give_up(peri__meter *m, void *ptr, size_t had) {
    if (ptr && peri__pool_has(&m->pool, ptr)) {
        peri__pool_give(&m->pool, ptr, had);
    } else {
        free(ptr);
    }
}

void *peri__meter_alloc(void *user, void *ptr, size_t had_bytes, size_t want_bytes) {
    peri__meter *m = user;
    if (want_bytes == 0) {
        give_up(m, ptr, had_bytes);
        account(m, had_bytes, 0);
        return NULL;
    }
    size_t left =
        m->max_memory_bytes > m->memory_bytes ? m->max_memory_bytes - m->memory_bytes : 0;
    if (m->L && want_bytes > had_bytes && want_bytes - had_bytes > left) {
        return refuse(m, PERI_ELIMIT);
    }
    void *now = resize(m, ptr, had_bytes, want_bytes);
    if (!now) return want_bytes > had_bytes ? refuse(m, PERI_ENOMEM) : ptr;
    account(m, had_bytes, want_bytes);
    return now;
}

static int64_t now_ns(clockid_t id) {
    struct timespec now;
    if (clock_gettime(id, &now) != 0) return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// A thread that had to wait for its processor is not late for that: on a busy machine the
// script would pay for what others do. For how long the agent waits there is an end all the
// same. Asking for the thread's time costs more than a short call: a call's first look begins
// to count it.
static bool late(peri__meter *m) {
    if (!m->start_cpu_ns) m->start_cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    int64_t wall = now_ns(CLOCK_MONOTONIC) - m->start_ns;
    if (wall < m->wall_ns) return false;
    return wall >= WAIT_MOST_TIMES * m->wall_ns ||
           now_ns(CLOCK_THREAD_CPUTIME_ID) - m->start_cpu_ns >= m->wall_ns;
}

void peri__meter_begin(peri__meter *m) {
    m->steps = m->pending_steps = 0;
    m->nest = 0;
    m->stopped = PERI_OK;
    m->collect = false;
    m->place[0] = '\0';
    m->start_ns = now_ns(CLOCK_MONOTONIC);
    m->start_cpu_ns = 0;
    m->running = true;
    arm(m, fit_interval(m));
}

// The hook stays: taking it off and putting it on again costs more than setting its count.
void peri__meter_end(peri__meter *m) {
    m->running = false;
    if (m->stopped != PERI_OK) m->tainted = true;
}

bool peri__place_of(lua_State *L, int level, char *out, size_t out_bytes) {
    lua_Debug ar;
    for (; lua_getstack(L, level, &ar); level++) {
        if (!lua_getinfo(L, "Sl", &ar) || ar.currentline <= 0) continue;
        snprintf(out, out_bytes, "%s:%d", ar.short_src, ar.currentline);
        return true;
    }
    return false;
}

static void raise(lua_State *L, peri__meter *m) {
    arm(m, 1);
    lua_pushlightuserdata(L, m);
    lua_error(L);
}

// Charges `steps` and looks at the clock: PERI_OK, or why the call must end.
static int spend(lua_State *L, peri__meter *m, uint64_t steps) {
    m->steps += steps;
    if (m->stopped == PERI_OK && (m->steps > m->max_steps || late(m))) {
        m->stopped = PERI_ETIMEOUT;
        peri__place_of(L, 0, m->place, sizeof m->place);
    }
    return m->stopped;
}

static void on_count(lua_State *L, lua_Debug *ar) {
    (void)ar;
    peri__meter *m = peri__meter_of(L);
    if (!m->running) return;
    if (m->collect && m->stopped == PERI_OK) {
        lua_gc(L, LUA_GCCOLLECT, 0);
        m->collect = false;
        m->collected_bytes = m->memory_bytes;
    }
    if (spend(L, m, m->interval) < 0) raise(L, m);
    uint32_t interval = fit_interval(m);
    if (interval != m->interval) arm(m, interval);
}

int peri_vm_try_tick(lua_State *L, uint64_t steps) {
    peri__meter *m = peri__meter_of(L);
    if (!m->running) return PERI_OK;
    m->pending_steps += steps;
    if (m->pending_steps < m->interval && m->stopped == PERI_OK) return PERI_OK;
    steps = m->pending_steps;
    m->pending_steps = 0;
    return spend(L, m, steps);
}

void peri_vm_tick(lua_State *L, uint64_t steps) {
    if (peri_vm_try_tick(L, steps) < 0) raise(L, peri__meter_of(L));
}

void peri__meter_refuse(lua_State *L) {
    peri__meter *m = peri__meter_of(L);
    if (m->stopped == PERI_OK) m->stopped = PERI_ELIMIT;
    raise(L, m);
}

static void nest(lua_State *L, peri__meter *m) {
    if (m->nest >= PERI_METER_MAX_NEST) luaL_error(L, "C stack overflow");
    m->nest++;
}

void peri_vm_nest(lua_State *L, int nargs, int nresults) {
    peri__meter *m = peri__meter_of(L);
    nest(L, m);
    lua_call(L, nargs, nresults);
    m->nest--;
}

// An error may have jumped over the end of any number of nested calls, and may stand in for a
// raise that found no room on the Lua stack: hence the look at the clock.
static int settle(lua_State *L, peri__meter *m, uint32_t nest_before, int status) {
    m->nest = nest_before;
    if (m->stopped != PERI_OK) raise(L, m);
    if (status > LUA_YIELD) peri_vm_tick(L, m->interval);
    return status;
}

int peri__meter_pcall(lua_State *L, int nargs, int nresults) {
    peri__meter *m = peri__meter_of(L);
    uint32_t before = m->nest;
    nest(L, m);
    return settle(L, m, before, lua_pcall(L, nargs, nresults, 0));
}

int peri__meter_resume(lua_State *L, lua_State *co, int nargs) {
    peri__meter *m = peri__meter_of(L);
    uint32_t before = m->nest;
    nest(L, m);
    return settle(L, m, before, lua_resume(co, nargs));
}
