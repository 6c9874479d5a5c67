// The strings of the scanner (json_string.h): checked and measured in blocks of 64 bytes, one
// pass. Escapes are counted by arithmetic on masks, only `\u` and raw control characters are
// looked at one by one. Runs over nearly every byte of every stream: no memory, no branch per
// character. The text of json_string_plain.c and its kin, each of which compiles it for one
// kind of processor.
#ifndef PERI_BASE_JSON_STRING_SCAN_H
#define PERI_BASE_JSON_STRING_SCAN_H

#include "base/block.h"
#include "base/json_string.h"

static inline bool is_surrogate(int32_t cp) {
    return cp >= 0xD800 && cp <= 0xDFFF;
}

// What is found in the bytes that are looked at one by one: the node's sizes are corrections to
// those that the masks tell.
typedef struct closely {
    peri_str text;
    peri_json_node node;
    size_t pair_end; // end of the surrogate pair met last
    uint32_t repaired;
} closely;

// What the masks of a string tell. Only inlined functions see
// it, so that it stays in registers.
typedef struct tally {
    uint64_t carry;        // 1: the last byte escapes the first of the next block
    uint64_t due;          // continuation bytes that the block before leaves to this one
    uint64_t slashes;      // not 0: there are some
    uint32_t letters;      // escapes of two bytes
    uint32_t controls;     // escapes of control characters, written as they are
    uint32_t tails, fours; // continuation bytes; leads of four bytes
} tally;

// `used` bytes are one character, which JSON.stringify writes as that `cp`.
static void measure(closely *r, size_t used, uint32_t cp) {
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
static bool read_unicode(closely *r, size_t at) {
    if (at < r->pair_end) return true;
    size_t used;
    int32_t cp = peri__json_unicode(peri_str_sub(r->text, at, r->text.len), &used);
    if (cp < 0) return false;
    if (used == PERI__JSON_PAIR_BYTES) r->pair_end = at + used;
    r->repaired += is_surrogate(cp);
    measure(r, used, is_surrogate(cp) ? 0xFFFD : (uint32_t)cp);
    return true;
}

// The escape whose letter is at `at` and is none of the commonest.
static bool read_escape(closely *r, size_t at) {
    switch (r->text.ptr[at]) {
    case 'u':
        return read_unicode(r, at - 1);
    case '/': // written without its backslash
        r->node.cp--;
        r->node.written_cp--;
        r->node.written_bytes--;
        return true;
    case 'b':
    case 'f':
    case 'r':
        r->node.cp--;
        return true;
    default:
        return false;
    }
}

// The `\u` that are control characters without a shorter escape, `\u001b` and its kin, of
// nearly all terminal output. One that the block does not hold whole is none of them.
static inline uint64_t controls_of(const peri_block *block, uint64_t unicode) {
    uint64_t zero = peri_block_is(block, '0'), one = peri_block_is(block, '1');
    uint64_t hex = (peri_block_from(block, '0') & ~peri_block_from(block, '9' + 1)) |
                   (peri_block_from(block, 'a') & ~peri_block_from(block, 'f' + 1));
    return unicode & zero >> 1 & zero >> 2 & one >> 3 & hex >> 4;
}

// The escaped bytes of the block at `at`, of which `usual` are quotes and backslashes. Returns
// where an escape is bad, or PERI_NPOS.
static inline size_t read_escapes(closely *r, tally *t, size_t at, const peri_block *block,
                                  uint64_t escaped, uint64_t usual) {
    usual |= peri_block_is(block, 'n') | peri_block_is(block, 't');
    t->letters += peri_bit_count(escaped & usual);
    uint64_t odd = escaped & ~usual;
    if (!odd) return PERI_NPOS;
    uint64_t controls = controls_of(block, odd & peri_block_is(block, 'u'));
    t->controls += peri_bit_count(controls);
    for (odd &= ~controls; odd; odd &= odd - 1) {
        size_t letter = at + peri_bit_first(odd);
        if (!read_escape(r, letter)) return letter - 1;
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

// Counts the characters of a block that is not all ASCII, and checks them: every lead byte has
// its continuation bytes, each of those a lead byte, and the second byte is one that its lead
// allows. `seen` is the string's bytes with its closing quote.
static inline bool read_wide(const closely *r, tally *t, size_t at, const peri_block *block,
                             uint64_t seen) {
    uint64_t two = peri_block_from(block, 0xC2) & seen;
    uint64_t three = peri_block_from(block, 0xE0) & seen;
    uint64_t four = peri_block_from(block, 0xF0) & seen;
    uint64_t high = peri_block_high(block) & seen, tails = high & ~two;
    uint64_t want = t->due | two << 1 | three << 2 | four << 3;
    t->due = two >> 63 | three >> 62 | four >> 61;
    t->tails += peri_bit_count(tails);
    t->fours += peri_bit_count(four);
    // Nearly all leads of four are 0xF0, whose second byte shows
    // in a mask; others are looked at.
    uint64_t choosy = peri_block_is(block, '\xE0') | peri_block_is(block, '\xED') |
                      peri_block_from(block, 0xF1) | (four & UINT64_C(1) << 63);
    uint64_t bad = (want & seen) ^ tails;
    bad |= (four & ~choosy) << 1 & ~peri_block_from(block, 0x90);
    for (choosy &= seen; choosy; choosy &= choosy - 1) {
        if (!allows(r->text, at + peri_bit_first(choosy))) return false;
    }
    return !bad;
}

// Raw control characters are kept; written anew they are escaped.
static void read_controls(closely *r, size_t at, uint64_t control) {
    for (; control; control &= control - 1) {
        measure(r, 1, (unsigned char)r->text.ptr[at + peri_bit_first(control)]);
        r->repaired++;
    }
}

// A string without an end does not fit from its quote on, or
// from a backslash with nothing behind.
static size_t open_at(peri_str text, size_t start) {
    size_t run = text.len;
    while (run > start && text.ptr[run - 1] == '\\') run--;
    return (text.len - run) % 2 ? text.len - 1 : start - 1;
}

static inline void finish(const closely *r, const tally *t, size_t start, size_t end,
                          peri_json_node *node) {
    uint32_t len = (uint32_t)(end - start), cp = len - t->tails;
    *node = r->node;
    node->start = (uint32_t)start;
    node->len = len;
    node->flags = t->slashes ? PERI_JSON_ESCAPED : 0;
    node->cp += cp - t->letters - (PERI__JSON_UNICODE_BYTES - 1) * t->controls;
    node->astral += t->fours;
    node->written_cp += cp;
    node->written_bytes += len;
}

static int scan_string(peri_str text, size_t start, peri_json_node *node, uint32_t *repaired,
                       size_t *error_at) {
    closely r = {.text = text, .node = {.type = PERI_JSON_STRING}};
    tally t = {0};
    for (size_t at = start; at < text.len; at += PERI_BLOCK_BYTES) {
        peri_str rest = {text.ptr + at, text.len - at};
        peri_block block = peri_block_of(rest);
        uint64_t slashes = peri_block_is(&block, '\\'), quotes = peri_block_is(&block, '"');
        uint64_t escaped = peri_block_escaped(slashes, &t.carry), quote = quotes & ~escaped;
        uint64_t in = peri_bits_before(quote) & peri_block_valid(rest.len);
        t.slashes |= slashes & in;
        if (escaped & in) {
            *error_at = read_escapes(&r, &t, at, &block, escaped & in, slashes | quotes);
            if (*error_at != PERI_NPOS) return PERI_EPARSE;
        }
        uint64_t unplain = peri_block_unplain(&block) & in;
        if (unplain | t.due) {
            uint64_t control = unplain & ~peri_block_high(&block);
            if (control) read_controls(&r, at, control);
            if (!read_wide(&r, &t, at, &block, in << 1 | 1)) {
                *error_at = start + peri_utf8_valid_prefix(peri_str_sub(text, start, text.len));
                return PERI_EPARSE;
            }
        }
        if (!quote) continue;
        finish(&r, &t, start, at + peri_bit_first(quote), node);
        *repaired += r.repaired;
        return PERI_OK;
    }
    *error_at = open_at(text, start);
    return PERI_EPARSE;
}

#endif
