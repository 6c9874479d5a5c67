// Patterns from a person's configuration or Lua file. Their author is trusted, the text is not: every match
// has a ceiling of steps and memory, and a text on which a pattern reaches it is hidden from
// there on, because not knowing is no reason to show it. The only file that includes pcre2.h.
#include "digest/scrub_added.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    MAX_KINDS = 64,
    MAX_KIND_BYTES = 64,
    MAX_PATTERN_BYTES = 1024,
    MATCH_STEPS = 2000, // for one place of the text where a match may begin
    MATCH_HEAP_KIB = 256,
};

typedef struct added_kind {
    char name[MAX_KIND_BYTES + 1];
    pcre2_code *code;
    pcre2_match_data *found;
} added_kind;

struct peri_added_kinds {
    pcre2_match_context *limits;
    added_kind kinds[MAX_KINDS];
    size_t count;
    char error[256];
};

peri_added_kinds *peri__added_new(void) {
    peri_added_kinds *added = calloc(1, sizeof *added);
    if (!added) return NULL;
    added->limits = pcre2_match_context_create(NULL);
    if (!added->limits) {
        free(added);
        return NULL;
    }
    pcre2_set_match_limit(added->limits, MATCH_STEPS);
    pcre2_set_depth_limit(added->limits, MATCH_STEPS);
    pcre2_set_heap_limit(added->limits, MATCH_HEAP_KIB);
    return added;
}

void peri__added_free(peri_added_kinds *added) {
    if (!added) return;
    for (size_t i = 0; i < added->count; i++) {
        pcre2_match_data_free(added->kinds[i].found);
        pcre2_code_free(added->kinds[i].code);
    }
    pcre2_match_context_free(added->limits);
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
    if (pattern.len == 0 || pattern.len > MAX_PATTERN_BYTES) {
        return fail(PERI_EPARSE, "a pattern has 1-1024 bytes", error);
    }
    int code_error;
    PCRE2_SIZE offset;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
                      PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
                      &code_error, &offset, NULL);
    if (!code) {
        pcre2_get_error_message(code_error, (PCRE2_UCHAR *)added->error, sizeof added->error);
        *error_at = offset;
        return fail(PERI_EPARSE, added->error, error);
    }
    added_kind *to = &added->kinds[added->count];
    to->found = pcre2_match_data_create_from_pattern(code, NULL);
    if (!to->found) {
        pcre2_code_free(code);
        return fail(PERI_ENOMEM, "out of memory", error);
    }
    to->code = code;
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
    size_t at = 0, count = 0;
    while (at < text.len) {
        int got = pcre2_match(kind->code, (PCRE2_SPTR)text.ptr, text.len, at, PCRE2_NOTEMPTY,
                              kind->found, added->limits);
        if (got == PCRE2_ERROR_NOMATCH) break;
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(kind->found);
        bool usable = got >= 0 && ends[0] >= at && ends[1] > ends[0] && ends[1] <= text.len;
        peri_buf_add(out, peri_str_sub(text, at, usable ? ends[0] - at : 0));
        add_placeholder(out, kind);
        count++;
        if (!usable) return count; // gave up: what is left stays hidden
        at = ends[1];
    }
    peri_buf_add(out, peri_str_sub(text, at, text.len));
    return count;
}
