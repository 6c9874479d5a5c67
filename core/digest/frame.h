// Writes the structure of a document: tags, attributes, bodies. Structure comes from literals
// in this folder, everything else as peri_clean.
#ifndef PERI_DIGEST_FRAME_H
#define PERI_DIGEST_FRAME_H

#include "digest/clean.h"

typedef struct peri_frame {
    peri_buf *out;
    peri_str nonce; // as every tag carries it, ` nonce="N"`; absent: tags carry none
} peri_frame;

/// Appends `<TAG` and the nonce; attributes follow, then a body or an end.
void peri_frame_open(const peri_frame *frame, const char *tag);
void peri_frame_attr(const peri_frame *frame, const char *name, peri_clean value);
/// An attribute whose value is ours.
void peri_frame_mark(const peri_frame *frame, const char *name, const char *value);

/// Ends an opened tag: with the body on lines of its own and `</TAG>`, or with ` />`.
void peri_frame_body(const peri_frame *frame, const char *tag, peri_clean body);
void peri_frame_empty(const peri_frame *frame);

/// Text without a tag, with the marker of a cut.
void peri_frame_text(const peri_frame *frame, peri_clean text);

/// The envelope of one step.
void peri_frame_open_block(const peri_frame *frame, peri_clean agent);
void peri_frame_close_block(const peri_frame *frame, peri_clean agent);

#endif
