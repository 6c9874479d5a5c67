// The ring of names.h. Looked through from the newest: a result follows its call closely.
#include "tap/names.h"

#include <stdlib.h>

void peri_names_deinit(peri_names *names) {
    free(names->calls);
    *names = (peri_names){0};
}

static void remember(peri_names *names, uint64_t call, peri_str name) {
    if (!names->calls) names->calls = calloc(PERI_NAMES_CALLS, sizeof *names->calls);
    if (!names->calls) return;
    peri_call_name *slot = &names->calls[names->count++ % PERI_NAMES_CALLS];
    slot->call = call;
    slot->len = (uint8_t)peri_utf8_cut_bytes(name, PERI_NAMES_BYTES);
    memcpy(slot->name, name.ptr, slot->len);
}

static const peri_call_name *find(const peri_names *names, uint64_t call) {
    if (!names->calls) return NULL;
    for (size_t i = 1; i <= PERI_NAMES_CALLS; i++) {
        const peri_call_name *slot =
            &names->calls[(names->count + PERI_NAMES_CALLS - i) % PERI_NAMES_CALLS];
        if (slot->call == call) return slot;
    }
    return NULL;
}

void peri_names_take(peri_names *names, peri_obs *obs) {
    bool answers = obs->kind == PERI_OBS_TOOL_RESULT || obs->kind == PERI_OBS_TOOL_DENIED;
    if (!answers && obs->kind != PERI_OBS_TOOL) return;
    peri_str id = peri_obs_str(obs, PERI_OBS_F_CALL_ID);
    peri_str name = peri_obs_str(obs, PERI_OBS_F_NAME);
    if (!id.len) return;
    uint64_t call = peri_str_hash(id, PERI_HASH_SEED) | 1;
    if (!answers && name.len) remember(names, call, name);
    const peri_call_name *known = answers && !name.len ? find(names, call) : NULL;
    peri_obs_value *value = known ? peri_obs_add(obs, PERI_OBS_F_NAME) : NULL;
    if (value) {
        value->text = peri_text_of(peri_str_of(known->name, known->len),
                                   (peri_text_caps){PERI_NAMES_BYTES, 0});
    }
}
