// The shapes of a document's tags. Knows nothing of items or layouts; never sees foreign text
// but as peri_clean. Called by element.c, blocks.c, slices.c and digest.c.
#include "digest/frame.h"

void peri_frame_mark(const peri_frame *frame, const char *name, const char *value) {
    peri_frame_attr(frame, name, (peri_clean){.text = peri_str_c(value)});
}

void peri_frame_text(const peri_frame *frame, peri_clean text) {
    peri_buf_add(frame->out, text.text);
    if (text.left_out == 0) return;
    peri_buf_add_c(frame->out, "… [+");
    peri_buf_add_uint(frame->out, text.left_out);
    peri_buf_add_c(frame->out, " chars truncated]");
}

void peri_frame_attr(const peri_frame *frame, const char *name, peri_clean value) {
    peri_buf_add_byte(frame->out, ' ');
    peri_buf_add_c(frame->out, name);
    peri_buf_add_c(frame->out, "=\"");
    peri_frame_text(frame, value);
    peri_buf_add_byte(frame->out, '"');
}

void peri_frame_open(const peri_frame *frame, const char *tag) {
    peri_buf_add_byte(frame->out, '<');
    peri_buf_add_c(frame->out, tag);
    peri_buf_add(frame->out, frame->nonce);
}

void peri_frame_body(const peri_frame *frame, const char *tag, peri_clean body) {
    peri_buf_add_c(frame->out, ">\n");
    peri_frame_text(frame, body);
    peri_buf_add_c(frame->out, "\n</");
    peri_buf_add_c(frame->out, tag);
    peri_buf_add_byte(frame->out, '>');
}

void peri_frame_empty(const peri_frame *frame) {
    peri_buf_add_c(frame->out, " />");
}

void peri_frame_open_block(const peri_frame *frame, peri_clean agent) {
    peri_buf_add_byte(frame->out, '<');
    peri_buf_add(frame->out, agent.text);
    peri_buf_add_c(frame->out, "-activity");
    peri_buf_add(frame->out, frame->nonce);
    peri_buf_add_c(frame->out, ">\n");
}

void peri_frame_close_block(const peri_frame *frame, peri_clean agent) {
    peri_buf_add_c(frame->out, "\n</");
    peri_buf_add(frame->out, agent.text);
    peri_buf_add_c(frame->out, "-activity>");
}
