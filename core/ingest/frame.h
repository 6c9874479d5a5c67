// Lines out of a stream of bytes: LF ends a record and nothing else does (case C08). A stream
// that is one JSON array gives its elements instead, as if each were a line (elements.h). A
// line over the cap, or one that memory cannot hold, keeps a bounded preview; the rest is
// skipped in constant memory (C07).
#ifndef PERI_INGEST_FRAME_H
#define PERI_INGEST_FRAME_H

#include "base/buf.h"
#include "ingest/elements.h"

enum {
    PERI_LINE_MAX_BYTES = 8 * 1024 * 1024,
    PERI_LINE_CAP_BYTES = 64 * 1024 * 1024,
    PERI_LINE_PREVIEW_BYTES = 8 * 1024, // holds 2,000 characters of any kind
};

/// One line, without its LF and a CR before it and without the BOMs and NULs around it: files
/// that were put together have the former inside, a crash leaves the latter. Borrowed until the
/// next call on the framer or the end of the chunk.
typedef struct peri_line {
    peri_str text;
    uint64_t number; // 1-based
    uint64_t offset; // of its first byte in the stream, BOM and NULs included
    uint64_t
        bytes; // of the whole line without its LF; more than text.len if it was over the cap
    bool oversized;  // text is the preview
    bool unfinished; // the stream ended without an LF behind it
    size_t left_out; // bytes of BOM and NULs before text
} peri_line;

typedef struct peri_framer {
    peri_buf held; // a line begun in an earlier chunk
    size_t max_line_bytes;
    uint64_t line_start, line_count; // offset of the current line; lines given out
    uint64_t held_bytes;             // of the current line, kept or skipped
    bool skipping;                   // beyond the cap, or beyond memory
    peri_elements elements;          // of a stream that is an array
} peri_framer;

/// `max_line_bytes` 0 means PERI_LINE_MAX_BYTES; clamped to PERI_LINE_CAP_BYTES.
void peri_framer_init(peri_framer *framer, size_t max_line_bytes);
void peri_framer_deinit(peri_framer *framer);

/// Takes the next line out of `*chunk` and moves `*chunk` past it; false if the chunk is used
/// up first. A line within one chunk is not copied.
PERI_MUST_USE bool peri_framer_take(peri_framer *framer, peri_str *chunk, peri_line *out);

/// At the end of the stream: a last line without LF; false if there is none.
PERI_MUST_USE bool peri_framer_finish(peri_framer *framer, peri_line *out);

/// Bytes of BOMs and NULs that `text` begins with.
size_t peri_padding(peri_str text);

/// Offset just behind the last line given out: where a restart would go on (case C05).
static inline uint64_t peri_framer_checkpoint(const peri_framer *framer) {
    return framer->line_start;
}

#endif
