// The switches' file. A name stands in it once, with what was last said of it.
#include "switches.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/yaml.h"
#include "io/files.h"
#include "io/own_files.h"
#include "paths.h"
#include "tell.h"

enum { FILE_MAX_BYTES = 64 * 1024, MAX_SWITCHES = 512 };

typedef struct one_switch {
    peri_str name;
    bool said_on, on;
    bool live; // out of shadow
} one_switch;

typedef struct switches {
    peri_arena arena;
    one_switch items[MAX_SWITCHES];
    size_t count;
} switches;

// The place of `name`, made if need be; NULL if there is no room.
static one_switch *find(switches *s, peri_str name) {
    for (size_t i = 0; i < s->count; i++) {
        if (peri_str_eq(s->items[i].name, name)) return &s->items[i];
    }
    peri_str copy = s->count < MAX_SWITCHES ? peri_arena_copy(&s->arena, name) : (peri_str){0};
    if (!copy.ptr) return NULL;
    s->items[s->count] = (one_switch){.name = copy};
    return &s->items[s->count++];
}

static int set(switches *s, peri_str name, peri_switch to) {
    one_switch *one = find(s, name);
    if (!one) return s->count == MAX_SWITCHES ? PERI_ELIMIT : PERI_ENOMEM;
    if (to == PERI_SWITCH_LIVE) {
        one->live = true;
    } else {
        one->said_on = true;
        one->on = to == PERI_SWITCH_ON;
    }
    return PERI_OK;
}

static int read_one(switches *s, peri_yaml_doc *doc, const peri_yaml *from) {
    static const peri_str modes[] = {{"live", 4}, {0}};
    const peri_yaml *enabled = peri_yaml_get(from, PERI_STR("enabled"));
    const peri_yaml *mode = peri_yaml_get(from, PERI_STR("mode"));
    bool on = false;
    size_t word;
    int status = enabled ? peri_yaml_bool(doc, enabled, &on) : PERI_OK;
    if (enabled && status == PERI_OK)
        status = set(s, from->key, on ? PERI_SWITCH_ON : PERI_SWITCH_OFF);
    if (mode && status == PERI_OK) status = peri_yaml_word(doc, mode, modes, &word);
    if (mode && status == PERI_OK) status = set(s, from->key, PERI_SWITCH_LIVE);
    return status;
}

static int read_switches(switches *s, const char *path, peri_diag_list *diags) {
    peri_buf text;
    peri_buf_init(&text, FILE_MAX_BYTES);
    int status = peri_file_read(path, &text);
    peri_yaml_doc doc = {0};
    bool parsed = status == PERI_OK;
    if (parsed) status = peri_yaml_parse(&doc, peri_buf_str(&text), peri_str_c(path), 1, diags);
    const peri_yaml *map = parsed ? peri_yaml_get(doc.root, PERI_STR("observers")) : NULL;
    for (const peri_yaml *one = map ? map->first : NULL; one && status == PERI_OK;
         one = one->next) {
        status = read_one(s, &doc, one);
    }
    if (parsed) peri_yaml_doc_deinit(&doc);
    peri_buf_deinit(&text);
    return status == PERI_ENOENT ? PERI_OK : status;
}

static int write_switches(const switches *s, const char *path) {
    peri_buf text;
    peri_buf_init(&text, FILE_MAX_BYTES);
    peri_buf_add_c(&text, "# Written by `perilune enable`, `disable` and `promote`; read after "
                          "config.yaml.\nobservers:\n");
    for (size_t i = 0; i < s->count; i++) {
        const one_switch *one = &s->items[i];
        peri_buf_addf(&text, "  %.*s: { ", PERI_FMT(one->name));
        if (one->said_on) peri_buf_addf(&text, "enabled: %s", one->on ? "true" : "false");
        if (one->said_on && one->live) peri_buf_add_c(&text, ", ");
        if (one->live) peri_buf_add_c(&text, "mode: live");
        peri_buf_add_c(&text, " }\n");
    }
    int status = text.status < 0 ? text.status : peri_own_write(path, peri_buf_str(&text));
    peri_buf_deinit(&text);
    return status;
}

static int change(const char *path, const char *const *names, size_t count, peri_switch to) {
    switches s = {.count = 0};
    peri_arena_init(&s.arena, FILE_MAX_BYTES);
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    int status = read_switches(&s, path, &diags);
    for (size_t i = 0; i < count && status == PERI_OK; i++) {
        status = set(&s, peri_str_c(names[i]), to);
    }
    if (status == PERI_OK) status = write_switches(&s, path);
    peri_tell_diags(stderr, &diags);
    peri_diag_list_deinit(&diags);
    peri_arena_deinit(&s.arena);
    return status;
}

int peri_switches_set(const char *verb, const char *const *names, size_t count,
                      peri_switch to) {
    peri_buf path;
    peri_buf_init(&path, PERI_PATH_MAX_BYTES);
    int status = peri_path_config(&path, "switches.yaml");
    if (status == PERI_OK) status = change(peri_buf_c(&path), names, count, to);
    if (status < 0 && !path.len) {
        fprintf(stderr, "perilune %s: no place for switches; set HOME\n", verb);
    } else if (status < 0) {
        fprintf(stderr, "perilune %s: %s: %s\n", verb, peri_buf_c(&path),
                peri_status_message(status));
    }
    peri_buf_deinit(&path);
    return status;
}
