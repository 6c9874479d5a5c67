// `perilune observers`: every definition of every layer, whether it is used, and why not.
#include <stdlib.h>

#include "base/json.h"
#include "cli.h"
#include "host/written/layers.h"
#include "paths.h"
#include "prose.h"
#include "tell.h"

static const char help[] =
    "usage: perilune observers [--project DIR] [--observers DIR] [--config FILE]\n"
    "                          [--json]\n"
    "\n"
    "Lists the observers of all layers (builtin < user < project, a later one\n"
    "replaces an earlier one of the same name): active, in shadow, off and by which\n"
    "switch, replaced, duplicate, invalid with its first mistake, or untrusted.\n"
    "\n"
    "  --project DIR    the project's folder (where you are)\n"
    "  --observers DIR  a folder of observers over all others\n"
    "  --config FILE    one more config.yaml over yours\n"
    "  --managed FILE   one more managed file, which may only restrict\n"
    "  --lua DIR        shipped Lua from this folder instead of the built-in\n"
    "  --state DIR      where the trust store is (your state folder)\n"
    "  --json           one entry a line\n"
    "\n"
    "Exit status: 0 listed; 2 usage, or a config that cannot be used; 3 internal\n"
    "failure.\n";

enum { OUTPUT_MAX_BYTES = 16 * 1024 * 1024, REASON_COLUMN = 18 };

static void add_list(peri_buf *out, const char *key, const peri_observer *observer,
                     void (*tell)(peri_buf *, const peri_observer *)) {
    peri_buf words;
    peri_buf_init(&words, 4096);
    tell(&words, observer);
    peri_buf_addf(out, ",\"%s\":", key);
    peri_json_add_string(out, peri_buf_str(&words));
    peri_buf_deinit(&words);
}

static void tell_can(peri_buf *out, const peri_observer *observer) {
    peri_tell_can(out, observer->can);
}

static void add_text(peri_buf *out, const char *key, peri_str text) {
    if (!text.ptr) return;
    peri_buf_addf(out, ",\"%s\":", key);
    peri_json_add_string(out, text);
}

static void add_json(peri_buf *out, const peri_entry *entry) {
    peri_buf_add_c(out, "{\"layer\":");
    peri_json_add_string(out, entry->layer);
    add_text(out, "name", entry->name);
    add_text(out, "state", peri_entry_state_word(entry->state));
    add_text(out, "reason", entry->reason);
    add_text(out, "file", entry->file);
    if (entry->observer) {
        add_text(out, "description", entry->observer->description);
        add_list(out, "on", entry->observer, peri_tell_triggers);
        add_list(out, "can", entry->observer, tell_can);
        add_list(out, "runtime", entry->observer, peri_tell_runtime);
        if (entry->observer->shadow) add_text(out, "mode", PERI_STR("shadow"));
    }
    peri_buf_add_c(out, "}\n");
}

// Pads what was appended since `start` to `width` columns, and two blanks.
static void pad(peri_buf *out, size_t start, size_t width) {
    size_t len = peri_prose_columns(out, start);
    peri_buf_add_repeat(out, ' ', (len < width ? width - len : 0) + 2);
}

static void add_line(peri_buf *out, const peri_entry *entry) {
    size_t line = out->len, start = line;
    peri_prose_add_plain(out, entry->name.len ? entry->name : PERI_STR("(no name)"), 40);
    pad(out, start, 16);
    start = out->len;
    peri_buf_add(out, entry->layer);
    pad(out, start, 7);
    start = out->len;
    bool shadow = entry->observer && entry->observer->shadow;
    peri_buf_add(out, shadow && entry->state == PERI_ENTRY_ACTIVE
                          ? PERI_STR("in shadow")
                          : peri_entry_state_word(entry->state));
    pad(out, start, 9);
    if (entry->observer && entry->state <= PERI_ENTRY_OFF) {
        start = out->len;
        peri_tell_runtime(out, entry->observer);
        pad(out, start, 5);
        start = out->len;
        peri_tell_can(out, entry->observer->can);
        pad(out, start, 12);
        start = out->len;
        peri_tell_triggers(out, entry->observer);
    } else {
        start = out->len;
        peri_prose_add_plain(out, entry->file, 1000);
    }
    peri_prose_wrap(out, start, peri_prose_columns(out, line) - peri_prose_columns(out, start));
    if (!entry->reason.ptr) return;
    peri_buf_add_repeat(out, ' ', REASON_COLUMN);
    start = out->len;
    peri_prose_add_plain(out, entry->reason, 400);
    peri_prose_wrap(out, start, REASON_COLUMN);
}

static int list(peri_host *host, bool json) {
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    size_t count;
    const peri_entry *entries = peri_host_entries(host, &count);
    for (size_t i = 0; i < count; i++) {
        if (json) {
            add_json(&out, &entries[i]);
        } else {
            add_line(&out, &entries[i]);
        }
    }
    fwrite(out.ptr ? out.ptr : "", 1, out.len, stdout);
    peri_buf_deinit(&out);
    // The step says what belongs to no single file: folders, configs, what is untrusted.
    return peri_host_step(host, 0) < 0 ? PERI_EXIT_INTERNAL : PERI_EXIT_OK;
}

static int list_with(peri_host_options *options, bool json) {
    options->use_user_config = true;
    options->on_log = peri_tell_log;
    peri_host *host;
    int status = peri_host_new(options, &host);
    if (status == PERI_ENOMEM) return PERI_EXIT_INTERNAL;
    if (status < 0) return PERI_EXIT_USAGE;
    fflush(stderr);
    int code = list(host, json);
    peri_host_free(host);
    return code;
}

int cmd_observers(int argc, char **argv) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.project_dir = ".";
    const char *state = NULL;
    bool json = false;
    const peri_option known[] = {
        {"--project", &options.project_dir, NULL},
        {"--observers", &options.observer_dir, NULL},
        {"--config", &options.config_path, NULL},
        {"--managed", &options.managed_path, NULL},
        {"--lua", &options.lua_dir, NULL},
        {"--state", &state, NULL},
        {"--json", NULL, &json},
        {NULL, NULL, NULL},
    };
    const char **paths = calloc((size_t)argc, sizeof *paths);
    if (!paths) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, known, help, paths, &count);
    free(paths);
    if (code == PERI_EXIT_OK && count) {
        fputs("perilune observers: it takes no path; see perilune observers --help\n", stderr);
        return PERI_EXIT_USAGE;
    }
    if (code != PERI_EXIT_OK) return code < 0 ? PERI_EXIT_OK : code;
    peri_buf trust;
    peri_buf_init(&trust, PERI_PATH_MAX_BYTES);
    if (peri_path_trust(&trust, state) == PERI_OK) options.trust_path = peri_buf_c(&trust);
    code = list_with(&options, json);
    peri_buf_deinit(&trust);
    return code;
}
