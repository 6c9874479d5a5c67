// Writes turns down as a scene: the Lua table that the test kit (lua/perilune/scenes.lua) reads
// back to turns an observer is shown.
#ifndef PERI_CLI_SCENE_H
#define PERI_CLI_SCENE_H

#include "base/buf.h"
#include "model/turn.h"
#include "perilune/host.h"

typedef struct scene {
    peri_host *host; // whose config says which secrets are replaced; borrowed
    peri_buf text;   // the entries so far
    peri_buf tail;   // what ends the table, as of the last step
    peri_buf room;
    peri_usage usage;   // that was written last
    bool called;        // the step before had a call
    uint32_t turn;      // of the first step; 0: nothing was written yet
    uint32_t last_turn; // of the last one
    size_t steps;
} scene;

void scene_init(scene *s, peri_host *host);
void scene_deinit(scene *s);

/// Forgets what was written: the scene begins with the next step.
void scene_clear(scene *s);

/// Appends one step, as `turn_end` shows it. Whether memory sufficed is the buffers' status.
void scene_add(scene *s, const peri_turn *turn);

/// Appends all of it to `out`, as a Lua file.
void scene_write(const scene *s, peri_str about, peri_buf *out);

#endif
