// Patterns from a person's configuration or Lua file. Their author is trusted, the text is not:
// every match has a ceiling of steps and memory, and a text on which a pattern reaches it is
// hidden from there on, because not knowing is no reason to show it.
#include "digest/scrub_added.h"

#include <stdlib.h>

#include "base/regex.h"

enum {
    MAX_KINDS = 64,
    MAX_KIND_BYTES = 64,
    MATCH_STEPS = 2000, // for one place of the text where a match may begin
    MATCH_HEAP_KIB = 256,
};

typedef struct added_kind {
    char name[MAX_KIND_BYTES + 1];
    peri_regex *pattern;
} added_kind;

struct peri_added_kinds {
    added_kind kinds[MAX_KINDS];
    size_t count;
    peri_regex_error why; // the last pattern was none
};

peri_added_kinds *peri__added_new(void) {
    return calloc(1, sizeof(peri_added_kinds));
}

void peri__added_free(peri_added_kinds *added) {
    if (!added) return;
    for (size_t i = 0; i < added->count; i++) {
        peri_regex_free(added->kinds[i].pattern);
    }
    free(added);
}

static bool kind_ok(peri_str kind) {
    if (kind.len == 0 || kind.len > MAX_KIND_BYTES) return false;
    for (size_t i = 0; i < kind.len; i++) {
        char c = kind.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '_') return false;
    }
    return true;
}

static int fail(int status, const char *message, const char **error) {
    *error = message;
    return status;
}

int peri__added_add(peri_added_kinds *added, peri_str kind, peri_str pattern,
                    const char **error, size_t *error_at) {
    *error_at = 0;
    if (!kind_ok(kind)) return fail(PERI_EINVAL, "a kind is 1-64 of [A-Za-z0-9_-]", error);
    if (added->count == MAX_KINDS) return fail(PERI_ELIMIT, "at most 64 patterns", error);
    const peri_regex_options options = {
        .not_empty = true, .steps = MATCH_STEPS, .heap_kib = MATCH_HEAP_KIB};
    added_kind *to = &added->kinds[added->count];
    int status = peri_regex_new(pattern, &options, &to->pattern, &added->why);
    if (status == PERI_ENOMEM) return fail(status, "out of memory", error);
    if (status < 0) {
        *error_at = added->why.at;
        return fail(status, added->why.text, error);
    }
    memcpy(to->name, kind.ptr, kind.len);
    added->count++;
    return PERI_OK;
}

size_t peri__added_count(const peri_added_kinds *added) {
    return added->count;
}

static void add_placeholder(peri_buf *out, const added_kind *kind) {
    peri_buf_addf(out, "[%s redacted]", kind->name);
}

size_t peri__added_apply(const peri_added_kinds *added, size_t which, peri_str text,
                         peri_buf *out) {
    const added_kind *kind = &added->kinds[which];
    size_t at = 0, count = 0, start, end;
    while (at < text.len) {
        int found = peri_regex_find(kind->pattern, text, at, &start, &end);
        if (found == 0) break;
        bool usable = found > 0 && end > start;
        peri_buf_add(out, peri_str_sub(text, at, usable ? start - at : 0));
        add_placeholder(out, kind);
        count++;
        if (!usable) return count; // gave up: what is left stays hidden
        at = end;
    }
    peri_buf_add(out, peri_str_sub(text, at, text.len));
    return count;
}
