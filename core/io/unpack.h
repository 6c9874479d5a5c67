// Compressed recordings, unpacked as they are read: gzip (.gz) and Zstandard (.zst), told by
// their first bytes, not by their names.
#ifndef PERI_IO_UNPACK_H
#define PERI_IO_UNPACK_H

#include "perilune/base.h"

typedef enum peri_packing {
    PERI_PACKING_NONE,
    PERI_PACKING_GZIP,
    PERI_PACKING_ZSTD
} peri_packing;

enum { PERI_PACKING_BYTES = 4 }; // enough to tell

/// What a file that begins with these bytes is packed with.
peri_packing peri_packing_of(const char *start, size_t len);

typedef struct peri_unpack peri_unpack;

/// Reads up to `size` packed bytes: how many, 0 at the end, or a negative status.
typedef long (*peri_unpack_source_fn)(void *user, char *to, size_t size);

PERI_MUST_USE int peri_unpack_new(peri_packing packing, peri_unpack **out);
/// NULL is fine.
void peri_unpack_free(peri_unpack *unpack);

/// Unpacks up to `size` bytes, several members or frames one after another: how many, 0 at the
/// end, PERI_EPARSE (damaged, or cut off), PERI_ELIMIT (wants more memory than a reader may
/// take), PERI_ENOMEM, or what `source` failed with.
PERI_MUST_USE long peri_unpack_take(peri_unpack *unpack, peri_unpack_source_fn source,
                                    void *user, char *to, size_t size);

#endif
