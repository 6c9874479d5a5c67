// Showing definitions that nobody has agreed to yet. Lua is read by words (script/outline.h),
// Markdown headers as YAML; what cannot be told that way is said to be unknown, never guessed.
// Everything passes peri_prose_add_plain(): a file may be written to fool the reader's
// terminal.
#include "project_view.h"

#include "base/yaml.h"
#include "plain.h"
#include "prose.h"
#include "script/outline.h"

enum { VALUE_MAX_CP = 120, EXCERPT_LINES = 12, EXCERPT_COLUMN = 8, VALUE_COLUMN = 20 };

// The path of `file` below its project's folder.
static peri_str relative(const peri_project *project, const peri_project_file *file) {
    return peri_str_sub(file->path, project->folder.len + 1, file->path.len);
}

static void key(peri_buf *out, peri_str name) {
    size_t start = out->len;
    peri_buf_add_c(out, "      ");
    peri_prose_add_plain(out, name, 30);
    size_t width = out->len - start;
    peri_buf_add_repeat(out, ' ', width < 20 ? 20 - width : 1);
}

static void line(peri_buf *out, const char *name, const char *value) {
    key(out, peri_str_c(name));
    peri_prose_add_wrapped(out, peri_str_c(value), VALUE_COLUMN);
}

static void replaced(peri_buf *out, peri_str name, peri_replaces_fn replaces, void *user) {
    peri_str layer = name.len ? replaces(user, name) : (peri_str){0};
    if (!layer.ptr) return;
    key(out, PERI_STR("replaces"));
    peri_buf_addf(out, "the %.*s observer of that name\n", PERI_FMT(layer));
}

// ---- Lua

// `if_missing` is what the core takes for a key that is not there.
static void value_line(peri_buf *out, const char *name, const peri_outline_value *value,
                       const char *if_missing) {
    if (!value->given && !if_missing) return;
    key(out, peri_str_c(name));
    size_t start = out->len;
    if (!value->given) peri_buf_add_c(out, if_missing);
    if (value->given && !value->written)
        peri_buf_add_c(out, "computed: only running it would tell");
    for (size_t i = 0; i < value->count; i++) {
        if (i) peri_buf_add_c(out, ", ");
        peri_prose_add_plain(out, value->words[i], VALUE_MAX_CP);
    }
    peri_prose_wrap(out, start, VALUE_COLUMN);
}

static void view_lua(peri_buf *out, peri_str text) {
    peri_outline outline;
    peri_outline_read(text, &outline);
    if (!outline.plain) {
        line(out, "refused",
             "it does not end in `return { NAME = VALUE, ... }`: it will not load");
        return;
    }
    value_line(out, "name", &outline.name, "none: it will not load");
    value_line(out, "description", &outline.description, NULL);
    value_line(out, "on", &outline.on, "nothing: it will not load");
    value_line(out, "may", &outline.can, "advise");
    value_line(out, "sees", &outline.sees, "activity");
    value_line(out, "agents", &outline.agents, "all");
    value_line(out, "deliver", &outline.deliver, NULL);
    if (outline.command.given) {
        line(out, "refused", "it wants to run a program: it will not load");
    } else if (!outline.name.written || (outline.can.given && !outline.can.written)) {
        line(out, "refused", "its name or what it can is computed: it will not load");
    }
}

// The Lua beside a Markdown observer. What it has is all there
// is to tell: the rest is the header's.
static void view_beside(peri_buf *out, peri_str text) {
    peri_outline outline;
    peri_outline_read(text, &outline);
    if (!outline.plain) {
        line(out, "refused",
             "it does not end in `return { NAME = VALUE, ... }`: neither file will load");
        return;
    }
    if (outline.has_wake) line(out, "wake", "decides whether the model is asked");
    if (outline.has_observe) line(out, "observe", "stands in where there is no model");
}

// ---- Markdown

static void add_node(peri_buf *out, const peri_yaml *node) {
    if (node->type == PERI_YAML_MAP) {
        peri_buf_add_c(out, "{...}");
    } else if (node->type == PERI_YAML_LIST) {
        for (const peri_yaml *one = node->first; one; one = one->next) {
            if (one != node->first) peri_buf_add_c(out, ", ");
            add_node(out, one);
        }
    } else {
        peri_prose_add_plain(out, node->text, VALUE_MAX_CP);
    }
}

// The header as it is written, known keys or not: a reader of `command: ...` shall see it.
static void view_markdown(peri_buf *out, const peri_project_file *file) {
    peri_str header = {0}, body = {0};
    uint32_t at = 1;
    peri_yaml_doc doc = {0};
    int status = peri_front_matter(file->text, file->path, NULL, &header, &at, &body);
    bool parsed = status == PERI_OK;
    if (parsed) status = peri_yaml_parse(&doc, header, file->path, at, NULL);
    if (status < 0 || !doc.root || doc.root->type != PERI_YAML_MAP) {
        line(out, "header", "cannot be read, so it will not load; see perilune check");
    } else {
        for (const peri_yaml *node = doc.root->first; node; node = node->next) {
            key(out, node->key);
            size_t start = out->len;
            add_node(out, node);
            peri_prose_wrap(out, start, VALUE_COLUMN);
        }
        key(out, PERI_STR("prompt"));
        peri_buf_addf(out, "%zu bytes\n", peri_str_trim(body).len);
    }
    if (parsed) peri_yaml_doc_deinit(&doc);
}

// ---- Texts

static void view_text(peri_buf *out, peri_str text) {
    for (int i = 0; i < EXCERPT_LINES && text.len; i++) {
        size_t end = peri_str_find_byte(text, '\n', 0);
        peri_buf_add_c(out, "      | ");
        peri_prose_add_plain(out, peri_str_sub(text, 0, end == PERI_NPOS ? text.len : end),
                             (size_t)plain_columns() - EXCERPT_COLUMN - 1);
        peri_buf_add_byte(out, '\n');
        text = peri_str_sub(text, end == PERI_NPOS ? text.len : end + 1, text.len);
    }
    if (text.len) peri_buf_addf(out, "      | ... and %zu bytes more\n", text.len);
}

static const char *what_it_is(const peri_project_file *file, bool markdown, bool beside) {
    switch (file->kind) {
    case PERI_PROJECT_CONFIG:
        return "a config; it may switch observers off, lower limits, add secrets and a goal";
    case PERI_PROJECT_GOAL:
        return "the goal; observers read it, its check is never run";
    case PERI_PROJECT_AGENT:
        return "an agent; a model would observe it, or run its prompt to observe another";
    case PERI_PROJECT_NOTE:
        return "a note; observers may remind the agent of it";
    default:
        if (beside)
            return "the Lua beside that Markdown observer; it runs in a worker, without files, "
                   "network or programs";
        return markdown
                   ? "an observer; a model would run its prompt"
                   : "an observer in Lua; it runs in a worker, without files, network or programs";
    }
}

static bool has_markdown(const peri_project *project, peri_str lua) {
    peri_buf path;
    peri_buf_init(&path, 64 * 1024);
    peri_buf_add(&path, peri_str_sub(lua, 0, lua.len - strlen(".lua")));
    peri_buf_add_c(&path, ".md");
    bool has = peri_project_find(project, peri_buf_str(&path)) != NULL;
    peri_buf_deinit(&path);
    return has;
}

void peri_project_view(peri_buf *out, const peri_project *project,
                       const peri_project_file *file, peri_replaces_fn replaces, void *user) {
    bool markdown = peri_str_ends(file->path, PERI_STR(".md"));
    bool beside = !markdown && has_markdown(project, file->path);
    peri_buf_add_c(out, "  ");
    peri_prose_add_plain(out, relative(project, file), VALUE_MAX_CP);
    peri_buf_add_c(out, "\n      ");
    peri_prose_add_wrapped(out, peri_str_c(what_it_is(file, markdown, beside)), 6);
    if (file->kind != PERI_PROJECT_OBSERVER) {
        view_text(out, file->text);
    } else {
        if (markdown) {
            view_markdown(out, file);
        } else if (beside) {
            view_beside(out, file->text);
        } else {
            view_lua(out, file->text);
        }
        replaced(out, peri_outline_name(file->path, file->text), replaces, user);
    }
    peri_buf_addf(out, "      sha256  %s\n\n", file->hash);
}
