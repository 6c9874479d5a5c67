// The face of regex.h over PCRE2, whose matching has ceilings of steps and memory and whose
// compiled form has one of size, so that no repeat of a repeat explodes. The only file that
// includes pcre2.h.
#include "base/regex.h"

#include <stdio.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct peri_regex {
    pcre2_code *code;
    pcre2_match_data *found;
    pcre2_match_context *limits;
    uint32_t flags;
};

static uint32_t compile_flags(const peri_regex_options *options) {
    uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    if (!options->javascript) return flags;
    return flags | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF |
           PCRE2_DOLLAR_ENDONLY;
}

static int explain(int error, size_t at, peri_regex_error *why) {
    if (why) {
        PCRE2_UCHAR text[sizeof why->text];
        pcre2_get_error_message(error, text, sizeof text);
        snprintf(why->text, sizeof why->text, "%s", (const char *)text);
        why->at = at;
    }
    return error == PCRE2_ERROR_HEAP_FAILED ? PERI_ENOMEM : PERI_EPARSE;
}

int peri_regex_new(peri_str pattern, const peri_regex_options *options, peri_regex **out,
                   peri_regex_error *why) {
    if (pattern.len == 0 || pattern.len > PERI_REGEX_MAX_BYTES) {
        if (why) *why = (peri_regex_error){.text = "a pattern has 1-1024 bytes"};
        return PERI_EPARSE;
    }
    int error;
    PCRE2_SIZE at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
                                     compile_flags(options), &error, &at, NULL);
    if (!code) return explain(error, at, why);
    peri_regex *regex = calloc(1, sizeof *regex);
    if (regex) {
        *regex = (peri_regex){.code = code,
                              .found = pcre2_match_data_create_from_pattern(code, NULL),
                              .limits = pcre2_match_context_create(NULL),
                              .flags = options->not_empty ? PCRE2_NOTEMPTY : 0};
    }
    if (!regex || !regex->found || !regex->limits) {
        if (!regex) pcre2_code_free(code);
        peri_regex_free(regex);
        return PERI_ENOMEM;
    }
    pcre2_set_match_limit(regex->limits, options->steps);
    pcre2_set_depth_limit(regex->limits, options->steps);
    pcre2_set_heap_limit(regex->limits, options->heap_kib);
    *out = regex;
    return PERI_OK;
}

void peri_regex_free(peri_regex *regex) {
    if (!regex) return;
    pcre2_match_context_free(regex->limits);
    pcre2_match_data_free(regex->found);
    pcre2_code_free(regex->code);
    free(regex);
}

int peri_regex_find(const peri_regex *regex, peri_str text, size_t from, size_t *start,
                    size_t *end) {
    int got = pcre2_match(regex->code, (PCRE2_SPTR)text.ptr, text.len, from, regex->flags,
                          regex->found, regex->limits);
    if (got == PCRE2_ERROR_NOMATCH) return 0;
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(regex->found);
    if (got < 0 || ends[0] < from || ends[1] < ends[0] || ends[1] > text.len)
        return PERI_ELIMIT;
    *start = ends[0];
    *end = ends[1];
    return 1;
}
