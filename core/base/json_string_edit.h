// Cutting, unescaping and copying of strings that the scanner has passed (json_string.h), in
// blocks instead of characters wherever that can be. The text of json_string_plain.c and its
// kin, each of which compiles it for one kind of processor.
#ifndef PERI_BASE_JSON_STRING_EDIT_H
#define PERI_BASE_JSON_STRING_EDIT_H

#include "base/block.h"
#include "base/json_string.h"

// One character or escape at the start of `raw`, in bytes.
static size_t step(peri_str raw) {
    size_t used;
    if (raw.ptr[0] == '\\') {
        (void)peri_json_unescape(raw, &used);
    } else {
        (void)peri_utf8_decode(raw, &used);
    }
    return used;
}

// Whole blocks, as long as they cannot hold the end, from the start of `raw`: how many bytes,
// ending between two characters and between two escapes, and how many code points.
static peri_utf8_size cut_blocks(peri_str raw, size_t max_cp) {
    peri_utf8_size clean = {0}; // up to the last block that no escape or character reached into
    size_t cp = 0, pair_end = 0;
    uint64_t carry = 0;
    for (size_t at = 0; raw.len - at > PERI_BLOCK_BYTES && cp + PERI_BLOCK_BYTES <= max_cp;) {
        peri_block block = peri_block_load(raw.ptr + at);
        uint64_t escaped = peri_block_escaped(peri_block_is(&block, '\\'), &carry);
        uint64_t unicode = escaped ? escaped & peri_block_is(&block, 'u') : 0;
        cp += peri_bit_count(~peri_block_tails(&block)) - peri_bit_count(escaped);
        for (uint64_t left = unicode; left; left &= left - 1) {
            size_t start = at + peri_bit_first(left) - 1, used;
            if (start < pair_end) continue;
            (void)peri__json_unicode(peri_str_sub(raw, start, raw.len), &used);
            bool pair = used == PERI__JSON_PAIR_BYTES;
            cp -= used - 1 - (pair ? 2 : 1); // of which its `u`s are taken off already
            if (pair) pair_end = start + used;
        }
        at += PERI_BLOCK_BYTES;
        bool open = carry || pair_end > at || unicode >> (PERI_BLOCK_BYTES - 5) ||
                    ((unsigned char)raw.ptr[at] & 0xC0) == 0x80;
        if (!open) clean = (peri_utf8_size){.bytes = at, .cp = cp};
    }
    return clean;
}

static size_t cut(peri_str raw, size_t max_cp) {
    peri_utf8_size blocks = cut_blocks(raw, max_cp);
    size_t at = blocks.bytes;
    for (size_t cp = blocks.cp; at < raw.len && cp < max_cp; cp++) {
        at += step(peri_str_sub(raw, at, raw.len));
    }
    return at;
}

// The escapes of a block that JSON.stringify would write otherwise.
static uint64_t rewritten(peri_str raw, size_t at, const peri_block *block, uint64_t escaped) {
    uint64_t other = escaped & (peri_block_is(block, 'u') | peri_block_is(block, '/'));
    for (uint64_t left = other; left; left &= left - 1) {
        const char *u = raw.ptr + at + peri_bit_first(left);
        bool same = *u == 'u' && peri__json_is_control(u) && !(u[4] >= 'A' && u[4] <= 'F');
        if (same) other &= ~(left & (0 - left));
    }
    return other;
}

static size_t plain_run(peri_str raw, size_t enough) {
    uint64_t carry = 0;
    size_t at = 0;
    for (; at < raw.len && at < enough; at += PERI_BLOCK_BYTES) {
        peri_str rest = peri_str_sub(raw, at, raw.len);
        peri_block block = peri_block_of(rest);
        uint64_t valid = peri_block_valid(rest.len);
        uint64_t escaped = peri_block_escaped(peri_block_is(&block, '\\'), &carry) & valid;
        uint64_t control = valid & ~peri_block_from(&block, 0x20);
        if (escaped) escaped = rewritten(raw, at, &block, escaped);
        if (!(control | escaped)) continue;
        size_t first = control ? at + peri_bit_first(control) : raw.len;
        size_t escape = escaped ? at + peri_bit_first(escaped) - 1 : raw.len;
        return first < escape ? first : escape;
    }
    return at < raw.len ? at : raw.len;
}

#ifdef PERI_BLOCK_PACKS

// The `u` of each `\u001b`, with which terminal output begins its
// colours, that the block holds whole.
static inline uint64_t colours_of(const peri_block *block, uint64_t unicode) {
    uint64_t zero = peri_block_is(block, '0');
    return unicode & zero >> 1 & zero >> 2 & peri_block_is(block, '1') >> 3 &
           peri_block_is(block, 'b') >> 4;
}

// A block without its backslashes, its letters turned into what they mean: up to the first rare
// `\u`, which is decoded by itself, or up to an escape that the next block must read whole.
static inline char *unescape_block(peri_str raw, size_t *at, char *to) {
    uint64_t carry = 0;
    peri_str rest = {raw.ptr + *at, raw.len - *at};
    peri_block block = peri_block_of(rest);
    uint64_t slashes = peri_block_is(&block, '\\');
    uint64_t escaped = peri_block_escaped(slashes, &carry);
    uint64_t drop = slashes & ~escaped, unicode = escaped & peri_block_is(&block, 'u');
    if (unicode) {
        uint64_t colours = colours_of(&block, unicode);
        peri_block_put(&block, colours, '\x1B');
        drop |= colours << 1 | colours << 2 | colours << 3 | colours << 4;
        unicode &= ~colours;
    }
    uint64_t take = peri_block_valid(PERI_BLOCK_BYTES - carry) & peri_block_valid(rest.len);
    if (unicode) take = peri_bits_before(unicode) >> 1;
    uint64_t letters = escaped & take;
    peri_block_put(&block, letters & peri_block_is(&block, 'n'), '\n');
    peri_block_put(&block, letters & peri_block_is(&block, 't'), '\t');
    letters &= peri_block_from(&block, 'b'); // what is left of them is rare
    if (letters) {
        peri_block_put(&block, letters & peri_block_is(&block, 'b'), '\b');
        peri_block_put(&block, letters & peri_block_is(&block, 'f'), '\f');
        peri_block_put(&block, letters & peri_block_is(&block, 'r'), '\r');
    }
    to += peri_block_pack(&block, take & ~drop, to);
    *at += peri_bit_count(take);
    if (!unicode) return to;
    size_t used;
    rest = (peri_str){raw.ptr + *at, raw.len - *at};
    to += peri_utf8_encode(to, peri_json_unescape(rest, &used));
    *at += used;
    return to;
}

static size_t unescape(peri_str raw, char *to) {
    char *end = to;
    for (size_t at = 0; at < raw.len;) end = unescape_block(raw, &at, end);
    return (size_t)(end - to);
}

#else

// The escapes of a block are known at once, so that what stands between them is copied without
// waiting for each other: always 64 bytes, of which those up to the next escape count.
static size_t unescape(peri_str raw, char *to) {
    char *begin = to;
    size_t at = 0; // of what is not copied yet
    while (raw.len - at >= 2 * PERI_BLOCK_BYTES) {
        uint64_t none = 0;
        peri_block block = peri_block_load(raw.ptr + at);
        uint64_t slashes = peri_block_is(&block, '\\');
        uint64_t starts = slashes & ~peri_block_escaped(slashes, &none);
        size_t end = at + PERI_BLOCK_BYTES;
        for (size_t base = at; starts; starts &= starts - 1) {
            size_t escape = base + peri_bit_first(starts), used = 2;
            if (escape < at) continue; // the second half of a pair
            memcpy(to, raw.ptr + at, PERI_BLOCK_BYTES);
            to += escape - at;
            char letter = raw.ptr[escape + 1];
            if (letter == 'u') {
                peri_str rest = {raw.ptr + escape, raw.len - escape};
                to += peri_utf8_encode(to, peri_json_unescape(rest, &used));
            } else {
                *to++ = peri__json_meaning(letter);
            }
            at = escape + used;
        }
        if (at >= end) continue; // the last escape reached behind the block
        memcpy(to, raw.ptr + at, PERI_BLOCK_BYTES);
        to += end - at;
        at = end;
    }
    while (at < raw.len) {
        size_t used = 1;
        if (raw.ptr[at] == '\\') {
            peri_str rest = {raw.ptr + at, raw.len - at};
            to += peri_utf8_encode(to, peri_json_unescape(rest, &used));
        } else {
            *to++ = raw.ptr[at];
        }
        at += used;
    }
    return (size_t)(to - begin);
}

#endif

#endif
