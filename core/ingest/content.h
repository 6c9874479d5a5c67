// What an observation keeps of a foreign JSON value. Internal to ingest.
#ifndef PERI_INGEST_CONTENT_H
#define PERI_INGEST_CONTENT_H

#include "base/json.h"
#include "model/observation.h"

enum {
    PERI_TEXT_HEAD_CP = 64000,  // kept of what people and models write
    PERI_OUTPUT_HEAD_CP = 4000, // kept of a tool's output: both ends
    PERI_OUTPUT_TAIL_CP = 4000,
    PERI_INPUT_HEAD_CP = 4000,     // kept of a compact JSON value
    PERI_BOUNDED_STRING_CP = 2000, // of each string in the form that still parses
    PERI_BOUNDED_MAX_BYTES = 32 * 1024,
    PERI_RAW_HEAD_CP = 2000, // of a raw record's value (spec OB-3)
};

/// Fills `value` of field type `type` from a JSON value. Used for fields whose type the schema
/// knows.
void peri_obs_fill(peri_obs_value *value, char type, peri_json from, peri_text_caps caps,
                   peri_arena *arena);

/// A text of a string, a number's digits, or the text blocks of a content array, joined by line
/// feeds.
peri_text peri_content_text(peri_json from, peri_text_caps caps, peri_arena *arena);

/// A compact form of `from` that still parses, its strings cut at PERI_BOUNDED_STRING_CP; in
/// `arena`. Absent if it is over PERI_BOUNDED_MAX_BYTES or the arena is full.
peri_str peri_content_bounded(peri_json from, peri_arena *arena);

#endif
