// The budget of one call and the memory of one state. Whatever ends a call here is sticky: it
// is raised again at the next instruction and by every function of the sandbox that could catch
// it, until the call is over (cases C46, C47, C49).
#ifndef PERI_SCRIPT_LIMITS_H
#define PERI_SCRIPT_LIMITS_H

#include <lua.h>

#include "base/str.h"
#include "script/pool.h"

enum {
    PERI_METER_MAX_NEST = 128, // C functions that call Lua inside each other
    PERI_METER_PLACE_BYTES = 96,
    PERI_METER_SIZE_CLASSES = 48,
};

typedef struct peri__meter {
    lua_State *L; // NULL until the state stands
    size_t memory_bytes, max_memory_bytes;
    size_t collected_bytes; // what the last forced collection, or the script itself, left
    uint32_t blocks[PERI_METER_SIZE_CLASSES]; // live large blocks, by log2 of their size
    uint64_t steps, max_steps;                // of this call
    uint64_t pending_steps;                   // charged by C functions, clock not looked at yet
    uint32_t interval;                        // instructions until the hook fires
    int64_t start_ns, start_cpu_ns, wall_ns;
    uint32_t nest;
    int stopped; // PERI_OK, or why this call must end
    bool running, tainted, collect;
    char place[PERI_METER_PLACE_BYTES]; // "FILE:LINE" where the time was used up
    peri__pool pool;
} peri__meter;

/// The allocator of the state; `user` is the meter.
void *peri__meter_alloc(void *user, void *ptr, size_t had_bytes, size_t want_bytes);

/// Around every call into the state.
void peri__meter_begin(peri__meter *meter);
void peri__meter_end(peri__meter *meter);

peri__meter *peri__meter_of(lua_State *L);

/// Ends the call as if the allocator had refused. Does not return.
void peri__meter_refuse(lua_State *L);

/// lua_pcall without a handler for functions of the sandbox: comes back only while the call may
/// go on.
int peri__meter_pcall(lua_State *L, int nargs, int nresults);

/// lua_resume in the same way. `co` must be suspended.
int peri__meter_resume(lua_State *L, lua_State *co, int nargs);

/// "FILE:LINE" of the innermost Lua function at or above `level`; false if there is none.
bool peri__place_of(lua_State *L, int level, char *out, size_t out_bytes);

#endif
