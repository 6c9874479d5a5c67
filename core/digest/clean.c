// Makes foreign text fit to stand in a document: secrets out first, then tags made harmless,
// then the cut, so that neither a cut secret nor a cut tag slips through. Text that needs
// nothing of this, nearly all of it, is passed on without a copy. Called by element.c, slices.c
// and digest.c.
#include "digest/clean.h"

enum {
    // How far behind the cap a secret may reach and still be recognised as one.
    SCRUB_BEYOND_CP = 1024,
    // A run of token characters that ends where the kept part of a text ends may be the start
    // of a secret; a longer one is no token.
    RAGGED_BYTES = 512,
    // Whatever comes in is at most this long; the scrubbed and escaped forms may be larger.
    WORK_BYTES = 4 * 1024 * 1024,
};

void peri_cleaner_init(peri_cleaner *cleaner, const peri_scrub *scrub, bool utf16) {
    *cleaner = (peri_cleaner){.scrub = scrub, .utf16 = utf16};
    peri_buf_init(&cleaner->scrubbed, WORK_BYTES);
    peri_buf_init(&cleaner->replaced, WORK_BYTES);
}

void peri_cleaner_deinit(peri_cleaner *cleaner) {
    peri_buf_deinit(&cleaner->scrubbed);
    peri_buf_deinit(&cleaner->replaced);
}

static bool name_char(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_' || c == '-';
}

static size_t name_run(peri_str text) {
    size_t len = 0;
    while (len < text.len && name_char((unsigned char)text.ptr[len])) len++;
    return len;
}

static size_t skip_invisible(peri_str text, size_t at) {
    while (at < text.len) {
        unsigned char c = (unsigned char)text.ptr[at];
        if (c > 0x20 && c < 0x7F) break;
        size_t len;
        if (!peri_utf8_invisible(peri_utf8_decode(peri_str_sub(text, at, 4), &len))) break;
        at += len;
    }
    return at;
}

// The names of the family; any name in front of "-activity" belongs to it too.
static bool family_name(peri_str name) {
    static const peri_str family[] = {
        {"tool-call", 9},         {"tool-result", 11},       {"user-message", 12},
        {"turn-ended", 10},       {"non-user-message", 16},  {"guidance-loaded", 15},
        {"coordinator-task", 16}, {"skills-discovered", 17}, {"last-proposal", 13},
    };
    static const peri_str envelope = {"-activity", 9};
    if (name.len < family[0].len) return false; // the shortest
    for (size_t i = 0; i < sizeof family / sizeof family[0]; i++) {
        if (peri_str_eq_nocase(name, family[i])) return true;
    }
    return name.len > envelope.len &&
           peri_str_eq_nocase(peri_str_sub(name, name.len - envelope.len, name.len), envelope);
}

// Where a name would begin behind the "<" at `at`.
static size_t name_start(peri_str text, size_t at) {
    at = skip_invisible(text, at + 1);
    return at < text.len && text.ptr[at] == '/' ? skip_invisible(text, at + 1) : at;
}

bool peri_clean_tag_at(peri_str text, size_t at) {
    at = name_start(text, at);
    peri_str rest = peri_str_sub(text, at, text.len);
    return family_name(peri_str_sub(rest, 0, name_run(rest)));
}

static size_t units(const peri_cleaner *cleaner, peri_utf8_size size) {
    return cleaner->utf16 ? size.u16 : size.cp;
}

static peri_utf8_size cut(const peri_cleaner *cleaner, peri_str text, size_t max) {
    return cleaner->utf16 ? peri_utf8_cut_u16(text, max) : peri_utf8_cut_cp(text, max);
}

static void note(peri_cleaner *cleaner, const peri_buf *buf) {
    if (buf->status != PERI_OK) cleaner->status = PERI_ENOMEM;
}

// `head` without a run of token characters at its end: the text goes on where we cannot see it.
static peri_str without_ragged_end(peri_str head) {
    size_t keep = head.len;
    while (keep > 0 && head.len - keep <= RAGGED_BYTES) {
        unsigned char c = (unsigned char)head.ptr[keep - 1];
        if (!name_char(c) && c != '+' && c != '/' && c != '.' && c != '=') break;
        keep--;
    }
    return head.len - keep > RAGGED_BYTES ? head : peri_str_sub(head, 0, keep);
}

// What is there of a text, and how many units the whole has.
typedef struct view {
    peri_str text;
    size_t total;
    bool whole; // `text` is all of it
} view;

// The start of the text, as far as it can be shown, without secrets.
static view scrub(peri_cleaner *cleaner, view in, size_t cap) {
    peri_str seen = in.text;
    if (seen.len > cap && cap < SIZE_MAX - SCRUB_BEYOND_CP) {
        seen.len = peri_utf8_cut_cp(seen, cap + SCRUB_BEYOND_CP).bytes;
    }
    if (seen.len < in.text.len) {
        in.whole = false;
    } else if (!in.whole) {
        seen = without_ragged_end(seen);
    }
    in.text = seen;
    if (peri_scrub_clean(cleaner->scrub, seen)) return in;
    peri_buf_clear(&cleaner->scrubbed);
    size_t hits = peri_scrub_text(cleaner->scrub, seen, &cleaner->scrubbed);
    note(cleaner, &cleaner->scrubbed);
    in.text = peri_buf_str(&cleaner->scrubbed);
    cleaner->counts.scrubbed += hits;
    in.total -= units(cleaner, peri_utf8_count(seen));
    in.total += units(cleaner, peri_utf8_count(in.text));
    return in;
}

static view neutralise(peri_cleaner *cleaner, view in, bool bare) {
    peri_buf *out = &cleaner->replaced;
    size_t from = 0, hits = 0;
    peri_buf_clear(out);
    for (size_t at = peri_str_find_byte(in.text, '<', 0); at != PERI_NPOS;
         at = peri_str_find_byte(in.text, '<', at + 1)) {
        bool dangling = bare && name_start(in.text, at) == in.text.len;
        if (!dangling && !peri_clean_tag_at(in.text, at)) continue;
        peri_buf_add(out, peri_str_sub(in.text, from, at + 1 - from));
        peri_buf_add_byte(out, '\\');
        from = at + 1;
        hits++;
    }
    if (hits == 0) return in;
    peri_buf_add(out, peri_str_sub(in.text, from, in.text.len));
    note(cleaner, out);
    cleaner->counts.neutralised += hits;
    in.text = peri_buf_str(out);
    in.total += hits;
    return in;
}

// A cut must not turn the start of a longer, harmless name into a tag.
static peri_str without_new_tag(peri_str kept) {
    const char *last = kept.len ? memrchr(kept.ptr, '<', kept.len) : NULL;
    if (!last || !peri_clean_tag_at(kept, (size_t)(last - kept.ptr))) return kept;
    return peri_str_sub(kept, 0, (size_t)(last - kept.ptr));
}

static peri_clean cut_at(peri_cleaner *cleaner, view in, size_t cap) {
    if (cleaner->status != PERI_OK) return (peri_clean){0};
    if (in.whole && in.total <= cap) return (peri_clean){.text = in.text};
    peri_utf8_size size = cut(cleaner, in.text, cap);
    peri_str kept = without_new_tag(peri_str_sub(in.text, 0, size.bytes));
    if (kept.len < size.bytes) size = peri_utf8_count(kept);
    size_t shown = units(cleaner, size);
    cleaner->counts.truncated++;
    return (peri_clean){.text = kept, .left_out = in.total > shown ? in.total - shown : 0};
}

static view view_of(peri_cleaner *cleaner, const peri_text *text, size_t cap) {
    view all = {text->head, cleaner->utf16 ? text->u16 : text->cp, !text->cut};
    return cleaner->scrub ? scrub(cleaner, all, cap) : all;
}

peri_clean peri_clean_body(peri_cleaner *cleaner, const peri_text *text, size_t cap) {
    return cut_at(cleaner, neutralise(cleaner, view_of(cleaner, text, cap), false), cap);
}

peri_clean peri_clean_bare(peri_cleaner *cleaner, const peri_text *text, size_t cap) {
    return cut_at(cleaner, neutralise(cleaner, view_of(cleaner, text, cap), true), cap);
}

// Bytes of the character at `at` if an attribute cannot hold it, else 0.
static size_t unfit(peri_str text, size_t at) {
    unsigned char c = (unsigned char)text.ptr[at];
    if (c < 0x20 || c == 0x7F || c == '"' || c == '<' || c == '>') return 1;
    bool c1 = c == 0xC2 && at + 1 < text.len && (unsigned char)text.ptr[at + 1] < 0xA0;
    return c1 ? 2 : 0;
}

peri_clean peri_clean_attr(peri_cleaner *cleaner, const peri_text *text, size_t cap) {
    view in = view_of(cleaner, text, cap);
    peri_buf *out = &cleaner->replaced;
    size_t at = 0;
    while (at < in.text.len && !unfit(in.text, at)) at++;
    if (at == in.text.len) return cut_at(cleaner, in, cap);
    peri_buf_clear(out);
    peri_buf_add(out, peri_str_sub(in.text, 0, at));
    while (at < in.text.len) {
        size_t bad = unfit(in.text, at);
        peri_buf_add_byte(out, bad ? '_' : in.text.ptr[at]);
        at += bad ? bad : 1;
    }
    note(cleaner, out);
    in.text = peri_buf_str(out);
    return cut_at(cleaner, in, cap);
}

peri_clean peri_clean_name(peri_cleaner *cleaner, peri_str name, const char *fallback) {
    peri_buf *out = &cleaner->replaced;
    name = peri_str_sub(name, 0, 4 * PERI_CLEAN_NAME_BYTES);
    if (cleaner->scrub && !peri_scrub_clean(cleaner->scrub, name)) {
        peri_buf_clear(&cleaner->scrubbed);
        cleaner->counts.scrubbed += peri_scrub_text(cleaner->scrub, name, &cleaner->scrubbed);
        note(cleaner, &cleaner->scrubbed);
        name = peri_buf_str(&cleaner->scrubbed);
    }
    bool fit = name.len > 0 && name.len <= PERI_CLEAN_NAME_BYTES && name_run(name) == name.len;
    if (fit) return (peri_clean){.text = name};
    peri_buf_clear(out);
    for (size_t i = 0; i < name.len && out->len < PERI_CLEAN_NAME_BYTES; i++) {
        if (name_char((unsigned char)name.ptr[i])) peri_buf_add_byte(out, name.ptr[i]);
    }
    if (out->len == 0) peri_buf_add_c(out, fallback);
    note(cleaner, out);
    return (peri_clean){.text = peri_buf_str(out)};
}

peri_clean peri_clean_number(peri_cleaner *cleaner, int64_t number) {
    peri_buf_clear(&cleaner->replaced);
    peri_buf_add_int(&cleaner->replaced, number);
    note(cleaner, &cleaner->replaced);
    return (peri_clean){.text = peri_buf_str(&cleaner->replaced)};
}
