// Slugs and first sentences for `perilune remember`. What is no letter in some script is told
// by ranges of punctuation and blanks: a table of all letters would be larger than the program.
#include "base/slug.h"

#include "base/utf8.h"

enum { WORDS = 6, SLUG_MAX_BYTES = 80, SENTENCE_MAX_CP = 100 };

static bool is_letter(uint32_t cp) {
    if (cp < 0x80) {
        return (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z') || (cp >= '0' && cp <= '9');
    }
    static const struct {
        uint32_t from, to;
    } others[] = {{0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},       {0xBB, 0xBF},
                  {0xD7, 0xD7},     {0xF7, 0xF7},     {0x1680, 0x1680},   {0x180E, 0x180E},
                  {0x2000, 0x206F}, {0x2190, 0x2BFF}, {0x2E00, 0x2E7F},   {0x3000, 0x3004},
                  {0x3008, 0x3020}, {0x3030, 0x3030}, {0xD800, 0xF8FF},   {0xFE00, 0xFE6F},
                  {0xFEFF, 0xFEFF}, {0xFF00, 0xFF0F}, {0xFF1A, 0xFF20},   {0xFF3B, 0xFF40},
                  {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF}, {0xE0000, 0x10FFFF}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (cp >= others[i].from && cp <= others[i].to) return false;
    }
    return true;
}

void peri_slug_add(peri_buf *out, peri_str text) {
    size_t start = out->len;
    int words = 0;
    bool inside = false;
    for (size_t len; text.len; text = peri_str_sub(text, len, text.len)) {
        uint32_t cp = peri_utf8_decode(text, &len);
        bool apostrophe = cp == '\'' || cp == 0x2019;
        if (inside && apostrophe) continue; // "don't" is one word
        if (!is_letter(cp)) {
            inside = false;
            continue;
        }
        bool begins = !inside && words > 0;
        if ((!inside && words == WORDS) || out->len - start + len + begins > SLUG_MAX_BYTES)
            break;
        words += !inside;
        inside = true;
        if (begins) peri_buf_add_byte(out, '-');
        if (cp >= 'A' && cp <= 'Z') {
            peri_buf_add_byte(out, (char)(cp + 0x20));
        } else {
            peri_buf_add(out, peri_str_sub(text, 0, len));
        }
    }
    if (out->len == start) peri_buf_add_c(out, "note");
}

static bool ends_sentence(peri_str text, size_t len, uint32_t cp) {
    if (cp == '\n' || cp == 0x3002 || cp == 0xFF01 || cp == 0xFF1F) return true;
    if (cp != '.' && cp != '!' && cp != '?') return false;
    return text.len == len || text.ptr[len] == ' ' || text.ptr[len] == '\n';
}

peri_str peri_slug_sentence(peri_str text) {
    text = peri_str_trim(text);
    size_t end = 0;
    for (int count = 0; end < text.len && count < SENTENCE_MAX_CP; count++) {
        size_t len;
        peri_str rest = peri_str_sub(text, end, text.len);
        uint32_t cp = peri_utf8_decode(rest, &len);
        if (cp == '\n') break;
        end += len;
        if (ends_sentence(rest, len, cp)) break;
    }
    return peri_str_trim(peri_str_sub(text, 0, end));
}
