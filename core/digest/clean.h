// Foreign text on its way into a document. A peri_clean comes only from the functions below,
// and a document takes nothing else from outside (frame.h): what was not scrubbed, neutralised
// and cut cannot get in.
#ifndef PERI_DIGEST_CLEAN_H
#define PERI_DIGEST_CLEAN_H

#include "base/text.h"
#include "digest/scrub.h"

enum {
    PERI_CLEAN_NAME_BYTES = 128, // names, reasons, sources, call ids
    PERI_CLEAN_PATH_CP = 1000,   // paths and folders
};

typedef struct peri_clean {
    peri_str text;   // borrowed until the cleaner is used again
    size_t left_out; // units cut off behind it; the document says so
} peri_clean;

typedef struct peri_clean_counts {
    size_t scrubbed, neutralised, truncated;
} peri_clean_counts;

typedef struct peri_cleaner {
    const peri_scrub *scrub; // NULL: secrets stay
    bool utf16;              // caps count UTF-16 units, not code points
    peri_clean_counts counts;
    int status;                  // sticky PERI_ENOMEM
    peri_buf scrubbed, replaced; // reused from text to text
} peri_cleaner;

void peri_cleaner_init(peri_cleaner *cleaner, const peri_scrub *scrub, bool utf16);
void peri_cleaner_deinit(peri_cleaner *cleaner);

/// A body: at most `cap` units; whatever looks like a tag of the family has a backslash behind
/// its "<".
peri_clean peri_clean_body(peri_cleaner *cleaner, const peri_text *text, size_t cap);

/// The same for a text that stands without a tag of its own: a "<" at its end is made harmless
/// too, because the next text could complete it.
peri_clean peri_clean_bare(peri_cleaner *cleaner, const peri_text *text, size_t cap);

/// An attribute's value: '"', "<", ">" and control characters become "_".
peri_clean peri_clean_attr(peri_cleaner *cleaner, const peri_text *text, size_t cap);

/// A name: reduced to [A-Za-z0-9_-]; `fallback` (a literal of such) if nothing is left.
peri_clean peri_clean_name(peri_cleaner *cleaner, peri_str name, const char *fallback);

/// A number the host counted.
peri_clean peri_clean_number(peri_cleaner *cleaner, int64_t number);

/// True if the "<" at `at` begins what looks like a tag of the family: opening or closing, any
/// case, blanks allowed around the slash.
bool peri_clean_tag_at(peri_str text, size_t at);

#endif
