// Both ends of a long text.
#include "base/text.h"

#include "base/block.h"

peri_str peri_text_tail(peri_str s, size_t max_cp) {
    size_t at = s.len, count = 0;
    while (at >= PERI_BLOCK_BYTES && max_cp - count >= PERI_BLOCK_BYTES) {
        peri_block block = peri_block_load(s.ptr + at - PERI_BLOCK_BYTES);
        count += peri_bit_count(~peri_block_tails(&block));
        at -= PERI_BLOCK_BYTES;
    }
    while (at > 0 && count < max_cp) count += ((unsigned char)s.ptr[--at] & 0xC0) != 0x80;
    while (at < s.len && ((unsigned char)s.ptr[at] & 0xC0) == 0x80)
        at++; // a block began inside it
    return peri_str_sub(s, at, s.len);
}

peri_text peri_text_of(peri_str s, peri_text_caps caps) {
    peri_utf8_size all = peri_utf8_count(s);
    peri_text text = {.head = s, .cp = (uint32_t)all.cp, .u16 = (uint32_t)all.u16};
    if (all.cp <= (size_t)caps.head_cp + caps.tail_cp) return text;
    text.cut = true;
    text.head.len = peri_utf8_cut_cp(s, caps.head_cp).bytes;
    text.tail = peri_text_tail(s, caps.tail_cp);
    return text;
}

void peri_text_add(peri_buf *out, const peri_text *text) {
    peri_buf_add(out, text->head);
    if (!text->cut) return;
    size_t kept = peri_utf8_count(text->head).cp + peri_utf8_count(text->tail).cp;
    peri_buf_addf(out, "\n… [%zu characters left out] …\n", (size_t)text->cp - kept);
    peri_buf_add(out, text->tail);
}
