// Regular expressions with bounded work: whatever pattern and text are, compiling and each
// search end soon. PCRE2 behind one file.
#ifndef PERI_BASE_REGEX_H
#define PERI_BASE_REGEX_H

#include "base/str.h"

typedef struct peri_regex peri_regex;

enum { PERI_REGEX_MAX_BYTES = 1024 }; // of a pattern

typedef struct peri_regex_options {
    bool javascript; // escapes, empty classes and `$` as in JavaScript
    bool not_empty;  // a find has at least one byte
    uint32_t steps;  // for one place of the text where a find may begin
    uint32_t heap_kib;
} peri_regex_options;

/// Why a pattern is none.
typedef struct peri_regex_error {
    char text[128];
    size_t at; // byte of the pattern
} peri_regex_error;

/// Compiles `pattern`, which is not kept; `*out` is owned by the caller. PERI_EPARSE (`why`,
/// may be NULL, says what is wrong), PERI_ENOMEM.
PERI_MUST_USE int peri_regex_new(peri_str pattern, const peri_regex_options *options,
                                 peri_regex **out, peri_regex_error *why);
void peri_regex_free(peri_regex *regex); // NULL is fine

/// Looks for the first find at or behind byte `from` of `text`, in which invalid UTF-8 matches
/// nothing. 1:
/// `*start` and `*end` are set; 0: there is none. PERI_ELIMIT: given up, nobody knows.
PERI_MUST_USE int peri_regex_find(const peri_regex *regex, peri_str text, size_t from,
                                  size_t *start, size_t *end);

#endif
