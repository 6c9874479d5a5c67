// The strings of the scanner (json_string.h): checked and measured in blocks of 64 bytes, one pass.
// Escapes are counted by arithmetic on masks, only `\u` and raw control characters are looked at
// one by one. Runs over nearly every byte of every stream: no memory, no branch per character.
// json_scan_string_avx2.c compiles it once more.
#include "base/block.h"
#include "base/json_string.h"

#ifndef PERI__JSON_SCAN_STRING
#define PERI__JSON_SCAN_STRING peri__json_scan_string
#endif

static bool is_surrogate(int32_t cp) {
    return cp >= 0xD800 && cp <= 0xDFFF;
}

// A string being read. Its sizes are what the bytes do not tell: the length is added at the end.
typedef struct reading {
    peri_str text;
    peri_json_node node;
    size_t pair_end; // end of the surrogate pair met last
    uint32_t repaired;
} reading;

// `used` bytes are one character, which JSON.stringify writes as that `cp`.
static void measure(reading *r, size_t used, uint32_t cp) {
    size_t cps = 1, bytes = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    if (cp < 0x20 || cp == '"' || cp == '\\') {
        bool letter = cp >= 0x20 || (cp >= '\b' && cp <= '\r' && cp != '\v');
        cps = bytes = letter ? 2 : PERI__JSON_UNICODE_BYTES;
    }
    r->node.cp -= (uint32_t)(used - 1);
    r->node.written_cp -= (uint32_t)(used - cps);
    r->node.written_bytes -= (uint32_t)(used - bytes);
    r->node.astral += cp > 0xFFFF;
}

// The `\u` at `at`; the second half of a pair was read with the first.
static bool read_unicode(reading *r, size_t at) {
    if (at < r->pair_end) return true;
    size_t used;
    int32_t cp = peri__json_unicode(peri_str_sub(r->text, at, r->text.len), &used);
    if (cp < 0) return false;
    if (used == PERI__JSON_PAIR_BYTES) r->pair_end = at + used;
    r->repaired += is_surrogate(cp);
    measure(r, used, is_surrogate(cp) ? 0xFFFD : (uint32_t)cp);
    return true;
}

// The escaped bytes of the block at `at`. Returns where an escape is bad, or PERI_NPOS.
static size_t read_escapes(reading *r, size_t at, const peri_block *block, uint64_t escaped) {
    uint64_t solidus = escaped & peri_block_is(block, '/'); // written without its backslash
    uint64_t letters =
        escaped & (peri_block_any(block, "nrt\"") | peri_block_any(block, "\\/bf"));
    r->node.cp -= peri_bit_count(letters);
    r->node.written_cp -= peri_bit_count(solidus);
    r->node.written_bytes -= peri_bit_count(solidus);
    for (uint64_t odd = escaped & ~letters; odd; odd &= odd - 1) {
        size_t letter = at + peri_bit_first(odd);
        const char *u = r->text.ptr + letter;
        if (*u != 'u') return letter - 1;
        if (letter + 4 < r->text.len && peri__json_is_control(u)) {
            r->node.cp -= PERI__JSON_UNICODE_BYTES - 1; // written as it is
        } else if (!read_unicode(r, letter - 1)) {
            return letter - 1;
        }
    }
    return PERI_NPOS;
}

// True if the byte behind the lead byte at `at`, 0xE0 to 0xFF, is one that goes with it.
static bool allows(peri_str text, size_t at) {
    if (at + 1 >= text.len) return true; // open: seen by the caller
    unsigned char lead = (unsigned char)text.ptr[at], second = (unsigned char)text.ptr[at + 1];
    if (lead == 0xE0) return second >= 0xA0; // no overlong form
    if (lead == 0xED) return second < 0xA0;  // no surrogate
    if (lead == 0xF0) return second >= 0x90;
    if (lead == 0xF4) return second < 0x90; // nothing past U+10FFFF
    return lead < 0xF4;
}

// Counts the characters of a block that is not all ASCII, and checks them: every lead byte has its
// continuation bytes, each of those a lead byte, and the second byte is one that its lead allows.
// `seen` is the string's bytes with its closing quote, `*due` the continuation bytes that the block
// before leaves to this one.
static bool read_wide(reading *r, size_t at, const peri_block *block, uint64_t seen,
                      uint64_t *due) {
    uint64_t two = peri_block_from(block, 0xC2) & seen;
    uint64_t three = peri_block_from(block, 0xE0) & seen;
    uint64_t four = peri_block_from(block, 0xF0) & seen;
    uint64_t tails = peri_block_high(block) & seen & ~two;
    uint64_t want = *due | two << 1 | three << 2 | four << 3;
    *due = two >> 63 | three >> 62 | four >> 61;
    if ((want & seen) != tails) return false;
    // Nearly all leads of four are 0xF0, whose second byte shows in a mask; others are looked at.
    uint64_t choosy = peri_block_is(block, '\xE0') | peri_block_is(block, '\xED') |
                      peri_block_from(block, 0xF1) | (four & UINT64_C(1) << 63);
    if ((four & ~choosy) << 1 & ~peri_block_from(block, 0x90)) return false;
    for (choosy &= seen; choosy; choosy &= choosy - 1) {
        if (!allows(r->text, at + peri_bit_first(choosy))) return false;
    }
    r->node.flags |= PERI_JSON_WIDE;
    r->node.cp -= peri_bit_count(tails);
    r->node.written_cp -= peri_bit_count(tails);
    r->node.astral += peri_bit_count(four);
    return true;
}

// Raw control characters are kept; written anew they are escaped.
static void read_controls(reading *r, size_t at, uint64_t control) {
    for (; control; control &= control - 1) {
        measure(r, 1, (unsigned char)r->text.ptr[at + peri_bit_first(control)]);
        r->repaired++;
    }
}

// A string without an end does not fit from its quote on, or from a backslash with nothing behind.
static size_t open_at(peri_str text, size_t start) {
    size_t run = text.len;
    while (run > start && text.ptr[run - 1] == '\\') run--;
    return (text.len - run) % 2 ? text.len - 1 : start - 1;
}

static peri_json_node finish(const reading *r, size_t start, size_t end) {
    peri_json_node node = r->node;
    uint32_t len = (uint32_t)(end - start);
    node.start = (uint32_t)start;
    node.len = len;
    node.cp += len;
    node.written_cp += len;
    node.written_bytes += len;
    return node;
}

int PERI__JSON_SCAN_STRING(peri_str text, size_t start, peri_json_node *node,
                           uint32_t *repaired, size_t *error_at) {
    reading r = {.text = text, .node = {.type = PERI_JSON_STRING}};
    uint64_t carry = 0, due = 0;
    for (size_t at = start; at < text.len; at += PERI_BLOCK_BYTES) {
        peri_str rest = {text.ptr + at, text.len - at};
        peri_block block = peri_block_of(rest);
        uint64_t slashes = peri_block_is(&block, '\\');
        uint64_t escaped = peri_block_escaped(slashes, &carry);
        uint64_t quote = peri_block_is(&block, '"') & ~escaped;
        uint64_t in = peri_bits_before(quote) & peri_block_valid(rest.len);
        uint64_t control = in & ~peri_block_from(&block, 0x20);
        if (slashes & in) r.node.flags |= PERI_JSON_ESCAPED;
        if (escaped & in) {
            *error_at = read_escapes(&r, at, &block, escaped & in);
            if (*error_at != PERI_NPOS) return PERI_EPARSE;
        }
        if (((peri_block_high(&block) & in) | due) &&
            !read_wide(&r, at, &block, in << 1 | 1, &due)) {
            *error_at = start + peri_utf8_valid_prefix(peri_str_sub(text, start, text.len));
            return PERI_EPARSE;
        }
        if (control) read_controls(&r, at, control);
        if (!quote) continue;
        *node = finish(&r, start, at + peri_bit_first(quote));
        *repaired += r.repaired;
        return PERI_OK;
    }
    *error_at = open_at(text, start);
    return PERI_EPARSE;
}
