// An escape sequence in a tool's output must not repaint the screen of the person who reads
// what an observer made of it. Texts are UTF-8 when they come here; one that is not is shown
// with blanks.
#include "plain.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum { MIN_COLUMNS = 40, USUAL_COLUMNS = 80, MAX_COLUMNS = 96 };

int plain_columns(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0) return USUAL_COLUMNS; // no terminal
    if (size.ws_col == 0) return USUAL_COLUMNS;
    if (size.ws_col > MAX_COLUMNS) return MAX_COLUMNS;
    return size.ws_col < MIN_COLUMNS ? MIN_COLUMNS : size.ws_col;
}

bool plain_is_safe(uint32_t cp) {
    bool control = cp < 0x20 || (cp >= 0x7F && cp <= 0x9F);
    bool turns = (cp >= 0x200E && cp <= 0x200F) || (cp >= 0x2028 && cp <= 0x202E) ||
                 (cp >= 0x2066 && cp <= 0x2069);
    return !control && !turns;
}

// Bytes of the first code point of `text`, which is not empty. A byte that is no UTF-8 is one
// that is not safe.
static size_t next(peri_str text, bool *safe) {
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
        size_t size = next(text, &safe);
        fwrite(safe ? text.ptr : " ", 1, safe ? size : 1, out);
        text.ptr += size;
        text.len -= size;
    }
}

static bool begins_with_blank(peri_str text, size_t *size) {
    bool safe;
    *size = next(text, &safe);
    return !safe || text.ptr[0] == ' ';
}

// Takes the next word of `text`, `*width` code points wide; an empty one: there is none.
static peri_str take_word(peri_str *text, int *width) {
    size_t size;
    while (text->len && begins_with_blank(*text, &size)) {
        text->ptr += size;
        text->len -= size;
    }
    peri_str word = {text->ptr, 0};
    for (*width = 0; text->len && !begins_with_blank(*text, &size); (*width)++) {
        word.len += size;
        text->ptr += size;
        text->len -= size;
    }
    return word;
}

void plain_print_words(FILE *out, peri_str text, int indent, int max_lines) {
    int columns = plain_columns(), column = columns + 1, lines = 0, width;
    for (peri_str word; (word = take_word(&text, &width)).len;) {
        int mark = lines == max_lines && text.len ? 2 : 0; // room for " …"
        if (column + 1 + width > columns - mark) {
            if (lines++ == max_lines) {
                fputs(" …", out);
                break;
            }
            fprintf(out, "%s%*s", lines > 1 ? "\n" : "", indent, "");
            column = indent;
        } else {
            fputc(' ', out);
            column++;
        }
        fwrite(word.ptr, 1, word.len, out);
        column += width;
    }
    fputc('\n', out);
}
