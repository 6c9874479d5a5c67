// The user's own folders, as the XDG base directory specification has them: a variable that is
// empty or not absolute counts as unset. Asked by every verb that reads or makes state.
#include "paths.h"

#include <stdlib.h>

static const char *absolute(const char *variable) {
    const char *value = getenv(variable);
    return value && value[0] == '/' ? value : NULL;
}

int peri_path_state(peri_buf *out, const char *name) {
    const char *state = absolute("XDG_STATE_HOME");
    const char *home = absolute("HOME");
    if (!state && !home) return PERI_ENOENT;
    peri_buf_add_c(out, state ? state : home);
    peri_buf_addf(out, "%s/perilune/%s", state ? "" : "/.local/state", name);
    return out->status;
}
