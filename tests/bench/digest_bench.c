// What a digest costs beside a memcpy of the same items' texts, as a percentage of the memcpy's
// speed: a typical step (20 calls of 2 KB with their results) and a hostile one (100 results of
// 5 KB of "=" and backtick runs and multi-byte text), raw and scrubbed. Floor: 5 %. Then how
// many times as long it takes when one dimension of the input is doubled: twice, if the work is
// linear.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "digest/digest.h"
#include "digest/scrub.h"

enum { ROUNDS = 101, REPEATS = 4, MAX_ITEMS = 512, FLOOR_PERCENT = 5 };

// How long one figure is measured: a neighbour on the core leaves it alone at some time of it.
static const double measure_ns = 3e9;

typedef struct load {
    const char *name;
    peri_item items[MAX_ITEMS];
    const peri_item *list[MAX_ITEMS];
    size_t count, bytes;
    size_t max_bytes; // of the digest, and code points of a field; 0: the defaults
    uint32_t field_cp;
    char ids[MAX_ITEMS][16];
    char *copy;
} load;

static char *fill(const char *bits, size_t bytes) {
    size_t len = strlen(bits);
    char *text = malloc(bytes + len + 1);
    if (!text) exit(3);
    for (size_t at = 0; at < bytes; at += len) memcpy(text + at, bits, len);
    text[peri_utf8_cut_bytes(peri_str_of(text, bytes + len), bytes)] = '\0';
    return text;
}

static void add(load *to, peri_item_kind kind, size_t pair, const char *text) {
    size_t i = to->count++;
    peri_item *item = &to->items[i];
    snprintf(to->ids[i], sizeof to->ids[i], "toolu_%zu", pair);
    *item = (peri_item){.kind = kind, .step = 1, .turn = 1, .exit_code = PERI_OBS_NO_EXIT};
    item->name = PERI_STR("Bash");
    item->call_id = peri_str_c(to->ids[i]);
    item->text = peri_text_of(peri_str_c(text), (peri_text_caps){64000, 0});
    to->list[i] = item;
    to->bytes += item->text.head.len;
}

static load *typical(size_t calls) {
    static const char code[] =
        "    if (count > limit && !state->done) return fail(ctx, \"too many\");\n"
        "src/parser.c:214:9: warning: unused variable 'next' [-Wunused-variable]\n";
    load *to = calloc(1, sizeof *to);
    if (!to) exit(3);
    to->name = "typical step";
    for (size_t i = 0; i < calls; i++) {
        add(to, PERI_ITEM_TOOL_CALL, i, fill("{\"command\":\"make check 2>&1\"}", 200));
        add(to, PERI_ITEM_TOOL_RESULT, i, fill(code, 2000));
    }
    return to;
}

static load *hostile(size_t calls) {
    load *to = calloc(1, sizeof *to);
    if (!to) exit(3);
    to->name = "hostile step";
    for (size_t i = 0; i < calls; i++) {
        add(to, PERI_ITEM_TOOL_RESULT, i,
            fill("==================```````````\xF0\x9F\x98\x80\xE6\xBC\xA2\xC3\xA9 <x </",
                 5000));
    }
    return to;
}

static double copy_ns(load *from) {
    double start = bench_now_ns();
    for (int i = 0; i < 100; i++) {
        char *at = from->copy;
        for (size_t j = 0; j < from->count; j++) {
            memcpy(at, from->items[j].text.head.ptr, from->items[j].text.head.len);
            at += from->items[j].text.head.len;
        }
        __asm__ volatile("" : : "r"(from->copy) : "memory");
    }
    return (bench_now_ns() - start) / 100;
}

static double digest_ns(const load *from, const peri_scrub *scrub, peri_buf *out) {
    peri_digest_options options = {.scrub = scrub, .max_bytes = from->max_bytes};
    options.field_cp = from->field_cp;
    options.nonce = PERI_STR("bench_01");
    options.name = PERI_STR("worker");
    peri_turn turn = {.items = from->list, .item_count = from->count, .turn = 1};
    turn.log = from->list;
    turn.log_count = from->count;
    double start = bench_now_ns();
    for (int i = 0; i < REPEATS; i++) {
        peri_buf_clear(out);
        if (peri_digest_write(&options, &turn, NULL, out, NULL) < 0) exit(3);
    }
    return (bench_now_ns() - start) / REPEATS;
}

static bool measure(load *what, const peri_scrub *scrub) {
    double copy = 1e12, digest = 1e12;
    peri_buf out;
    peri_buf_init(&out, 1 << 20);
    what->copy = malloc(what->bytes);
    if (!what->copy) exit(3);
    for (double end = bench_now_ns() + measure_ns; bench_now_ns() < end;) {
        copy = fmin(copy, copy_ns(what));
        digest = fmin(digest, digest_ns(what, scrub, &out));
    }
    double percent = copy / digest * 100;
    printf("%s, %3zu items, %6zu bytes, %-8s %7.1f us, memcpy %5.1f us: %5.1f %%\n", what->name,
           what->count, what->bytes, scrub ? "scrubbed" : "raw", digest / 1e3, copy / 1e3,
           percent);
    peri_buf_deinit(&out);
    free(what->copy);
    return percent >= FLOOR_PERCENT;
}

// Every byte of it is framed: no cap is reached.
static load *uniform(const char *bits, size_t items, size_t bytes) {
    load *to = calloc(1, sizeof *to);
    if (!to) exit(3);
    to->max_bytes = PERI_DIGEST_CAP_BYTES;
    to->field_cp = PERI_DIGEST_FIELD_CAP_CP;
    for (size_t i = 0; i < items; i++) add(to, PERI_ITEM_TOOL_RESULT, i, fill(bits, bytes));
    return to;
}

static double doubled(const load *once, const load *twice, const peri_scrub *scrub) {
    double small[ROUNDS], large[ROUNDS];
    peri_buf out;
    peri_buf_init(&out, 1 << 20);
    for (int i = 0; i < ROUNDS; i++) {
        small[i] = digest_ns(once, scrub, &out);
        large[i] = digest_ns(twice, scrub, &out);
    }
    peri_buf_deinit(&out);
    return bench_best(large, ROUNDS) / bench_best(small, ROUNDS);
}

static void show_doubling(const peri_scrub *scrub) {
    static const char prose[] = "if (count > limit) return fail(ctx, \"too many\");\n";
    static const struct {
        const char *what, *bits;
        size_t items, bytes, more_items, more_bytes;
    } dimensions[] = {
        {"items", prose, 40, 1000, 80, 1000},
        {"bytes an item", prose, 4, 8000, 4, 16000},
        {"runs of =", "================", 4, 8000, 4, 16000},
        {"runs of `", "````````````````", 4, 8000, 4, 16000},
        {"multi-byte text", "\xF0\x9F\x98\x80\xE6\xBC\xA2\xC3\xA9", 4, 8000, 4, 16000},
        {"tags", "<x-activity></x-activity>", 4, 8000, 4, 16000},
    };
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++) {
        load *once = uniform(dimensions[i].bits, dimensions[i].items, dimensions[i].bytes);
        load *twice =
            uniform(dimensions[i].bits, dimensions[i].more_items, dimensions[i].more_bytes);
        printf("twice as many/long, %-16s takes %.2f times, scrubbed %.2f times\n",
               dimensions[i].what, doubled(once, twice, NULL), doubled(once, twice, scrub));
    }
}

int main(void) {
    peri_scrub *scrub;
    if (peri_scrub_new(&scrub) < 0) return 3;
    load *loads[] = {typical(20), hostile(100)};
    bool fast = true;
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        fast = measure(loads[i], NULL) && fast;
        fast = measure(loads[i], scrub) && fast;
    }
    printf("floor %d %% of memcpy: %s\n", FLOOR_PERCENT, fast ? "met" : "NOT met");
    show_doubling(scrub);
    return fast ? 0 : 1;
}
