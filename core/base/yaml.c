// The YAML face (yaml.h) over libyaml's events. What libyaml would allow is bounded here: the
// reader stops at the first event that nests too deep, refers, tags or repeats, so nothing is
// ever expanded and libyaml never gets as far as its slow cases. The only file that includes
// yaml.h of libyaml. Called by every loader of files that people write.
#include <yaml.h>

#include "base/map.h"
#include "base/utf8.h"
#include "base/yaml.h"

// A node costs under 200 bytes and at least two of text.
enum { ARENA_BYTES = PERI_YAML_MAX_BYTES * 128 };

// An open list or map.
typedef struct level {
    peri_yaml *node, *last; // the container and its newest child
    peri_yaml *member;      // of a map: the one whose value comes next
    peri_map names;         // of a map: name -> member
} level;

typedef struct reader {
    peri_yaml_doc *doc;
    peri_str text;
    uint32_t first_line;
    yaml_parser_t parser;
    level open[PERI_YAML_MAX_DEPTH];
    size_t depth, value_count;
    bool ended; // the one document is over
} reader;

typedef struct place {
    uint32_t line, column;
} place;

static place place_of(const reader *r, yaml_mark_t mark) {
    return (place){r->first_line + (uint32_t)mark.line, (uint32_t)mark.column + 1};
}

static int refuse(reader *r, place at, int status, const char *id, const char *message,
                  const char *hint) {
    peri_diag_addf(r->doc->diags, PERI_ERROR, id, r->doc->file, at.line, at.column, hint, "%s",
                   message);
    return status;
}

static int no_memory(reader *r) {
    return refuse(r, (place){0}, PERI_ENOMEM, "out-of-memory", "out of memory", NULL);
}

// Line `number` (from 0) of the text, without its end.
static peri_str line_of(peri_str text, size_t number) {
    for (size_t end; number > 0; number--) {
        end = peri_str_find_byte(text, '\n', 0);
        text = end == PERI_NPOS ? (peri_str){0} : peri_str_sub(text, end + 1, text.len);
    }
    size_t end = peri_str_find_byte(text, '\n', 0);
    return end == PERI_NPOS ? text : peri_str_sub(text, 0, end);
}

static bool holds(const char *text, const char *part) {
    return text && strstr(text, part);
}

// What to do about libyaml's complaint, by the commonest causes. `line` is where it stopped.
static const char *hint_for(const yaml_parser_t *parser, peri_str line) {
    size_t indent = 0;
    while (indent < line.len && (line.ptr[indent] == ' ' || line.ptr[indent] == '\t')) indent++;
    if (peri_str_find_byte(peri_str_sub(line, 0, indent), '\t', 0) != PERI_NPOS) {
        return "indent with spaces: YAML does not allow tabs there";
    }
    if (holds(parser->problem, "mapping values are not allowed")) {
        size_t colon = peri_str_find(line, PERI_STR(": "));
        return colon < parser->problem_mark.column
                   ? "put the value in quotes: it holds a colon and a blank"
                   : "indent it like its neighbours, or put the value above in quotes";
    }
    if (holds(parser->problem, "cannot start any token") ||
        holds(parser->context, "scanning an alias") ||
        holds(parser->context, "scanning an anchor")) {
        return "put the value in quotes: it begins with a character that YAML keeps for itself";
    }
    if (holds(parser->context, "quoted scalar")) return "close the quotes";
    if (holds(parser->context, "flow sequence")) return "close the list with ]";
    if (holds(parser->context, "flow mapping")) return "close the map with }";
    return "check the quotes, brackets and indentation around this line";
}

// libyaml's complaint, in our form. A file that is not text has an offset instead of a mark.
static int on_syntax(reader *r) {
    const yaml_parser_t *parser = &r->parser;
    const char *problem = parser->problem ? parser->problem : "not well-formed";
    place at = place_of(r, parser->problem_mark);
    if (parser->error == YAML_MEMORY_ERROR) return no_memory(r);
    if (parser->error == YAML_READER_ERROR) {
        peri_diag_place(r->text, parser->problem_offset, &at.line, &at.column);
        at.line += r->first_line - 1;
        return refuse(r, at, PERI_EPARSE, "yaml-encoding", problem, "save the file as UTF-8");
    }
    const char *hint = hint_for(parser, line_of(r->text, parser->problem_mark.line));
    if (!parser->context || parser->context_mark.line == parser->problem_mark.line) {
        return refuse(r, at, PERI_EPARSE, "yaml-syntax", problem, hint);
    }
    peri_diag_addf(r->doc->diags, PERI_ERROR, "yaml-syntax", r->doc->file, at.line, at.column,
                   hint, "%s %s that begins in line %u", problem, parser->context,
                   place_of(r, parser->context_mark).line);
    return PERI_EPARSE;
}

// A new node behind the ones of the innermost open container; NULL when memory ran out.
static peri_yaml *append(reader *r, place at) {
    peri_yaml *node = peri_arena_zero(&r->doc->arena, sizeof *node);
    if (!node) return NULL;
    node->line = at.line;
    node->column = at.column;
    if (r->depth == 0) {
        r->doc->root = node;
        return node;
    }
    level *in = &r->open[r->depth - 1];
    if (in->last) {
        in->last->next = node;
    } else {
        in->node->first = node;
    }
    in->last = node;
    return node;
}

// The node that the value at hand fills: the member whose name was read, or a new one.
static peri_yaml *next_value(reader *r, place at) {
    level *in = r->depth ? &r->open[r->depth - 1] : NULL;
    if (!in || !in->member) return append(r, at);
    peri_yaml *member = in->member;
    in->member = NULL;
    member->line = at.line;
    member->column = at.column;
    return member;
}

static bool name_expected(const reader *r) {
    const level *in = r->depth ? &r->open[r->depth - 1] : NULL;
    return in && in->node->type == PERI_YAML_MAP && !in->member;
}

static int add_name(reader *r, peri_str name, place at) {
    level *in = &r->open[r->depth - 1];
    const peri_yaml *first = peri_map_get(&in->names, name);
    if (first) {
        peri_diag_addf(r->doc->diags, PERI_ERROR, "duplicate-key", r->doc->file, at.line,
                       at.column, "keep one of them", "\"%.*s\" stands twice, first in line %u",
                       PERI_FMT(name), first->key_line);
        return PERI_EDUP;
    }
    peri_yaml *member = append(r, at);
    if (!member) return no_memory(r);
    member->key = name;
    member->key_line = at.line;
    member->key_column = at.column;
    in->member = member;
    return peri_map_set(&in->names, name, member) < 0 ? no_memory(r) : PERI_OK;
}

static int on_scalar(reader *r, const yaml_event_t *event) {
    place at = place_of(r, event->start_mark);
    bool quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    peri_str text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    if (name_expected(r) && !quoted && peri_str_eq(text, PERI_STR("<<"))) {
        return refuse(r, at, PERI_EPARSE, "yaml-merge-key", "merge keys are not allowed",
                      "write the members out");
    }
    if (r->depth == 0 && !quoted && text.len == 0) return PERI_OK; // "---" and nothing
    text = peri_arena_copy(&r->doc->arena, text);
    if (!text.ptr) return no_memory(r);
    if (name_expected(r)) return add_name(r, text, at);
    peri_yaml *node = next_value(r, at);
    if (!node) return no_memory(r);
    node->type = PERI_YAML_SCALAR;
    node->quoted = quoted;
    node->text = text;
    return PERI_OK;
}

static int on_open(reader *r, peri_yaml_type type, place at) {
    if (name_expected(r)) {
        return refuse(r, at, PERI_EPARSE, "yaml-syntax", "a name must be a text",
                      "put it in quotes if it begins with [ or {");
    }
    if (r->depth == PERI_YAML_MAX_DEPTH) {
        return refuse(r, at, PERI_EDEPTH, "yaml-depth",
                      "nested deeper than the limit of 16 levels", NULL);
    }
    peri_yaml *node = next_value(r, at);
    if (!node) return no_memory(r);
    node->type = type;
    level *in = &r->open[r->depth++];
    *in = (level){.node = node};
    // Seeded by an address, so that nobody can choose names that collide.
    peri_map_init(&in->names, PERI_YAML_MAX_BYTES, (uint64_t)(uintptr_t)node);
    return PERI_OK;
}

static int on_close(reader *r) {
    peri_map_deinit(&r->open[--r->depth].names);
    return PERI_OK;
}

static int on_document(reader *r, const yaml_event_t *event) {
    place at = place_of(r, event->start_mark);
    if (r->ended) {
        return refuse(r, at, PERI_EPARSE, "yaml-documents", "a second document begins here",
                      "one file holds one document");
    }
    bool tags = event->data.document_start.tag_directives.start !=
                event->data.document_start.tag_directives.end;
    if (!tags) return PERI_OK;
    return refuse(r, at, PERI_EPARSE, "yaml-tag", "tags are not allowed",
                  "remove the %TAG line");
}

// Anchors and tags hang on the events of the values they mark.
static int check_marks(reader *r, const yaml_event_t *event, const void *anchor,
                       const void *tag) {
    place at = place_of(r, event->start_mark);
    if (anchor) {
        return refuse(r, at, PERI_EPARSE, "yaml-alias", "anchors and aliases are not allowed",
                      "write the value out, or put it in quotes if & is part of it");
    }
    if (!tag) return PERI_OK;
    return refuse(r, at, PERI_EPARSE, "yaml-tag", "tags are not allowed",
                  "put the value in quotes if ! is part of it");
}

static bool is_value(yaml_event_type_t type) {
    return type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT ||
           type == YAML_MAPPING_START_EVENT;
}

static int on_event(reader *r, const yaml_event_t *event) {
    place at = place_of(r, event->start_mark);
    int status = PERI_OK;
    if (is_value(event->type) && ++r->value_count > PERI_YAML_MAX_VALUES) {
        return refuse(r, at, PERI_ELIMIT, "yaml-too-many",
                      "more than the limit of 4096 names and values", NULL);
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return on_document(r, event);
    case YAML_DOCUMENT_END_EVENT:
        r->ended = true;
        return PERI_OK;
    case YAML_ALIAS_EVENT:
        return refuse(r, at, PERI_EPARSE, "yaml-alias", "anchors and aliases are not allowed",
                      "write the value out, or put it in quotes if * is part of it");
    case YAML_SCALAR_EVENT:
        status = check_marks(r, event, event->data.scalar.anchor, event->data.scalar.tag);
        return status < 0 ? status : on_scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        status = check_marks(r, event, event->data.sequence_start.anchor,
                             event->data.sequence_start.tag);
        return status < 0 ? status : on_open(r, PERI_YAML_LIST, at);
    case YAML_MAPPING_START_EVENT:
        status = check_marks(r, event, event->data.mapping_start.anchor,
                             event->data.mapping_start.tag);
        return status < 0 ? status : on_open(r, PERI_YAML_MAP, at);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(r);
    default:
        return PERI_OK;
    }
}

static int read_events(reader *r) {
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) return on_syntax(r);
        int status = on_event(r, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (status < 0) return status;
    }
    return PERI_OK;
}

int peri_yaml_parse(peri_yaml_doc *doc, peri_str text, peri_str file, uint32_t first_line,
                    peri_diag_list *diags) {
    *doc = (peri_yaml_doc){.file = file, .diags = diags};
    peri_arena_init(&doc->arena, ARENA_BYTES);
    reader r = {.doc = doc, .text = text, .first_line = first_line};
    if (peri_str_starts(text, PERI_STR("\xEF\xBB\xBF")))
        r.text = peri_str_sub(text, 3, text.len);
    if (text.len > PERI_YAML_MAX_BYTES) {
        return refuse(&r, (place){first_line, 1}, PERI_ELIMIT, "yaml-too-long",
                      "longer than the limit of 64 KiB", NULL);
    }
    if (r.text.len == 0) return PERI_OK;
    if (!yaml_parser_initialize(&r.parser)) return no_memory(&r);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text.ptr, r.text.len);
    int status = read_events(&r);
    while (r.depth > 0) on_close(&r);
    yaml_parser_delete(&r.parser);
    if (status < 0) doc->root = NULL;
    return status;
}

void peri_yaml_doc_deinit(peri_yaml_doc *doc) {
    if (!doc) return;
    peri_arena_deinit(&doc->arena);
    doc->root = NULL;
}

const peri_yaml *peri_yaml_get(const peri_yaml *map, peri_str key) {
    if (!map || map->type != PERI_YAML_MAP) return NULL;
    for (const peri_yaml *member = map->first; member; member = member->next) {
        if (peri_str_eq(member->key, key)) return member;
    }
    return NULL;
}
