// JSON numbers as text, the same whatever LC_NUMERIC says: an embedder may have called
// setlocale(), and a comma in a ledger or a config read as another value is a silent fault.
#ifndef PERI_BASE_NUMBER_H
#define PERI_BASE_NUMBER_H

#include "base/buf.h"

/// Bytes of the JSON number (RFC 8259) at the start of `text`; 0 if there is none.
size_t peri_number_span(peri_str text);

/// Reads all of `text` as a JSON number: the nearest double, infinite past the range.
/// PERI_EPARSE if it is not one.
PERI_MUST_USE int peri_number_parse(peri_str text, double *out);

/// Appends the shortest digits that read back as `value`, laid out as JavaScript does: 1, 0.1,
/// 1e+21. NaN and infinities become null, as in JSON.stringify; so does -0 become 0.
void peri_number_add(peri_buf *out, double value);

#endif
