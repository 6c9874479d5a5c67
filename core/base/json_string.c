// Strings of a scanned document (json_string.h), in blocks instead of characters wherever that can
// be. Runs over nearly every byte of every stream, so nothing here takes memory.
#include "base/json_string.h"

#include "base/block.h"

const unsigned char peri__hex_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

// What a letter behind a backslash stands for, where it is not itself.
static const char meanings[256] = {
    ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};

static char meaning(char letter) {
    char other = meanings[(unsigned char)letter];
    return other ? other : letter;
}

uint32_t peri_json_unescape(peri_str raw, size_t *used) {
    *used = 2;
    if (raw.ptr[1] != 'u') return (unsigned char)meaning(raw.ptr[1]);
    int32_t cp = peri__json_unicode(raw, used);
    return cp >= 0xD800 && cp <= 0xDFFF ? 0xFFFD : (uint32_t)cp;
}

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

// A run without escapes is counted in blocks, an escape is stepped over.
size_t peri__json_cut(peri_str raw, size_t max_cp) {
    size_t at = 0;
    for (size_t cp = 0; at < raw.len && cp < max_cp;) {
        size_t escape = peri_str_find_byte(raw, '\\', at);
        peri_str run = peri_str_sub(raw, at, escape == PERI_NPOS ? raw.len : escape - at);
        peri_utf8_size part = peri_utf8_cut_cp(run, max_cp - cp);
        at += part.bytes;
        cp += part.cp;
        if (at < raw.len && cp < max_cp) {
            at += step(peri_str_sub(raw, at, raw.len));
            cp++;
        }
    }
    return at;
}

size_t peri__json_plain_run(peri_str raw) {
    uint64_t carry = 0;
    for (size_t at = 0; at < raw.len; at += PERI_BLOCK_BYTES) {
        peri_str rest = peri_str_sub(raw, at, raw.len);
        peri_block block = peri_block_of(rest);
        uint64_t valid = peri_block_valid(rest.len);
        uint64_t escaped = peri_block_escaped(peri_block_is(&block, '\\'), &carry) & valid;
        uint64_t control = valid & ~peri_block_from(&block, 0x20);
        if (escaped) escaped &= peri_block_any(&block, "uu//");
        if (!(control | escaped)) continue;
        size_t first = control ? at + peri_bit_first(control) : raw.len;
        size_t escape = escaped ? at + peri_bit_first(escaped) - 1 : raw.len;
        return first < escape ? first : escape;
    }
    return raw.len;
}

// Copies 16 bytes at a time, of which those up to an escape count.
size_t peri__json_unescape_all(peri_str raw, char *to) {
    char *start = to;
    while (raw.len) {
        size_t run = 0;
        if (raw.len >= 16) {
            memcpy(to, raw.ptr, 16);
            unsigned slashes = peri_block_is16(raw.ptr, '\\');
            run = slashes ? peri_bit_first(slashes) : 16;
        } else if (raw.ptr[0] != '\\') {
            *to = raw.ptr[0];
            run = 1;
        }
        to += run;
        raw = (peri_str){raw.ptr + run, raw.len - run};
        if (run == 16 || !raw.len || raw.ptr[0] != '\\') continue;
        size_t used = 2;
        if (raw.ptr[1] == 'u') {
            to += peri_utf8_encode(to, peri_json_unescape(raw, &used));
        } else {
            *to++ = meaning(raw.ptr[1]);
        }
        raw = (peri_str){raw.ptr + used, raw.len - used};
    }
    return (size_t)(to - start);
}
