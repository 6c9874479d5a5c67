// Validating what people write (`perilune check`), each file on its own. The scripts of one
// folder share a host, as they will when they are loaded, so that two of one name are told,
// whatever is checked between them; of a file that is refused nothing is kept.
#include <stdlib.h>

#include "host/author.h"
#include "host/names.h"
#include "host/run/run.h"
#include "host/written/written.h"
#include "script/outline.h"

enum {
    CHECK_WALL_MS = 10000, // nobody waits: the count of instructions decides
    FOLDERS_KEPT = 8,      // a folder's files may stand before and behind those below it
};

typedef struct checked_folder {
    peri_host *host;
    char *path; // owned; NULL: none yet
} checked_folder;

struct peri_checker {
    checked_folder kept[FOLDERS_KEPT];
    size_t next;     // to be replaced
    peri_host *host; // borrowed: of `folder`; NULL before the first script
    const char *folder;
    host_names names; // that configs may use
    bool knows_names;
};

int peri_checker_new(peri_checker **out) {
    *out = calloc(1, sizeof **out);
    return *out ? PERI_OK : PERI_ENOMEM;
}

void peri_checker_free(peri_checker *checker) {
    if (!checker) return;
    for (size_t i = 0; i < FOLDERS_KEPT; i++) {
        peri_host_free(checker->kept[i].host);
        free(checker->kept[i].path);
    }
    if (checker->knows_names) host_names_deinit(&checker->names);
    free(checker);
}

static int new_host(peri_host **out) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.no_observers = true;
    options.mode = PERI_MODE_REPLAY; // untimed
    return peri_host_new(&options, out);
}

static int know_names(peri_checker *checker) {
    if (checker->knows_names) return PERI_OK;
    int status = host_names_open(&checker->names);
    checker->knows_names = true; // what was opened of it is closed
    return status;
}

int peri_checker_know(void *user, const char *path) {
    peri_checker *checker = user;
    int status = know_names(checker);
    return status < 0 ? status : host_names_add_file(&checker->names, path);
}

static void enter(peri_checker *checker, const checked_folder *in) {
    checker->host = in->host;
    checker->folder = in->path;
}

// A host for the folder of `path`.
static int open_folder(peri_checker *checker, const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    if (!folder) return PERI_ENOMEM;
    for (size_t i = 0; i < FOLDERS_KEPT; i++) {
        const checked_folder *kept = &checker->kept[i];
        if (!kept->host || strcmp(kept->path, folder) != 0) continue;
        free(folder);
        enter(checker, kept);
        return PERI_OK;
    }
    checked_folder *fresh = &checker->kept[checker->next];
    checker->next = (checker->next + 1) % FOLDERS_KEPT;
    peri_host_free(fresh->host);
    free(fresh->path);
    *fresh = (checked_folder){.path = folder};
    int status = new_host(&fresh->host);
    enter(checker, fresh);
    return status;
}

static bool holds(peri_str text, const char *part) {
    return peri_str_find(text, peri_str_c(part)) != PERI_NPOS;
}

// What a Lua file is: by its keys where it is a plain table, else by the words only that kind
// has.
static peri_file_kind kind_of(peri_str text) {
    if (holds(text, "dialect {") || holds(text, "dialect{") || holds(text, "dialect(")) {
        return PERI_KIND_DIALECT;
    }
    peri_outline outline;
    peri_outline_read(text, &outline);
    bool observer = outline.plain
                        ? outline.has_observe || outline.on.given || outline.command.given
                        : holds(text, "observe");
    bool policy = holds(text, "reconcile") || holds(text, "budget") || holds(text, "deliver");
    if (policy && !observer) return PERI_KIND_POLICY;
    bool secrets = holds(text, "scrub") && holds(text, "pattern") && !observer;
    return secrets ? PERI_KIND_SECRETS : PERI_KIND_OBSERVER;
}

static int check_dialect(peri_host *host, peri_str file, peri_str text, peri_diag_list *diags) {
    peri_vm_options vm = {
        .find_module = host_find_module, .user = host, .limits.wall_ms = CHECK_WALL_MS};
    peri_dialect_file *dialect;
    int status = peri_dialect_file_load(file, text, (peri_str){0}, &vm, diags, &dialect);
    if (status == PERI_OK) peri_dialect_file_free(dialect);
    return status;
}

static int check_secrets(peri_host *host, peri_str file, peri_str text, peri_diag_list *diags) {
    peri_scrub *scrub;
    int status = peri_scrub_new(&scrub);
    if (status < 0) return status;
    status = peri_script_add_scrub(host->script, file, text, scrub, diags);
    peri_scrub_free(scrub);
    return status;
}

// The name under which a config would list a policy file: "quiet" for "x/quiet.lua".
static peri_str stem_of(peri_str file) {
    size_t from = file.len;
    while (from > 0 && file.ptr[from - 1] != '/') from--;
    return peri_str_sub(file, from, file.len - from - strlen(".lua"));
}

static int check_lua(peri_checker *checker, peri_str file, peri_str text, peri_checked *out,
                     peri_diag_list *diags) {
    peri_script *script = checker->host->script;
    peri_str folder = peri_str_c(checker->folder);
    out->kind = kind_of(text);
    switch (out->kind) {
    case PERI_KIND_DIALECT:
        return check_dialect(checker->host, file, text, diags);
    case PERI_KIND_SECRETS:
        return check_secrets(checker->host, file, text, diags);
    case PERI_KIND_POLICY:
        return peri_script_add_policy(script, stem_of(file), file, text, diags);
    default:
        return peri_script_add_observer(script, folder, folder, file, text, NULL, diags,
                                        &out->observer);
    }
}

// The Lua file beside a Markdown one belongs to it.
static int check_markdown(peri_checker *checker, peri_str file, peri_str text,
                          peri_checked *out, peri_diag_list *diags) {
    peri_buf beside, lua;
    peri_buf_init(&beside, 4096);
    peri_buf_init(&lua, HOST_SCRIPT_MAX_BYTES);
    peri_buf_addf(&beside, "%.*s.lua", (int)file.len - 3, file.ptr);
    peri_str folder = peri_str_c(checker->folder);
    peri_markdown markdown = {
        .file = file, .text = text, .lenient = holds(file, ".pi/observers/")};
    if (beside.status == PERI_OK && peri_file_read(peri_buf_c(&beside), &lua) == PERI_OK) {
        markdown.lua_file = peri_buf_str(&beside);
        markdown.lua_text = peri_buf_str(&lua);
    }
    out->kind = PERI_KIND_OBSERVER;
    int status = peri_script_add_markdown(checker->host->script, folder, folder, &markdown,
                                          NULL, diags, &out->observer);
    peri_buf_deinit(&beside);
    peri_buf_deinit(&lua);
    return status;
}

static void warn_of_hooks(peri_yaml_doc *doc, const peri_yaml *permissions) {
    const peri_yaml *hooks = peri_yaml_get(permissions, PERI_STR("hooks"));
    if (!hooks || peri_str_ends(doc->file, PERI_STR("managed.yaml"))) return;
    peri_diag_addf(doc->diags, PERI_WARNING, "not-asked", doc->file, hooks->line, hooks->column,
                   "move them to " HOST_MANAGED_PATH,
                   "permissions.hooks count in the managed file, nowhere else");
}

static int check_names(peri_checker *checker, const char *path, peri_yaml_doc *doc) {
    int status = know_names(checker);
    if (status < 0) return status;
    host_names_add_beside(&checker->names, path);
    host_names_check(&checker->names, doc);
    return PERI_OK;
}

// What a host would only find at its start: ways that no dialect has, patterns that are none.
// The host is the config's own, since its ways are said to the host's dialects.
static int try_config(const host_config *config, peri_diag_list *diags) {
    peri_host *host = NULL;
    peri_scrub *scrub = NULL;
    int status = new_host(&host);
    if (status == PERI_OK) status = host_lanes_configure(host, config, diags);
    peri_host_free(host);
    if (status == PERI_OK) status = peri_scrub_new(&scrub);
    if (status == PERI_OK) status = host_privacy_patterns(config, scrub, diags);
    peri_scrub_free(scrub);
    return status;
}

static int check_config(peri_checker *checker, const char *path, peri_str text,
                        peri_diag_list *diags) {
    peri_str file = peri_str_c(path);
    host_config config;
    host_config_init(&config);
    int status = host_config_parse(&config, text, file, diags);
    if (status == PERI_OK) status = try_config(&config, diags);
    host_config_deinit(&config);
    peri_yaml_doc doc; // that it can be read at all was told
    bool read = peri_yaml_parse(&doc, text, file, 1, NULL) == PERI_OK;
    const peri_yaml *from = read ? peri_yaml_get(doc.root, PERI_STR("permissions")) : NULL;
    doc.diags = diags;
    if (from && host_permissions_check(&doc, from) < 0) status = PERI_EINVAL;
    if (from) warn_of_hooks(&doc, from);
    const peri_yaml *agents = read ? peri_yaml_get(doc.root, PERI_STR("agents")) : NULL;
    if (agents && host_agents_check(&doc, agents) < 0) status = PERI_EINVAL;
    if (status == PERI_OK) status = check_names(checker, path, &doc);
    peri_yaml_doc_deinit(&doc);
    return status;
}

static int check_text(peri_checker *checker, const char *path, peri_str text, peri_checked *out,
                      peri_diag_list *diags) {
    peri_str file = peri_str_c(path);
    bool yaml = peri_str_ends(file, PERI_STR(".yaml")) || peri_str_ends(file, PERI_STR(".yml"));
    if (yaml) {
        out->kind = PERI_KIND_CONFIG;
        return check_config(checker, path, text, diags);
    }
    if (peri_str_ends(file, PERI_STR(".json"))) {
        out->kind = PERI_KIND_SETTINGS;
        return host_settings_check(path, text, diags);
    }
    int status = open_folder(checker, path);
    if (status < 0) return status;
    return peri_str_ends(file, PERI_STR(".md"))
               ? check_markdown(checker, file, text, out, diags)
               : check_lua(checker, file, text, out, diags);
}

peri_checked peri_checker_file(peri_checker *checker, const char *path, peri_diag_list *diags) {
    static const char *const endings[] = {".yaml", ".yml", ".json", ".md", ".lua"};
    peri_str file = peri_str_c(path);
    peri_checked out = {.kind = PERI_KIND_UNKNOWN};
    bool known = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        known |= peri_str_ends(file, peri_str_c(endings[i]));
    }
    if (!known) {
        peri_diag_addf(
            diags, PERI_ERROR, "unknown-file", file, 0, 0,
            "name a config.yaml, the settings.json of an agent, a .md observer, or a "
            ".lua observer, policy, dialect or list of secrets",
            "not a kind of file that perilune reads");
        return out;
    }
    peri_buf text;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status < 0) {
        peri_diag_addf(diags, PERI_ERROR, "unreadable", file, 0, 0, NULL, "cannot be read: %s",
                       peri_status_message(status));
    } else {
        status = check_text(checker, path, peri_buf_str(&text), &out, diags);
        if (status < 0) out.observer = NULL;
        if (status < 0 && diags->error_count == 0) {
            peri_diag_addf(diags, PERI_ERROR, "unusable", file, 0, 0, NULL, "%s",
                           peri_status_message(status));
        }
    }
    peri_buf_deinit(&text);
    return out;
}
