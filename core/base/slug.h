// Names for notes: a file's name from the first words of its text, in any script.
#ifndef PERI_BASE_SLUG_H
#define PERI_BASE_SLUG_H

#include "base/buf.h"

/// Appends the slug of `text` (spec PI-12): the letters and digits of its first six words,
/// small where they are ASCII, joined by "-"; at most 80 bytes, never cut inside a character;
/// "note" if nothing of it is a letter or a digit. It holds no "/", no "." and no control
/// character.
void peri_slug_add(peri_buf *out, peri_str text);

/// The first sentence of `text`, at most 100 code points; borrowed from it.
peri_str peri_slug_sentence(peri_str text);

#endif
