// Borrowed text: the searches and comparisons of str.h.
#include "base/str.h"

size_t peri_str_find_byte(peri_str s, char byte, size_t from) {
    if (from >= s.len) return PERI_NPOS;
    const char *hit = memchr(s.ptr + from, byte, s.len - from);
    return hit ? (size_t)(hit - s.ptr) : PERI_NPOS;
}

enum { SHORT_NEEDLE_BYTES = 16 };

// Beginning anew at each place is quickest for a few bytes. Longer ones can be made so that it
// takes the product of both lengths, which memmem never does.
size_t peri_str_find(peri_str s, peri_str needle) {
    if (needle.len == 0) return 0;
    if (needle.len > s.len) return PERI_NPOS;
    if (needle.len > SHORT_NEEDLE_BYTES) {
        const char *hit = memmem(s.ptr, s.len, needle.ptr, needle.len);
        return hit ? (size_t)(hit - s.ptr) : PERI_NPOS;
    }
    size_t last = s.len - needle.len;
    for (size_t at = 0; at <= last; at++) {
        const char *hit = memchr(s.ptr + at, needle.ptr[0], last - at + 1);
        if (!hit) return PERI_NPOS;
        at = (size_t)(hit - s.ptr);
        if (memcmp(hit, needle.ptr, needle.len) == 0) return at;
    }
    return PERI_NPOS;
}

size_t peri_str_index_in(peri_str s, const peri_str *list, size_t count) {
    size_t i = 0;
    while (i < count && !peri_str_eq(list[i], s)) i++;
    return i;
}

bool peri_str_is_one_of(peri_str s, const peri_str *list, size_t count) {
    return peri_str_index_in(s, list, count) < count;
}

int peri_str_compare(peri_str a, peri_str b) {
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared ? memcmp(a.ptr, b.ptr, shared) : 0;
    if (order != 0) return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool peri_str_eq_nocase(peri_str a, peri_str b) {
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) return false;
    }
    return true;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

peri_str peri_str_trim(peri_str s) {
    while (s.len && is_space(s.ptr[0])) s = (peri_str){s.ptr + 1, s.len - 1};
    while (s.len && is_space(s.ptr[s.len - 1])) s.len--;
    return s;
}

int peri_str_int(peri_str s, int64_t *out) {
    bool negative = s.len && s.ptr[0] == '-';
    size_t i = negative ? 1 : 0;
    if (i == s.len) return PERI_EPARSE;
    uint64_t value = 0;
    uint64_t ceiling = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    for (; i < s.len; i++) {
        unsigned digit = (unsigned)(unsigned char)s.ptr[i] - '0';
        if (digit > 9) return PERI_EPARSE;
        if (value > (ceiling - digit) / 10) return PERI_ELIMIT;
        value = value * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return PERI_OK;
}

uint64_t peri_str_hash(peri_str s, uint64_t seed) {
    for (size_t i = 0; i < s.len; i++) {
        seed = (seed ^ (unsigned char)s.ptr[i]) * UINT64_C(0x100000001b3);
    }
    return seed;
}

static uint64_t mix(uint64_t hash, const char *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 32;
}

// Four independent lanes: a multiplication need not wait for the one before.
uint64_t peri_str_hash_wide(peri_str s) {
    uint64_t lane[4] = {PERI_HASH_SEED ^ s.len, 1, 2, 3};
    size_t at = 0;
    for (; s.len - at >= 32; at += 32) {
        for (size_t i = 0; i < 4; i++) lane[i] = mix(lane[i], s.ptr + at + 8 * i);
    }
    for (; s.len - at >= 8; at += 8) lane[0] = mix(lane[0], s.ptr + at);
    for (size_t i = 1; i < 4; i++) lane[0] = mix(lane[0], (const char *)&lane[i]);
    return peri_str_hash(peri_str_sub(s, at, s.len), lane[0]);
}

enum { DISTANCE_MAX_LEN = 64 };

size_t peri_str_distance(peri_str a, peri_str b, size_t limit) {
    if (a.len > DISTANCE_MAX_LEN || b.len > DISTANCE_MAX_LEN) return limit;
    size_t rows[3][DISTANCE_MAX_LEN + 1] = {{0}};
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b.len; j++) above[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best = above[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped =
                i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            row[j] = best;
        }
        size_t *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[b.len] < limit ? above[b.len] : limit;
}
