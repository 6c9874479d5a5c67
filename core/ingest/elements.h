// The elements of one JSON array that is a whole stream, one record each (a saved list of chat
// messages). Finds where each ends without parsing it. Internal to ingest.
#ifndef PERI_INGEST_ELEMENTS_H
#define PERI_INGEST_ELEMENTS_H

#include "base/str.h"

/// What kind of stream it is, as far as its beginning shows.
typedef enum peri_stream_shape {
    PERI_SHAPE_OPEN,    // nothing but blanks so far
    PERI_SHAPE_BRACKET, // a "[" that may begin an array
    PERI_SHAPE_ARRAY,   // "[" and then a blank, an object or the end: elements
    PERI_SHAPE_LINES,   // anything else
} peri_stream_shape;

typedef struct peri_elements {
    peri_stream_shape shape;
    uint64_t depth;    // of brackets open inside the current element
    uint8_t bom_bytes; // seen of a BOM at the very start; 3: none can come any more
    bool in_string, escaped;
} peri_elements;

/// Looks at the next bytes of the stream while its shape is open. Once it is an array, `*begin`
/// is how many of them stand before its inside.
void peri_elements_look(peri_elements *elements, peri_str bytes, size_t *begin);

/// Blanks and commas before the next element. A "]" there ends
/// the array: what follows is lines.
size_t peri_elements_skip(peri_elements *elements, peri_str bytes);

/// Bytes of the current element within `bytes`, up to all of them; `*ended` if it ends there.
size_t peri_elements_end(peri_elements *elements, peri_str bytes, bool *ended);

#endif
