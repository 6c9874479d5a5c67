// The user's own folders, as the XDG base directory specification has them: a variable that is
// empty or not absolute counts as unset. Asked by every verb that reads or makes state.
#include "paths.h"

#include <stdlib.h>

static const char *absolute(const char *variable) {
    const char *value = getenv(variable);
    return value && value[0] == '/' ? value : NULL;
}

static int add_path(peri_buf *out, const char *variable, const char *below_home,
                    const char *name) {
    const char *folder = absolute(variable);
    const char *home = absolute("HOME");
    if (!folder && !home) return PERI_ENOENT;
    peri_buf_add_c(out, folder ? folder : home);
    peri_buf_addf(out, "%s/perilune/%s", folder ? "" : below_home, name);
    return out->status;
}

int peri_path_state(peri_buf *out, const char *name) {
    return add_path(out, "XDG_STATE_HOME", "/.local/state", name);
}

int peri_path_config(peri_buf *out, const char *name) {
    return add_path(out, "XDG_CONFIG_HOME", "/.config", name);
}

int peri_path_trust(peri_buf *out, const char *state_dir) {
    if (!state_dir) return peri_path_state(out, "trust.jsonl");
    peri_buf_addf(out, "%s/trust.jsonl", state_dir);
    return out->status;
}
