// The agent's log of tap.h: an array that grows to its bound, then loses its middle.
#include "tap/tap.h"

#include <stdlib.h>

void peri_tap_init(peri_tap *tap) {
    *tap = (peri_tap){0};
}

void peri_tap_deinit(peri_tap *tap) {
    for (size_t i = 0; i < tap->count; i++) free(tap->items[i]);
    free(tap->items);
    free(tap->numbers);
    peri_tap_init(tap);
}

static void remove_at(peri_tap *tap, size_t at) {
    tap->bytes -= tap->items[at]->size_bytes;
    free(tap->items[at]);
    tap->count--;
    memmove(tap->items + at, tap->items + at + 1, (tap->count - at) * sizeof *tap->items);
    memmove(tap->numbers + at, tap->numbers + at + 1, (tap->count - at) * sizeof *tap->numbers);
}

static int make_room(peri_tap *tap, size_t bytes) {
    while (tap->count &&
           (tap->count >= PERI_TAP_MAX_ITEMS || tap->bytes + bytes > PERI_TAP_MAX_BYTES)) {
        // The head is kept until it alone is too large.
        size_t head = tap->count > PERI_TAP_HEAD_ITEMS ? PERI_TAP_HEAD_ITEMS : tap->count / 4;
        remove_at(tap, head);
        tap->dropped_count++;
    }
    if (tap->count < tap->cap) return PERI_OK;
    size_t cap = tap->cap ? tap->cap * 2 : 8;
    peri_item **items = realloc(tap->items, cap * sizeof *items);
    if (!items) return PERI_ENOMEM;
    tap->items = items;
    uint64_t *numbers = realloc(tap->numbers, cap * sizeof *numbers);
    if (!numbers) return PERI_ENOMEM;
    tap->numbers = numbers;
    tap->cap = cap;
    return PERI_OK;
}

int peri_tap_push_take(peri_tap *tap, peri_item *item) {
    int status = make_room(tap, item->size_bytes);
    if (status < 0) {
        free(item);
        return status;
    }
    tap->items[tap->count] = item;
    tap->numbers[tap->count] = ++tap->last_number;
    tap->count++;
    tap->bytes += item->size_bytes;
    return PERI_OK;
}

void peri_tap_skip(peri_tap *tap) {
    tap->last_number++;
}

// Index of the first kept item with a number of at least `number`.
static size_t lower_bound(const peri_tap *tap, uint64_t number) {
    size_t low = 0, high = tap->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tap->numbers[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const peri_item *const *peri_tap_range(const peri_tap *tap, uint64_t from, uint64_t upto,
                                       size_t *count, size_t *dropped) {
    if (from == 0) from = 1;
    if (upto < from) upto = from;
    size_t first = lower_bound(tap, from), end = lower_bound(tap, upto);
    *count = end - first;
    if (dropped) {
        *dropped = (size_t)(upto - from) - *count;
        for (size_t i = 0; i < tap->withdrawn_count; i++) {
            *dropped -= tap->withdrawn[i] >= from && tap->withdrawn[i] < upto;
        }
    }
    return (const peri_item *const *)(tap->items + first);
}

void peri_tap_trim(peri_tap *tap, uint64_t before, uint32_t turn) {
    size_t keep = 0;
    while (keep < tap->count && tap->numbers[keep] < before && tap->items[keep]->turn < turn) {
        tap->bytes -= tap->items[keep]->size_bytes;
        free(tap->items[keep++]);
    }
    if (keep == 0) return;
    tap->count -= keep;
    memmove(tap->items, tap->items + keep, tap->count * sizeof *tap->items);
    memmove(tap->numbers, tap->numbers + keep, tap->count * sizeof *tap->numbers);
}

static void note_withdrawn(peri_tap *tap, uint64_t number) {
    if (tap->withdrawn_count == PERI_TAP_MAX_WITHDRAWN) {
        tap->withdrawn_count--;
        memmove(tap->withdrawn, tap->withdrawn + 1,
                tap->withdrawn_count * sizeof *tap->withdrawn);
    }
    tap->withdrawn[tap->withdrawn_count++] = number;
}

size_t peri_tap_withdraw(peri_tap *tap, uint64_t record, uint32_t turn) {
    size_t count = 0;
    for (size_t i = 0; i < tap->count;) {
        const peri_item *item = tap->items[i];
        if ((record && item->record != record) || item->turn < turn) {
            i++;
            continue;
        }
        note_withdrawn(tap, tap->numbers[i]);
        remove_at(tap, i);
        count++;
    }
    return count;
}

int peri_tap_replace(peri_tap *tap, const peri_item *item, const peri_item *with) {
    size_t at = 0;
    while (at < tap->count && tap->items[at] != item) at++;
    if (at == tap->count) return PERI_OK;
    peri_item *copy = peri_item_copy(with);
    if (!copy) return PERI_ENOMEM;
    tap->bytes += copy->size_bytes - item->size_bytes;
    free(tap->items[at]);
    tap->items[at] = copy;
    return PERI_OK;
}

const peri_item *peri_tap_find_call(const peri_tap *tap, peri_item_kind kind,
                                    peri_str call_id) {
    if (!call_id.len) return NULL;
    for (size_t i = tap->count; i-- > 0;) {
        const peri_item *item = tap->items[i];
        if (item->kind == kind && peri_str_eq(item->call_id, call_id)) return item;
    }
    return NULL;
}
