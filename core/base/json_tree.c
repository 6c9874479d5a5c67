// Trees of JSON for small documents (json_tree.h), on cJSON. What a text must be is settled by
// json_prepare.c before cJSON sees it; here texts and numbers keep the heads they were given
// there, so a tree is read and printed without C strings, doubles or recursion. The only file
// that includes cJSON.h. Called by loaders, runtimes and bindings, never by the event stream.
#include <cjson/cJSON.h>
#include <math.h>

#include "base/json_prepare.h"
#include "base/json_tree.h"
#include "base/number.h"

enum { DEFAULT_BYTES = 1024 * 1024, DEFAULT_DEPTH = 64 };

static const cJSON *item_of(const peri_tree *tree) {
    return (const cJSON *)(const void *)tree;
}

static cJSON *mutable_item(peri_tree *tree) {
    return (cJSON *)(void *)tree;
}

static peri_tree *tree_of(cJSON *item) {
    return (peri_tree *)(void *)item;
}

// Hands what was prepared to cJSON. The text is known to be good, so what fails is memory.
static int build(peri__json_prepared *prepared, peri_tree **out) {
    peri_str ready = peri_buf_str(&prepared->text);
    cJSON *item = cJSON_ParseWithLength(ready.ptr, ready.len);
    if (!item) {
        prepared->id = "out-of-memory";
        prepared->problem = "out of memory";
        return PERI_ENOMEM;
    }
    *out = tree_of(item);
    return PERI_OK;
}

static int parse_valid(peri_str text, peri_tree_limits limits, peri_str file,
                       peri_diag_list *diags, size_t *repaired, peri_tree **out) {
    uint32_t depth = limits.max_depth ? limits.max_depth : DEFAULT_DEPTH;
    peri__json_prepared prepared;
    int status = peri__json_prepare(text, depth, limits.refuse_duplicates, &prepared);
    if (status == PERI_OK) status = build(&prepared, out);
    if (status < 0) {
        uint32_t line, column;
        peri_diag_place(text, prepared.error_at, &line, &column);
        peri_diag_addf(diags, PERI_ERROR, prepared.id, file, line, column, prepared.hint, "%s",
                       prepared.problem);
    }
    *repaired += prepared.repaired;
    peri_buf_deinit(&prepared.text);
    return status;
}

int peri_tree_parse(peri_str text, peri_tree_limits limits, peri_str file,
                    peri_diag_list *diags, size_t *repaired, peri_tree **out) {
    size_t max_bytes = limits.max_bytes ? limits.max_bytes : DEFAULT_BYTES;
    if (text.len > max_bytes || text.len > UINT32_MAX) {
        peri_diag_addf(diags, PERI_ERROR, "json-too-long", file, 0, 0, NULL,
                       "%zu bytes are more than the limit of %zu", text.len, max_bytes);
        return PERI_ELIMIT;
    }
    if (peri_str_starts(text, PERI_STR("\xEF\xBB\xBF"))) text = peri_str_sub(text, 3, text.len);
    size_t mended = 0;
    peri_buf valid;
    peri_buf_init(&valid, text.len * 3); // a bad byte becomes the three of U+FFFD
    if (!peri_utf8_valid(text)) {
        mended = peri_utf8_repair(&valid, text);
        text = peri_buf_str(&valid);
    }
    int status = valid.status;
    if (status == PERI_OK) {
        status = parse_valid(text, limits, file, diags, &mended, out);
    } else {
        peri_diag_addf(diags, PERI_ERROR, "out-of-memory", file, 0, 0, NULL, "out of memory");
    }
    peri_buf_deinit(&valid);
    if (status == PERI_OK && repaired) *repaired = mended;
    return status;
}

peri_tree *peri_tree_new_object(void) {
    return tree_of(cJSON_CreateObject());
}

peri_tree *peri_tree_new_array(void) {
    return tree_of(cJSON_CreateArray());
}

peri_tree *peri_tree_new_null(void) {
    return tree_of(cJSON_CreateNull());
}

peri_tree *peri_tree_new_bool(bool value) {
    return tree_of(cJSON_CreateBool(value));
}

// A text with its head in memory that cJSON will free; NULL if there is none.
static char *new_block(char kind, peri_str text) {
    if (text.len > UINT32_MAX / 3) return NULL;
    peri_buf valid;
    peri_buf_init(&valid, text.len * 3);
    if (!peri_utf8_valid(text)) {
        peri_utf8_repair(&valid, text);
        text = peri_buf_str(&valid);
    }
    char *block = valid.status == PERI_OK ? cJSON_malloc(PERI__HEAD_BYTES + text.len) : NULL;
    if (block) {
        peri__head_write(block, kind, text.len);
        if (text.len) memcpy(block + PERI__HEAD_BYTES, text.ptr, text.len);
    }
    peri_buf_deinit(&valid);
    return block;
}

static peri_tree *new_text(char kind, peri_str text) {
    cJSON *item = cJSON_CreateNull();
    char *block = item ? new_block(kind, text) : NULL;
    if (!block) {
        cJSON_Delete(item);
        return NULL;
    }
    item->type = cJSON_String;
    item->valuestring = block;
    return tree_of(item);
}

peri_tree *peri_tree_new_string(peri_str text) {
    return new_text(PERI__HEAD_STRING, text);
}

peri_tree *peri_tree_new_number(double value) {
    if (!isfinite(value)) return peri_tree_new_null();
    peri_buf digits;
    peri_buf_init(&digits, 64);
    peri_number_add(&digits, value);
    peri_tree *tree = NULL;
    if (digits.status == PERI_OK) tree = new_text(PERI__HEAD_NUMBER, peri_buf_str(&digits));
    peri_buf_deinit(&digits);
    return tree;
}

// Not cJSON_Delete() for all at once: that recurses, and a script may have built any depth.
void peri_tree_free(peri_tree *tree) {
    for (cJSON *item = mutable_item(tree), *behind; item; item = behind) {
        if (item->child) { // the children queue up in front of what stands behind
            cJSON *last = item->child;
            while (last->next) last = last->next;
            last->next = item->next;
            item->next = item->child;
            item->child = NULL;
        }
        behind = item->next;
        item->next = NULL;
        cJSON_Delete(item);
    }
}

static int add_child(peri_tree *parent, peri_tree *child, peri_json_type type, char *name) {
    int status = PERI_OK;
    if (!parent || !child) status = PERI_ENOMEM;
    if (parent && peri_tree_type(parent) != type) status = PERI_EINVAL;
    if (status == PERI_OK && type == PERI_JSON_OBJECT && !name) status = PERI_ENOMEM;
    if (status < 0) {
        cJSON_free(name);
        peri_tree_free(child);
        return status;
    }
    mutable_item(child)->string = name;
    cJSON_AddItemToArray(mutable_item(parent), mutable_item(child)); // an object is one, too
    return PERI_OK;
}

int peri_tree_set_take(peri_tree *object, peri_str key, peri_tree *child) {
    return add_child(object, child, PERI_JSON_OBJECT, new_block(PERI__HEAD_STRING, key));
}

int peri_tree_add_take(peri_tree *array, peri_tree *child) {
    return add_child(array, child, PERI_JSON_ARRAY, NULL);
}

peri_json_type peri_tree_type(const peri_tree *tree) {
    const cJSON *item = item_of(tree);
    if (!item) return PERI_JSON_ABSENT;
    if (cJSON_IsObject(item)) return PERI_JSON_OBJECT;
    if (cJSON_IsArray(item)) return PERI_JSON_ARRAY;
    if (cJSON_IsBool(item)) return PERI_JSON_BOOL;
    if (cJSON_IsNull(item)) return PERI_JSON_NULL;
    return item->valuestring[0] == PERI__HEAD_NUMBER ? PERI_JSON_NUMBER : PERI_JSON_STRING;
}

const peri_tree *peri_tree_first(const peri_tree *tree) {
    return tree ? tree_of(item_of(tree)->child) : NULL;
}

const peri_tree *peri_tree_next(const peri_tree *tree) {
    return tree ? tree_of(item_of(tree)->next) : NULL;
}

size_t peri_tree_count(const peri_tree *tree) {
    size_t count = 0;
    for (tree = peri_tree_first(tree); tree; tree = peri_tree_next(tree)) count++;
    return count;
}

peri_str peri_tree_key(const peri_tree *tree) {
    const char *name = tree ? item_of(tree)->string : NULL;
    return name ? peri__head_text(name) : (peri_str){0};
}

const peri_tree *peri_tree_get(const peri_tree *tree, peri_str key) {
    const peri_tree *found = NULL;
    if (peri_tree_type(tree) != PERI_JSON_OBJECT) return NULL;
    for (tree = peri_tree_first(tree); tree; tree = peri_tree_next(tree)) {
        if (peri_str_eq(peri_tree_key(tree), key)) found = tree; // the last of equal names
    }
    return found;
}

peri_str peri_tree_str(const peri_tree *tree) {
    peri_json_type type = peri_tree_type(tree);
    if (type != PERI_JSON_STRING && type != PERI_JSON_NUMBER) return (peri_str){0};
    return peri__head_text(item_of(tree)->valuestring);
}

bool peri_tree_is_true(const peri_tree *tree) {
    return cJSON_IsTrue(item_of(tree));
}

int peri_tree_int(const peri_tree *tree, int64_t *out) {
    if (peri_tree_type(tree) != PERI_JSON_NUMBER) return PERI_EINVAL;
    return peri_str_int(peri_tree_str(tree), out);
}

int peri_tree_double(const peri_tree *tree, double *out) {
    if (peri_tree_type(tree) != PERI_JSON_NUMBER) return PERI_EINVAL;
    return peri_number_parse(peri_tree_str(tree), out);
}

// A value without what it holds.
static void print_value(const peri_tree *tree, peri_buf *out) {
    switch (peri_tree_type(tree)) {
    case PERI_JSON_OBJECT:
        peri_buf_add_byte(out, '{');
        break;
    case PERI_JSON_ARRAY:
        peri_buf_add_byte(out, '[');
        break;
    case PERI_JSON_STRING:
        peri_json_add_string(out, peri_tree_str(tree));
        break;
    case PERI_JSON_NUMBER:
        peri_buf_add(out, peri_tree_str(tree));
        break;
    case PERI_JSON_BOOL:
        peri_buf_add_c(out, peri_tree_is_true(tree) ? "true" : "false");
        break;
    default:
        peri_buf_add_c(out, "null");
    }
}

static bool is_container(const peri_tree *tree) {
    return peri_tree_type(tree) >= PERI_JSON_ARRAY;
}

// The value to print behind `at`, with what must stand between; NULL at the end of the whole.
// `open` holds the containers around, the innermost last.
static const peri_tree *print_between(const peri_tree *at, const peri_tree **open,
                                      size_t *depth, peri_buf *out) {
    const peri_tree *next = NULL;
    if (is_container(at)) {
        open[(*depth)++] = at;
        next = peri_tree_first(at);
    } else if (*depth) {
        next = peri_tree_next(at);
    }
    while (!next && *depth) {
        const peri_tree *done = open[--*depth];
        peri_buf_add_byte(out, peri_tree_type(done) == PERI_JSON_OBJECT ? '}' : ']');
        if (*depth) next = peri_tree_next(done);
    }
    if (next && next != peri_tree_first(open[*depth - 1])) peri_buf_add_byte(out, ',');
    return next;
}

static int print_all(const peri_tree *tree, size_t max_len, peri_buf *out) {
    const peri_tree *open[DEFAULT_DEPTH];
    size_t depth = 0;
    for (const peri_tree *at = tree; at;) {
        if (depth && peri_tree_type(open[depth - 1]) == PERI_JSON_OBJECT) {
            peri_json_add_string(out, peri_tree_key(at));
            peri_buf_add_byte(out, ':');
        }
        if (is_container(at) && depth == DEFAULT_DEPTH) return PERI_EDEPTH;
        print_value(at, out);
        at = print_between(at, open, &depth, out);
        if (out->status < 0) return out->status;
        if (out->len > max_len) return PERI_ELIMIT;
    }
    return PERI_OK;
}

int peri_tree_print(const peri_tree *tree, size_t max_bytes, peri_buf *out) {
    size_t start = out->len;
    size_t max_len = max_bytes < SIZE_MAX - start ? start + max_bytes : SIZE_MAX;
    int status = tree ? print_all(tree, max_len, out) : PERI_EINVAL;
    if (status < 0) peri_buf_truncate(out, start);
    return status;
}
