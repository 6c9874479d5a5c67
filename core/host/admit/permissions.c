// Settings files and when to read them (host/admit/permissions.h). A file that a person is just
// saving, or saved with a mistake, must neither open the gate nor close it for what was fine
// before: its last good content counts until there is a better one.
#include "host/admit/permissions.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/yaml.h"
#include "host/told/told.h"
#include "host/written/written.h"

enum { MAX_FILES = 64, MAX_FOLDERS = 64, PATH_BYTES = 4096 };

typedef struct settings_file {
    char *path; // owned
    peri_settings_rank rank;
    bool narrows; // of it only what restricts counts
    bool fixed;   // was read for us; never read again
    bool broken;  // what it holds now cannot be used
    bool good;    // `text` holds a content that can
    uint64_t stamp;
    peri_buf text;
} settings_file;

typedef struct settings_set {
    struct settings_set *next;
    char *folder; // owned
    settings_file files[MAX_FILES];
    size_t count;
    bool built;
    peri_permissions permissions;
} settings_set;

struct host_permissions {
    peri_host *host;
    settings_file named[MAX_FILES]; // of no project; a set begins with a copy
    size_t named_count;
    settings_set *sets; // the one asked for last first
    char problem[PATH_BYTES + 64];
};

// ---- Which files

static int add_file(settings_file *files, size_t *count, char *path, peri_settings_rank rank) {
    if (!path) return PERI_ENOMEM;
    if (*count == MAX_FILES) {
        free(path);
        return PERI_ELIMIT;
    }
    settings_file *file = &files[(*count)++];
    *file = (settings_file){.path = path, .rank = rank};
    peri_buf_init(&file->text, PERI_SETTINGS_MAX_BYTES);
    return PERI_OK;
}

static int add_in(settings_file *files, size_t *count, const char *folder, const char *name,
                  peri_settings_rank rank) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) return PERI_ENOMEM;
    return add_file(files, count, path, rank);
}

// By its place, where it stands where the agent's own settings do.
static peri_settings_rank rank_of(peri_str path) {
    if (peri_str_ends(path, PERI_STR("managed-settings.json")) ||
        peri_str_find(path, PERI_STR("/managed-settings.d/")) != PERI_NPOS) {
        return PERI_SETTINGS_MANAGED;
    }
    if (peri_str_ends(path, PERI_STR(".claude/settings.local.json")))
        return PERI_SETTINGS_LOCAL;
    if (peri_str_ends(path, PERI_STR(".claude/settings.json"))) return PERI_SETTINGS_PROJECT;
    return PERI_SETTINGS_GIVEN;
}

static int add_given(host_permissions *p, const char *path, peri_settings_rank rank) {
    if (peri_path_type_of(path) != PERI_PATH_FILE) {
        host_logf(p->host, "error", "%s: there is no such file", path);
        return PERI_ENOENT;
    }
    return add_file(p->named, &p->named_count, strdup(path), rank);
}

static int add_users(host_permissions *p) {
    const char *claude = getenv("CLAUDE_CONFIG_DIR"), *home = getenv("HOME");
    int status = PERI_OK;
    if (claude && claude[0] == '/') {
        status = add_in(p->named, &p->named_count, claude, "settings.json", PERI_SETTINGS_USER);
    } else if (home && home[0] == '/') {
        status = add_in(p->named, &p->named_count, home, ".claude/settings.json",
                        PERI_SETTINGS_USER);
    }
    char *config = host_user_path("config.yaml");
    if (status == PERI_OK && config) {
        return add_file(p->named, &p->named_count, config, PERI_SETTINGS_USER);
    }
    free(config);
    return status;
}

static int add_managed_file(void *user, const char *path) {
    host_permissions *p = user;
    return add_file(p->named, &p->named_count, strdup(path), PERI_SETTINGS_MANAGED);
}

static int add_managed(host_permissions *p) {
    int status = add_managed_file(p, "/etc/claude-code/managed-settings.json");
    if (status == PERI_OK) {
        status = peri_folder_list("/etc/claude-code/managed-settings.d", ".json",
                                  add_managed_file, p);
        if (status == PERI_ENOENT) status = PERI_OK;
    }
    if (status == PERI_OK) status = add_managed_file(p, HOST_MANAGED_PATH);
    return status;
}

// The project's trusted config was read with its hash, and is not read again.
static int add_project(host_permissions *p) {
    for (size_t i = 0; i < p->host->project.count; i++) {
        const peri_project_file *from = &p->host->project.files[i];
        if (from->kind != PERI_PROJECT_CONFIG || !from->trusted) continue;
        int status = add_file(p->named, &p->named_count,
                              strndup(from->path.ptr, from->path.len), PERI_SETTINGS_PROJECT);
        if (status < 0) return status;
        settings_file *file = &p->named[p->named_count - 1];
        peri_buf_add(&file->text, from->text);
        file->good = file->fixed = file->narrows = true;
        if (file->text.status < 0) return file->text.status;
    }
    return PERI_OK;
}

static int add_named(host_permissions *p, const peri_host_options *options) {
    int status = options->use_user_config ? add_users(p) : PERI_OK;
    if (status == PERI_OK) status = add_project(p);
    if (status == PERI_OK && options->config_path) {
        status = add_file(p->named, &p->named_count, strdup(options->config_path),
                          PERI_SETTINGS_GIVEN);
    }
    const char *const *given = options->settings_paths;
    for (; status == PERI_OK && given && *given; given++) {
        status = add_given(p, *given, rank_of(peri_str_c(*given)));
    }
    if (status == PERI_OK) status = add_managed(p);
    if (status == PERI_OK && options->managed_path) {
        status = add_given(p, options->managed_path, PERI_SETTINGS_MANAGED);
    }
    return status;
}

static void free_files(settings_file *files, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(files[i].path);
        peri_buf_deinit(&files[i].text);
    }
}

static void free_set(settings_set *set) {
    free_files(set->files, set->count);
    peri_permissions_deinit(&set->permissions);
    free(set->folder);
    free(set);
}

int host_permissions_new(peri_host *host, const peri_host_options *options,
                         host_permissions **out) {
    host_permissions *p = calloc(1, sizeof *p);
    if (!p) return PERI_ENOMEM;
    p->host = host;
    int status = add_named(p, options);
    if (status < 0) {
        host_permissions_free(p);
        return status;
    }
    *out = p;
    return PERI_OK;
}

void host_permissions_free(host_permissions *p) {
    if (!p) return;
    for (settings_set *set = p->sets, *next; set; set = next) {
        next = set->next;
        free_set(set);
    }
    free_files(p->named, p->named_count);
    free(p);
}

// ---- YAML, as the tree that the agent's own settings are

static int set_list(peri_tree *to, const char *key, const peri_yaml *node) {
    peri_tree *list = peri_tree_new_array();
    int status = PERI_OK;
    if (node->type == PERI_YAML_SCALAR) {
        peri_str rest = node->text, one;
        while (status == PERI_OK && peri_tool_list_take(&rest, &one)) {
            status = peri_tree_add_take(list, peri_tree_new_string(one));
        }
    }
    for (const peri_yaml *one = node->first; one && status == PERI_OK; one = one->next) {
        status =
            one->type == PERI_YAML_SCALAR
                ? peri_tree_add_take(list, peri_tree_new_string(one->text))
                : peri_tree_add_take(list, peri_tree_new_null()); // refused where it is read
    }
    if (status < 0) {
        peri_tree_free(list);
        return status;
    }
    return peri_tree_set_take(to, peri_str_c(key), list);
}

// `from`: the map `permissions` of a config.
static int set_permissions(peri_yaml_doc *doc, const peri_yaml *from, bool narrows,
                           peri_tree *root) {
    static const peri_str words[] = {{"deny", 4}, {"ask", 3},   {"allow", 5},
                                     {"mode", 4}, {"hooks", 5}, {"allowed_agent_types", 19},
                                     {0}};
    if (host_permissions_check(doc, from) < 0) return PERI_EINVAL;
    peri_tree *map = peri_tree_new_object();
    int status = map ? PERI_OK : PERI_ENOMEM;
    for (size_t i = 0; i < 3 && status == PERI_OK; i++) {
        const peri_yaml *node = peri_yaml_get(from, words[i]);
        if (node && !(narrows && i == 2)) status = set_list(map, words[i].ptr, node);
    }
    const peri_yaml *mode = peri_yaml_get(from, words[3]);
    if (mode && !narrows && status == PERI_OK) {
        status = peri_tree_set_take(map, PERI_STR("defaultMode"), host_permissions_tree(mode));
    }
    if (status == PERI_OK) {
        status = peri_tree_set_take(root, PERI_STR("permissions"), map);
    } else {
        peri_tree_free(map);
    }
    const peri_yaml *hooks = peri_yaml_get(from, words[4]);
    if (hooks && status == PERI_OK) {
        status = peri_tree_set_take(root, PERI_STR("hooks"), host_permissions_tree(hooks));
    }
    const peri_yaml *types = peri_yaml_get(from, words[5]);
    if (types && status == PERI_OK) status = set_list(root, "allowedAgentTypes", types);
    return status;
}

static int parse_yaml(const settings_file *file, peri_str text, peri_diag_list *diags,
                      peri_tree **out) {
    peri_yaml_doc doc;
    peri_tree *root = peri_tree_new_object();
    int status = peri_yaml_parse(&doc, text, peri_str_c(file->path), 1, diags);
    const peri_yaml *from =
        status == PERI_OK ? peri_yaml_get(doc.root, PERI_STR("permissions")) : NULL;
    if (status == PERI_OK && !root) status = PERI_ENOMEM;
    if (from && status == PERI_OK) status = set_permissions(&doc, from, file->narrows, root);
    peri_yaml_doc_deinit(&doc);
    if (status < 0) {
        peri_tree_free(root);
    } else {
        *out = root;
    }
    return status;
}

// ---- Reading

static bool is_yaml(const settings_file *file) {
    peri_str path = peri_str_c(file->path);
    return peri_str_ends(path, PERI_STR(".yaml")) || peri_str_ends(path, PERI_STR(".yml"));
}

// The gate reads trees, which know no lines: a rule it refuses is sought in the text.
static void place_rules(peri_str text, peri_diag_list *diags, size_t first) {
    static const char end[] = "' is no rule";
    for (size_t i = first; i < diags->count; i++) {
        peri_diag *diag = &diags->items[i];
        size_t from = peri_str_find_byte(diag->message, '\'', 0);
        if (diag->line || from == PERI_NPOS || !peri_str_ends(diag->message, peri_str_c(end)))
            continue;
        size_t len = diag->message.len - from - sizeof end;
        size_t at = peri_str_find(text, peri_str_sub(diag->message, from + 1, len));
        if (len && at != PERI_NPOS) peri_diag_place(text, at, &diag->line, &diag->column);
    }
}

// Adds what `text`, of `file`, says.
static int add_text(const settings_file *file, peri_str text, peri_permissions *to,
                    peri_diag_list *diags) {
    peri_tree *root = NULL;
    peri_tree_limits limits = {.max_bytes = PERI_SETTINGS_MAX_BYTES, .refuse_duplicates = true};
    int status = is_yaml(file) ? parse_yaml(file, text, diags, &root)
                               : peri_tree_parse(text, limits, peri_str_c(file->path), diags,
                                                 NULL, &root);
    if (status == PERI_OK) {
        size_t first = diags ? diags->count : 0;
        status = peri_permissions_add(to, file->rank, peri_str_c(file->path), root, diags);
        if (diags) place_rules(text, diags, first);
    }
    peri_tree_free(root);
    return status;
}

static int try_text(const settings_file *file, peri_str text, peri_diag_list *diags) {
    peri_permissions alone;
    peri_permissions_init(&alone);
    int status = add_text(file, text, &alone, diags);
    peri_permissions_deinit(&alone);
    return status;
}

int host_settings_check(const char *path, peri_str text, peri_diag_list *diags) {
    char *copy = strdup(path);
    if (!copy) return PERI_ENOMEM;
    settings_file file = {.path = copy, .rank = rank_of(peri_str_c(path))};
    int status = try_text(&file, text, diags);
    free(copy);
    return status;
}

// Takes the content of a file that is another than before.
static int reread(host_permissions *p, settings_file *file) {
    peri_buf text;
    peri_buf_init(&text, PERI_SETTINGS_MAX_BYTES);
    int status = peri_file_read(file->path, &text);
    if (status == PERI_ENOENT) { // nothing is said any more
        file->good = file->broken = false;
        peri_buf_deinit(&text);
        return PERI_OK;
    }
    if (status < 0) {
        peri_diag_addf(&p->host->diags, PERI_ERROR, "unreadable", peri_str_c(file->path), 0, 0,
                       NULL, "cannot be read: %s", peri_status_message(status));
    } else {
        size_t told = p->host->diags.count;
        status = try_text(file, peri_buf_str(&text), &p->host->diags);
        if (status < 0 && p->host->diags.count == told) {
            peri_diag_addf(&p->host->diags, PERI_ERROR, "unusable", peri_str_c(file->path), 0,
                           0, NULL, "cannot be used: %s", peri_status_message(status));
        }
    }
    file->broken = status < 0;
    if (file->broken) {
        peri_buf_deinit(&text);
        return status == PERI_ENOMEM ? status : PERI_OK;
    }
    peri_buf_deinit(&file->text);
    file->text = text;
    file->good = true;
    return PERI_OK;
}

static int refresh(host_permissions *p, settings_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        settings_file *file = &set->files[i];
        uint64_t stamp = file->fixed ? file->stamp : peri_path_stamp(file->path);
        if (stamp == file->stamp) continue;
        int status = reread(p, file);
        if (status < 0) return status;
        file->stamp = stamp;
        set->built = false;
    }
    return PERI_OK;
}

static int build(settings_set *set) {
    peri_permissions all;
    peri_permissions_init(&all);
    int status = PERI_OK;
    for (size_t i = 0; i < set->count && status == PERI_OK; i++) {
        const settings_file *file = &set->files[i];
        if (file->good) status = add_text(file, peri_buf_str(&file->text), &all, NULL);
    }
    if (status < 0) {
        peri_permissions_deinit(&all);
        return status;
    }
    peri_permissions_deinit(&set->permissions);
    set->permissions = all;
    set->built = true;
    return PERI_OK;
}

// ---- Sets

static int copy_named(const host_permissions *p, settings_set *set) {
    for (size_t i = 0; i < p->named_count; i++) {
        const settings_file *from = &p->named[i];
        int status = add_file(set->files, &set->count, strdup(from->path), from->rank);
        if (status < 0) return status;
        settings_file *file = &set->files[set->count - 1];
        file->narrows = from->narrows;
        file->fixed = from->fixed;
        file->good = from->good;
        peri_buf_add(&file->text, peri_buf_str(&from->text));
        if (file->text.status < 0) return file->text.status;
    }
    return PERI_OK;
}

static settings_set *new_set(const host_permissions *p, peri_str folder) {
    settings_set *set = calloc(1, sizeof *set);
    if (!set) return NULL;
    peri_permissions_init(&set->permissions);
    set->folder = strndup(folder.ptr ? folder.ptr : "", folder.len);
    int status = set->folder ? copy_named(p, set) : PERI_ENOMEM;
    if (status == PERI_OK && folder.len) {
        status = add_in(set->files, &set->count, set->folder, ".claude/settings.json",
                        PERI_SETTINGS_PROJECT);
    }
    if (status == PERI_OK && folder.len) {
        status = add_in(set->files, &set->count, set->folder, ".claude/settings.local.json",
                        PERI_SETTINGS_LOCAL);
    }
    if (status == PERI_OK) return set;
    free_set(set);
    return NULL;
}

// The set of `folder`, in front of the others; the one that was asked for the longest ago goes
// when there are too many.
static settings_set *find_set(host_permissions *p, peri_str folder) {
    size_t count = 0;
    for (settings_set **at = &p->sets; *at; at = &(*at)->next, count++) {
        settings_set *set = *at;
        if (peri_str_eq(peri_str_c(set->folder), folder)) {
            *at = set->next;
            set->next = p->sets;
            p->sets = set;
            return set;
        }
        if (count == MAX_FOLDERS - 1) {
            *at = set->next;
            free_set(set);
            break;
        }
    }
    settings_set *set = new_set(p, folder);
    if (!set) return NULL;
    set->next = p->sets;
    p->sets = set;
    return set;
}

int host_permissions_get(host_permissions *p, peri_str folder, const peri_permissions **out,
                         const char **problem) {
    if (!folder.len || folder.ptr[0] != '/' || folder.len > PATH_BYTES) folder = (peri_str){0};
    settings_set *set = find_set(p, folder);
    if (!set) return PERI_ENOMEM;
    int status = refresh(p, set);
    if (status == PERI_OK && !set->built) status = build(set);
    if (status == PERI_ELIMIT) *problem = "together the settings files hold too much";
    if (status < 0) return status;
    for (size_t i = 0; i < set->count; i++) {
        if (!set->files[i].broken || set->files[i].good) continue;
        snprintf(p->problem, sizeof p->problem, "%s cannot be used", set->files[i].path);
        *problem = p->problem;
        return PERI_EPARSE;
    }
    *out = &set->permissions;
    return PERI_OK;
}
