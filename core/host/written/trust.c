// The trust store. Its file is small, a person can read it, and it is replaced as a whole, so a
// crash leaves the old one or the new one. It stands apart from the ledger because pruning or
// deleting the ledger must neither grant nor take trust. Called by project.c and the trust
// verb.
#include "host/written/trust.h"

#include <sodium.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "io/files.h"
#include "io/own_files.h"

enum { STORE_MAX_BYTES = 8 * 1024 * 1024, HASH_BYTES = 32 };

void peri_trust_init(peri_trust *trust) {
    *trust = (peri_trust){0};
    peri_arena_init(&trust->arena, STORE_MAX_BYTES);
}

void peri_trust_deinit(peri_trust *trust) {
    free(trust->entries);
    peri_arena_deinit(&trust->arena);
}

void peri_trust_hash(peri_str text, char hash[PERI_TRUST_HASH_CHARS + 1]) {
    unsigned char bytes[HASH_BYTES];
    crypto_hash_sha256(bytes, (const unsigned char *)(text.ptr ? text.ptr : ""), text.len);
    sodium_bin2hex(hash, PERI_TRUST_HASH_CHARS + 1, bytes, sizeof bytes);
}

static peri_trust_entry *find(const peri_trust *trust, peri_str path) {
    for (size_t i = 0; i < trust->count; i++) {
        if (peri_str_eq(trust->entries[i].path, path)) return &trust->entries[i];
    }
    return NULL;
}

bool peri_trust_has(const peri_trust *trust, peri_str path, const char *hash) {
    const peri_trust_entry *entry = find(trust, path);
    return entry && strcmp(entry->hash, hash) == 0;
}

// Room for one entry more, or NULL.
static peri_trust_entry *grow(peri_trust *trust) {
    if (trust->count == trust->cap) {
        size_t cap = trust->cap ? 2 * trust->cap : 16;
        peri_trust_entry *entries = realloc(trust->entries, cap * sizeof *entries);
        if (!entries) return NULL;
        trust->entries = entries;
        trust->cap = cap;
    }
    return &trust->entries[trust->count];
}

int peri_trust_add(peri_trust *trust, peri_str path, const char *hash, int64_t at_wall_ms) {
    peri_trust_entry *entry = find(trust, path);
    if (!entry && trust->count == PERI_TRUST_MAX_ENTRIES) return PERI_ELIMIT;
    if (!entry) {
        peri_str kept = peri_arena_copy(&trust->arena, path);
        entry = kept.ptr ? grow(trust) : NULL;
        if (!entry) return PERI_ENOMEM;
        entry->path = kept;
        trust->count++;
    }
    memcpy(entry->hash, hash, PERI_TRUST_HASH_CHARS);
    entry->hash[PERI_TRUST_HASH_CHARS] = '\0';
    entry->at_wall_ms = at_wall_ms;
    return PERI_OK;
}

static bool is_at_or_below(peri_str path, peri_str root) {
    return peri_str_starts(path, root) && (path.len == root.len || path.ptr[root.len] == '/' ||
                                           peri_str_ends(root, PERI_STR("/")));
}

size_t peri_trust_del(peri_trust *trust, peri_str path) {
    size_t kept = 0, had = trust->count;
    for (size_t i = 0; i < had; i++) {
        if (!is_at_or_below(trust->entries[i].path, path)) {
            trust->entries[kept++] = trust->entries[i];
        }
    }
    trust->count = kept;
    return had - kept;
}

static bool is_hash(peri_str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
    }
    return text.len == PERI_TRUST_HASH_CHARS;
}

// One line of the store. PERI_EPARSE if it is no entry.
static int read_line(peri_trust *trust, peri_json_doc *doc, peri_str line) {
    if (peri_json_parse(doc, line) < 0) return PERI_EPARSE;
    peri_json root = peri_json_root(doc);
    peri_str path = peri_json_str(peri_json_get(root, PERI_STR("path")), &trust->arena);
    peri_str hash = peri_json_str(peri_json_get(root, PERI_STR("sha256")), &trust->arena);
    peri_str at = peri_json_str(peri_json_get(root, PERI_STR("at")), &trust->arena);
    int64_t at_wall_ms = 0;
    if (!path.len || path.ptr[0] != '/' || !is_hash(hash)) return PERI_EPARSE;
    if (peri_time_parse(at, &at_wall_ms) < 0) return PERI_EPARSE;
    return peri_trust_add(trust, path, hash.ptr, at_wall_ms);
}

static int read_lines(peri_trust *trust, peri_str text, peri_str file, peri_diag_list *diags) {
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    int status = PERI_OK;
    for (uint32_t number = 1; text.len && status == PERI_OK; number++) {
        size_t end = peri_str_find_byte(text, '\n', 0);
        peri_str line = peri_str_sub(text, 0, end == PERI_NPOS ? text.len : end);
        text = peri_str_sub(text, end == PERI_NPOS ? text.len : end + 1, text.len);
        if (peri_str_trim(line).len) status = read_line(trust, &doc, line);
        if (status != PERI_EPARSE) continue;
        status = PERI_OK;
        peri_diag_addf(diags, PERI_WARNING, "bad-trust-entry", file, number, 0,
                       "run perilune trust again in that project",
                       "the line is no entry of a trust store, so it trusts nothing");
    }
    peri_json_doc_deinit(&doc);
    return status;
}

static const char *problem_of(const char *file) {
    const char *problem = peri_own_problem(file, PERI_OWN_FILE);
    if (problem || peri_path_type_of(file) == PERI_PATH_NONE) return problem;
    return peri_path_in_open_folder(file) ? "is in a folder that everyone may write" : NULL;
}

int peri_trust_read(peri_trust *trust, const char *file, peri_diag_list *diags) {
    peri_buf text;
    peri_buf_init(&text, STORE_MAX_BYTES);
    const char *unsafe = problem_of(file);
    int status = unsafe ? PERI_EACCES : peri_file_read(file, &text);
    if (status == PERI_OK)
        status = read_lines(trust, peri_buf_str(&text), peri_str_c(file), diags);
    if (status < 0 && status != PERI_ENOENT) {
        trust->count = 0;
        peri_diag_addf(diags, PERI_ERROR, "no-trust", peri_str_c(file), 0, 0,
                       "make it a file that only you can write, in a folder of that kind",
                       "no project is trusted: the trust store %s",
                       unsafe ? unsafe : peri_status_message(status));
    }
    peri_buf_deinit(&text);
    return status == PERI_ENOENT ? PERI_OK : status;
}

int peri_trust_write(const peri_trust *trust, const char *file) {
    peri_buf text;
    peri_buf_init(&text, STORE_MAX_BYTES);
    for (size_t i = 0; i < trust->count; i++) {
        const peri_trust_entry *entry = &trust->entries[i];
        peri_buf_add_c(&text, "{\"path\":");
        peri_json_add_string(&text, entry->path);
        peri_buf_addf(&text, ",\"sha256\":\"%s\",\"at\":\"", entry->hash);
        peri_time_format(&text, entry->at_wall_ms);
        peri_buf_add_c(&text, "\"}\n");
    }
    int status = text.status < 0 ? text.status : peri_own_write(file, peri_buf_str(&text));
    peri_buf_deinit(&text);
    return status;
}
