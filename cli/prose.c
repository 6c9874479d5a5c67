// Laying out text for people. Nothing that an agent or an observer wrote reaches the terminal
// but through peri_prose_add_plain(): an escape sequence in a tool's output must not repaint
// the screen of the person who asks why an observer spoke.
#include "prose.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "plain.h"

enum { TEXT_MAX_BYTES = 1024 * 1024 };

void peri_prose_add_plain(peri_buf *out, peri_str text, size_t max_cp) {
    peri_buf mended;
    peri_buf_init(&mended, TEXT_MAX_BYTES);
    peri_utf8_repair(&mended, peri_str_sub(text, 0, TEXT_MAX_BYTES / 4));
    peri_str left = peri_buf_str(&mended);
    size_t used_cp = 0;
    for (size_t len; left.len && used_cp < max_cp; left = peri_str_sub(left, len, left.len)) {
        bool safe = plain_is_safe(peri_utf8_decode(left, &len));
        peri_buf_add(out, safe ? peri_str_sub(left, 0, len) : PERI_STR(" "));
        used_cp++;
    }
    if (left.len) peri_buf_add_c(out, "…");
    peri_buf_deinit(&mended);
}

void peri_prose_add_wrapped(peri_buf *out, peri_str text, size_t indent) {
    size_t column = indent, columns = (size_t)plain_columns();
    for (bool first = true; text.len; first = false) {
        size_t end = peri_str_find_byte(text, ' ', 0);
        if (end == PERI_NPOS) end = text.len;
        peri_str word = peri_str_sub(text, 0, end);
        text = peri_str_sub(text, end + 1, text.len);
        size_t width = peri_utf8_count(word).cp;
        if (!first && column + 1 + width > columns) {
            while (out->len && out->ptr[out->len - 1] == ' ')
                peri_buf_truncate(out, out->len - 1);
            peri_buf_add_byte(out, '\n');
            peri_buf_add_repeat(out, ' ', indent);
            column = indent;
        } else if (!first) {
            peri_buf_add_byte(out, ' ');
            column++;
        }
        peri_buf_add(out, word);
        column += width;
    }
    peri_buf_add_byte(out, '\n');
}

void peri_prose_wrap(peri_buf *out, size_t start, size_t column) {
    peri_buf text;
    peri_buf_init(&text, TEXT_MAX_BYTES);
    peri_buf_add(&text, peri_str_sub(peri_buf_str(out), start, out->len - start));
    peri_buf_truncate(out, start);
    peri_prose_add_wrapped(out, peri_buf_str(&text), column);
    if (text.status < 0 && out->status == PERI_OK) out->status = text.status;
    peri_buf_deinit(&text);
}

size_t peri_prose_columns(const peri_buf *out, size_t start) {
    return peri_utf8_count(peri_str_sub(peri_buf_str(out), start, out->len - start)).cp;
}

void peri_prose_add_number(peri_buf *out, uint64_t number) {
    if (number >= 1000) {
        peri_prose_add_number(out, number / 1000);
        peri_buf_addf(out, ",%03u", (unsigned)(number % 1000));
    } else {
        peri_buf_add_uint(out, number);
    }
}

void peri_prose_add_time(peri_buf *out, int64_t wall_ms) {
    size_t start = out->len;
    peri_time_format(out, wall_ms);
    if (out->status != PERI_OK) return;
    peri_str iso = peri_str_sub(peri_buf_str(out), start, out->len);
    size_t day_end = peri_str_find_byte(iso, 'T', 0);
    size_t second_end = peri_str_find_byte(iso, '.', 0);
    if (day_end == PERI_NPOS || second_end == PERI_NPOS) return;
    out->ptr[start + day_end] = ' ';
    peri_buf_truncate(out, start + second_end);
}
