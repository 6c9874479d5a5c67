// Finds secrets and puts "[KIND redacted]" in their place, before any cut and at every way out
// (contracts: privacy). Clean text, nearly all of it, costs one pass over 64 bytes at a
// time; only where a byte stands that some kind must hold is a matcher asked (scrub_pivot.h).
// Linear in the text; never fails but for want of memory. Called by clean.c, the ledger's and
// the host's writers.
#include "digest/scrub.h"

#include <stdlib.h>

#include "base/processor.h"
#include "digest/scrub_added.h"
#include "digest/scrub_kinds.h"
#include "digest/scrub_pivot.h"

struct peri_scrub {
    peri_prefix_index prefixes;
    peri_pivots_fn *find_pivots;
    peri_added_kinds *added; // NULL: none
};

int peri_scrub_new(peri_scrub **out) {
    peri_scrub *scrub = calloc(1, sizeof *scrub);
    if (!scrub) return PERI_ENOMEM;
    peri__prefix_index_init(&scrub->prefixes);
    scrub->find_pivots = peri__pivots_any;
#ifdef PERI_X86
    if (peri_processor_avx512()) scrub->find_pivots = peri__pivots_avx512;
#endif
    *out = scrub;
    return PERI_OK;
}

void peri_scrub_free(peri_scrub *scrub) {
    if (!scrub) return;
    peri__added_free(scrub->added);
    free(scrub);
}

int peri_scrub_add(peri_scrub *scrub, peri_str kind, peri_str pattern, const char **error,
                   size_t *error_at) {
    if (!scrub->added) scrub->added = peri__added_new();
    if (!scrub->added) return PERI_ENOMEM;
    return peri__added_add(scrub->added, kind, pattern, error, error_at);
}

bool peri_scrub_last_finds(const peri_scrub *scrub, peri_str text) {
    size_t kinds = scrub->added ? peri__added_count(scrub->added) : 0;
    if (kinds == 0) return false;
    peri_buf out;
    peri_buf_init(&out, SIZE_MAX / 4);
    size_t found = peri__added_apply(scrub->added, kinds - 1, text, &out);
    peri_buf_deinit(&out);
    return found > 0;
}

// A walk over the pivots of a text.
typedef struct walk {
    peri_str text;
    size_t block;                     // where the current 64 bytes begin
    uint64_t mask;                    // pivots of the block not looked at yet
    size_t floor;                     // end of the last secret
    uint64_t masks[PERI_PIVOT_BATCH]; // of the blocks from `batch` on
    size_t batch, batch_count;
} walk;

static void enter_block(const peri_scrub *scrub, walk *w) {
    size_t number = (w->block - w->batch) / PERI_PIVOT_BLOCK;
    if (number >= w->batch_count) {
        w->batch = w->block;
        w->batch_count =
            scrub->find_pivots(&scrub->prefixes.pivots, w->text, w->block, w->masks);
        number = 0;
    }
    w->mask = w->masks[number];
}

static void walk_init(const peri_scrub *scrub, peri_str text, walk *w) {
    w->text = text;
    w->block = w->floor = w->batch = w->batch_count = 0;
    w->mask = 0;
    if (text.len) enter_block(scrub, w);
}

static bool next_secret(const peri_scrub *scrub, walk *w, peri_secret *out) {
    while (w->block < w->text.len) {
        while (w->mask) {
            size_t at = w->block + (size_t)__builtin_ctzll(w->mask);
            w->mask &= w->mask - 1;
            if (at < w->floor) continue;
            if (!peri__secret_find(&scrub->prefixes, w->text, at, w->floor, out)) continue;
            w->floor = out->to;
            return true;
        }
        w->block += PERI_PIVOT_BLOCK;
        if (w->block + PERI_PIVOT_BLOCK <= w->floor) {
            w->block = w->floor / PERI_PIVOT_BLOCK * PERI_PIVOT_BLOCK;
        }
        if (w->block < w->text.len) enter_block(scrub, w);
    }
    return false;
}

bool peri_scrub_clean(const peri_scrub *scrub, peri_str text) {
    if (scrub->added && peri__added_count(scrub->added)) return false;
    walk w;
    walk_init(scrub, text, &w);
    peri_secret secret;
    return !next_secret(scrub, &w, &secret);
}

static size_t scrub_built_in(const peri_scrub *scrub, peri_str text, peri_buf *out) {
    walk w;
    walk_init(scrub, text, &w);
    peri_secret secret;
    size_t done = 0, count = 0;
    while (next_secret(scrub, &w, &secret)) {
        peri_buf_add(out, peri_str_sub(text, done, secret.from - done));
        peri_buf_addf(out, "[%s redacted]", secret.kind);
        done = secret.to;
        count++;
    }
    peri_buf_add(out, peri_str_sub(text, done, text.len));
    return count;
}

size_t peri_scrub_text(const peri_scrub *scrub, peri_str text, peri_buf *out) {
    size_t kinds = scrub->added ? peri__added_count(scrub->added) : 0;
    if (kinds == 0) return scrub_built_in(scrub, text, out);
    peri_buf from, to;
    peri_buf_init(&from, SIZE_MAX / 4);
    peri_buf_init(&to, SIZE_MAX / 4);
    size_t count = scrub_built_in(scrub, text, &from);
    for (size_t i = 0; i < kinds; i++) {
        peri_buf_clear(&to);
        count += peri__added_apply(scrub->added, i, peri_buf_str(&from), &to);
        peri_buf spare = from;
        from = to;
        to = spare;
        if (from.status < 0) break;
    }
    if (from.status < 0) { // half a result could hold what the other half would have hidden
        out->status = from.status;
    } else {
        peri_buf_add(out, peri_buf_str(&from));
    }
    peri_buf_deinit(&from);
    peri_buf_deinit(&to);
    return count;
}
