// How alike two short texts are when counters, numbers, case and punctuation are left out of
// account.
#ifndef PERI_POLICY_SIMILAR_H
#define PERI_POLICY_SIMILAR_H

#include "base/str.h"

enum { PERI_SHINGLES_MAX = 256 };

/// The set of a text's character trigrams after normalising: letters of any script in lower
/// case (ASCII), everything else one blank; words of digits only are left out.
typedef struct peri_shingles {
    uint32_t hashes[PERI_SHINGLES_MAX]; // sorted, distinct
    size_t count;
} peri_shingles;

void peri_shingles_of(peri_str text, peri_shingles *out);

/// Shared trigrams over all trigrams of both (Jaccard): 0 unlike, 1 the same. Two empty sets
/// give 1.
double peri_shingles_alike(const peri_shingles *a, const peri_shingles *b);

#endif
