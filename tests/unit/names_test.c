// core/tap/names.c
#include "tap/names.h"

#include "test.h"

static peri_names names;

static void take(peri_obs *obs, peri_obs_kind kind, const char *id, const char *name) {
    peri_obs_init(obs, kind);
    peri_text_caps caps = {2000, 0};
    if (id) peri_obs_add(obs, PERI_OBS_F_CALL_ID)->text = peri_text_of(peri_str_c(id), caps);
    if (name) peri_obs_add(obs, PERI_OBS_F_NAME)->text = peri_text_of(peri_str_c(name), caps);
    peri_names_take(&names, obs);
}

IT("gives a result and a denial the name of the call they answer") {
    peri_obs obs;
    take(&obs, PERI_OBS_TOOL, "a", "bash");
    take(&obs, PERI_OBS_TOOL, "b", "read");
    take(&obs, PERI_OBS_TOOL_RESULT, "a", NULL);
    CHECK_STR(peri_obs_str(&obs, PERI_OBS_F_NAME), "bash");
    take(&obs, PERI_OBS_TOOL_DENIED, "b", NULL);
    CHECK_STR(peri_obs_str(&obs, PERI_OBS_F_NAME), "read");
    peri_names_deinit(&names);
}

IT("leaves a name that is there, and one that is not known") {
    peri_obs obs;
    take(&obs, PERI_OBS_TOOL_RESULT, "a", NULL);
    CHECK(!peri_obs_get(&obs, PERI_OBS_F_NAME));
    take(&obs, PERI_OBS_TOOL, "a", "bash");
    take(&obs, PERI_OBS_TOOL_RESULT, "a", "other");
    CHECK_STR(peri_obs_str(&obs, PERI_OBS_F_NAME), "other");
    take(&obs, PERI_OBS_TOOL_RESULT, NULL, NULL);
    CHECK(!peri_obs_get(&obs, PERI_OBS_F_NAME));
    peri_names_deinit(&names);
}

IT("forgets the oldest call, cuts a name between two characters") {
    peri_obs obs;
    char id[16], name[80];
    memset(name, 'n', sizeof name);
    memcpy(name + PERI_NAMES_BYTES - 1, "\xC3\xA9", 3);
    for (int i = 0; i <= PERI_NAMES_CALLS; i++) {
        snprintf(id, sizeof id, "c%d", i);
        take(&obs, PERI_OBS_TOOL, id, name);
    }
    take(&obs, PERI_OBS_TOOL_RESULT, "c0", NULL);
    CHECK(!peri_obs_get(&obs, PERI_OBS_F_NAME));
    take(&obs, PERI_OBS_TOOL_RESULT, "c1", NULL);
    CHECK_EQ(peri_obs_str(&obs, PERI_OBS_F_NAME).len, PERI_NAMES_BYTES - 1);
    peri_names_deinit(&names);
}

TEST_MAIN
