// A long text of which only both ends are kept, with the true size of the whole. What a stream
// says is held in this form from the scanner to the digest, so that a cut can always name what
// it left out.
#ifndef PERI_BASE_TEXT_H
#define PERI_BASE_TEXT_H

#include "base/utf8.h"

typedef struct peri_text {
    peri_str head; // valid UTF-8; the whole text unless `cut`
    peri_str tail; // the last part if `cut`, else empty; never overlaps `head`
    uint32_t cp;   // code points of the whole
    uint32_t u16;  // UTF-16 units of the whole
    bool cut;      // something between head and tail is missing
} peri_text;

/// How much of a text to keep, in code points.
typedef struct peri_text_caps {
    uint32_t head_cp, tail_cp;
} peri_text_caps;

static inline bool peri_text_absent(const peri_text *text) {
    return text->head.ptr == NULL;
}

/// A peri_text over the valid UTF-8 `s`, borrowed, both ends kept as `caps` says.
peri_text peri_text_of(peri_str s, peri_text_caps caps);

/// The last `max_cp` code points of valid UTF-8 `s`, or all of it.
peri_str peri_text_tail(peri_str s, size_t max_cp);

/// Appends the text; where it is cut, "\n… [N characters left out] …\n" stands between both
/// ends.
void peri_text_add(peri_buf *out, const peri_text *text);

#endif
