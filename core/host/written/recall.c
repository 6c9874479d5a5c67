// Notes and skills that observers may remind an agent of: Markdown files that the user keeps,
// read once at load. Only their name, description and, of a note, its text are kept. A file
// that cannot be read is left out with a warning: what an agent is reminded of is never half a
// header.
#include <stdlib.h>

#include "base/yaml.h"
#include "host/written/written.h"

enum {
    NOTE_MAX_BYTES = 64 * 1024,
    NAME_CP = 96, // a slug of `remember` and its number
    DESCRIPTION_CP = 200,
    ARENA_BYTES = 4 * 1024 * 1024,
};

typedef struct finding {
    peri_host *host;
    bool skills;
} finding;

static void left_out(peri_host *host, const char *path, const char *why) {
    peri_diag_addf(&host->diags, PERI_WARNING, "note-left-out", peri_str_c(path), 0, 0, NULL,
                   "left out: %s", why);
}

static peri_str keep(host_recall *recall, peri_str text, size_t max_cp) {
    text = peri_str_trim(text);
    text.len = peri_utf8_cut_cp(text, max_cp).bytes;
    return peri_arena_copy(&recall->arena, text);
}

// The first line of a body that is neither blank nor a heading's mark alone.
static peri_str first_line(peri_str body) {
    peri_str text = peri_str_trim(body);
    while (text.len && text.ptr[0] == '#') text = peri_str_sub(text, 1, text.len);
    size_t end = peri_str_find_byte(text, '\n', 0);
    return peri_str_trim(peri_str_sub(text, 0, end == PERI_NPOS ? text.len : end));
}

// The file's name without its folder and `.md`; of `x/SKILL.md` the folder's.
static peri_str name_of(peri_str path, bool skill) {
    path.len -= skill ? strlen("/SKILL.md") : strlen(".md");
    size_t from = path.len;
    while (from > 0 && path.ptr[from - 1] != '/') from--;
    return peri_str_sub(path, from, path.len - from);
}

// Adds what `text` holds. False: its header cannot be read, or memory ran out.
static bool add(finding *f, const char *path, peri_str text) {
    host_recall *recall = &f->host->recall;
    peri_str header = {0}, body = {0}, name = name_of(peri_str_c(path), f->skills), line = {0};
    uint32_t at = 1;
    int status = peri_front_matter(text, peri_str_c(path), NULL, &header, &at, &body);
    if (status < 0 && status != PERI_ENOENT) return false;
    peri_yaml_doc doc;
    status = peri_yaml_parse(&doc, header, peri_str_c(path), at, NULL);
    if (status == PERI_OK) {
        // Either may be missing: a plain note has neither.
        if (peri_yaml_str(&doc, peri_yaml_get(doc.root, PERI_STR("name")), &name) < 0) {
            name = name_of(peri_str_c(path), f->skills);
        }
        if (peri_yaml_str(&doc, peri_yaml_get(doc.root, PERI_STR("description")), &line) < 0) {
            line = first_line(body);
        }
        peri_recall *one = f->skills ? &recall->skills[recall->skill_count]
                                     : &recall->memory[recall->memory_count];
        *one = (peri_recall){.name = keep(recall, name, NAME_CP),
                             .description = keep(recall, line, DESCRIPTION_CP)};
        if (!f->skills) one->text = keep(recall, body, PERI_RECALL_TEXT_CP);
        if (!one->name.len || !one->description.len) status = PERI_EINVAL;
    }
    peri_yaml_doc_deinit(&doc);
    if (status < 0) return false;
    *(f->skills ? &recall->skill_count : &recall->memory_count) += 1;
    return true;
}

static void read_text(finding *f, const char *path, peri_str text) {
    size_t count = f->skills ? f->host->recall.skill_count : f->host->recall.memory_count;
    if (count == PERI_RECALL_MAX) {
        left_out(f->host, path, "as many are read as may be");
    } else if (!peri_utf8_valid(text) || !add(f, path, text)) {
        left_out(f->host, path, "its header or its text cannot be read");
    }
}

static int read_file(void *user, const char *path) {
    finding *f = user;
    if (f->skills && !peri_str_ends(peri_str_c(path), PERI_STR("/SKILL.md"))) return PERI_OK;
    peri_buf text;
    peri_buf_init(&text, NOTE_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status < 0) {
        left_out(f->host, path, peri_status_message(status));
    } else {
        read_text(f, path, peri_buf_str(&text));
    }
    peri_buf_deinit(&text);
    return PERI_OK;
}

static void read_folder(finding *f, const char *folder, bool must_exist) {
    int status = f->skills ? peri_folder_walk(folder, read_file, NULL, f)
                           : peri_folder_list(folder, ".md", read_file, f);
    if (status == PERI_OK || (status == PERI_ENOENT && !must_exist)) return;
    left_out(f->host, folder, peri_status_message(status));
}

static void read_kind(peri_host *host, bool skills, bool use_user_config) {
    const host_config *config = &host->config;
    const peri_str *folders = skills ? config->skill_folders : config->memory_folders;
    size_t count = skills ? config->skill_folder_count : config->memory_folder_count;
    finding f = {host, skills};
    if (use_user_config) {
        char *folder = host_user_path(skills ? "skills" : "memory");
        if (folder) read_folder(&f, folder, false);
        free(folder);
    }
    for (size_t i = 0; i < count; i++) {
        char *folder = strndup(folders[i].ptr, folders[i].len);
        if (folder) read_folder(&f, folder, true);
        free(folder);
    }
}

// Notes of a project, in the contents that a person agreed to.
static void read_project(peri_host *host) {
    finding f = {host, false};
    for (size_t i = 0; i < host->project.count; i++) {
        const peri_project_file *file = &host->project.files[i];
        if (file->kind == PERI_PROJECT_NOTE && file->trusted) {
            read_text(&f, file->path.ptr, file->text);
        }
    }
}

int host_recall_load(peri_host *host, bool use_user_config) {
    host_recall *recall = &host->recall;
    peri_arena_init(&recall->arena, ARENA_BYTES);
    recall->memory = peri_arena_zero(&recall->arena, PERI_RECALL_MAX * sizeof(peri_recall));
    recall->skills = peri_arena_zero(&recall->arena, PERI_RECALL_MAX * sizeof(peri_recall));
    if (!recall->memory || !recall->skills) return PERI_ENOMEM;
    read_kind(host, false, use_user_config);
    read_kind(host, true, use_user_config);
    read_project(host);
    return PERI_OK;
}

void host_recall_unload(peri_host *host) {
    peri_arena_deinit(&host->recall.arena);
}
