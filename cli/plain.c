// An escape sequence in a tool's output must not repaint the screen of the person who reads what an
// observer made of it. Texts are UTF-8 when they come here; one that is not is shown with blanks.
#include "plain.h"

bool plain_is_safe(uint32_t cp) {
    bool control = cp < 0x20 || (cp >= 0x7F && cp <= 0x9F);
    bool turns = (cp >= 0x200E && cp <= 0x200F) || (cp >= 0x2028 && cp <= 0x202E) ||
                 (cp >= 0x2066 && cp <= 0x2069);
    return !control && !turns;
}

size_t plain_next(peri_str text, bool *safe) {
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    size_t size = bytes[0] < 0x80 ? 1 : bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : 2;
    uint32_t cp = size == 1 ? bytes[0] : bytes[0] & (0x7Fu >> size);
    bool whole = size <= text.len && (bytes[0] < 0x80 || bytes[0] >= 0xC0);
    for (size_t i = 1; whole && i < size; i++) {
        whole = (bytes[i] & 0xC0) == 0x80;
        cp = cp << 6 | (bytes[i] & 0x3F);
    }
    *safe = whole && plain_is_safe(cp);
    return whole ? size : 1;
}

void plain_print(FILE *out, peri_str text) {
    while (text.len) {
        bool safe;
        size_t size = plain_next(text, &safe);
        fwrite(safe ? text.ptr : " ", 1, safe ? size : 1, out);
        text.ptr += size;
        text.len -= size;
    }
}
