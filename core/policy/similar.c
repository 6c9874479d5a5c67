// Trigram sets over normalised text. Small and exact enough to catch a repeated note with a new
// counter.
#include "policy/similar.h"

#include <stdlib.h>

enum { NORMAL_MAX_BYTES = 2048 };

static bool is_letter(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

// Words of letters in lower case, joined by one blank. Digits part words and vanish.
static size_t normalise(peri_str text, char out[NORMAL_MAX_BYTES]) {
    size_t len = 0;
    for (size_t i = 0; i < text.len && len < NORMAL_MAX_BYTES; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (is_letter(c)) {
            out[len++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        } else if (len && out[len - 1] != ' ') {
            out[len++] = ' ';
        }
    }
    while (len && out[len - 1] == ' ') len--;
    return len;
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void peri_shingles_of(peri_str text, peri_shingles *out) {
    char normal[NORMAL_MAX_BYTES];
    size_t len = normalise(text, normal);
    out->count = 0;
    for (size_t i = 0; i + 3 <= len && out->count < PERI_SHINGLES_MAX; i++) {
        uint64_t hash = peri_str_hash(peri_str_of(normal + i, 3), PERI_HASH_SEED);
        out->hashes[out->count++] = (uint32_t)(hash ^ hash >> 32);
    }
    qsort(out->hashes, out->count, sizeof out->hashes[0], by_value);
    size_t distinct = 0;
    for (size_t i = 0; i < out->count; i++) {
        if (distinct == 0 || out->hashes[i] != out->hashes[distinct - 1]) {
            out->hashes[distinct++] = out->hashes[i];
        }
    }
    out->count = distinct;
}

double peri_shingles_alike(const peri_shingles *a, const peri_shingles *b) {
    size_t shared = 0, i = 0, j = 0;
    while (i < a->count && j < b->count) {
        if (a->hashes[i] == b->hashes[j]) {
            shared++;
            i++;
            j++;
        } else if (a->hashes[i] < b->hashes[j]) {
            i++;
        } else {
            j++;
        }
    }
    size_t all = a->count + b->count - shared;
    return all ? (double)shared / (double)all : 1;
}
