// One silent replay of a recording (against_replay.h): what is tried counts alone, so the
// user's config stays out of it. Called by against.c, against_rules.c and against_policy.c.
#include "against_replay.h"

int against_replay(const session_options *options, const char *recording, peri_record_fn hear,
                   void *user) {
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    int code = session_host_options(options, &how);
    if (code != PERI_EXIT_OK) return code;
    how.mode = PERI_MODE_REPLAY;
    how.use_user_config = false;
    how.no_policies = !options->policy;
    peri_host *host;
    int status = peri_host_new(&how, &host);
    if (status < 0) return session_exit_code(status);
    timeline none;
    timeline_init(&none, stdout, false, true, false);
    none.emit = true; // says nothing
    status = peri_host_subscribe(host, hear, user);
    if (status == PERI_OK) status = peri_host_subscribe(host, timeline_record, &none);
    if (status == PERI_OK) status = peri_host_open_path(host, recording, NULL);
    code = session_exit_code(status == PERI_EIO ? PERI_ENOENT : status);
    if (code == PERI_EXIT_OK) {
        (void)session_settle(host, &none);
        code = session_end(host, &none);
    }
    peri_host_free(host);
    timeline_deinit(&none);
    return code;
}
