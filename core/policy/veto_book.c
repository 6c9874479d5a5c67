// Counting vetoes. Keys carry the observer's length, so that "a" with "|b" and "a|" with "b"
// differ.
#include <stdlib.h>

#include "policy/desk.h"

typedef struct entry {
    uint32_t count;
    char key[];
} entry;

void peri_veto_book_init(peri_veto_book *book, uint64_t seed) {
    *book = (peri_veto_book){0};
    peri_map_init(&book->counts, PERI_BOOK_MAX_KEYS, seed);
}

void peri_veto_book_deinit(peri_veto_book *book) {
    size_t at = 0;
    for (peri_map_slot *slot; (slot = peri_map_next(&book->counts, &at));) free(slot->value);
    peri_map_deinit(&book->counts);
}

// Appends the key of (observer, fingerprint), or of the observer alone if `fingerprint` is
// absent.
static void make_key(peri_buf *out, peri_str observer, peri_str fingerprint) {
    peri_buf_add_uint(out, observer.len);
    peri_buf_add_byte(out, fingerprint.ptr ? '+' : ':');
    peri_buf_add(out, observer);
    peri_buf_add(out, fingerprint);
}

static uint32_t count_of(const peri_veto_book *book, peri_str observer, peri_str fingerprint) {
    peri_buf key;
    peri_buf_init(&key, 8192);
    make_key(&key, observer, fingerprint);
    const entry *found =
        key.status < 0 ? NULL : peri_map_get(&book->counts, peri_buf_str(&key));
    uint32_t count = found ? found->count : key.status < 0 ? UINT32_MAX : 0;
    peri_buf_deinit(&key);
    return count;
}

peri_veto_counts peri_veto_book_get(const peri_veto_book *book, peri_str observer,
                                    peri_str fingerprint) {
    if (book->session == 0 && book->lost == 0) return (peri_veto_counts){0}; // the usual case
    peri_str key = fingerprint.ptr ? fingerprint : PERI_STR("");
    return (peri_veto_counts){
        .key = count_of(book, observer, key),
        .observer = count_of(book, observer, (peri_str){0}),
        .session = book->session + book->lost,
    };
}

static void spend(peri_veto_book *book, peri_str observer, peri_str fingerprint,
                  uint32_t times) {
    peri_buf key;
    peri_buf_init(&key, 8192);
    make_key(&key, observer, fingerprint);
    entry *found = key.status < 0 ? NULL : peri_map_get(&book->counts, peri_buf_str(&key));
    if (!found && key.status == PERI_OK) {
        found = malloc(sizeof *found + key.len);
        if (found) {
            found->count = 0;
            memcpy(found->key, key.ptr, key.len);
            if (peri_map_set(&book->counts, peri_str_of(found->key, key.len), found) < 0) {
                free(found);
                found = NULL;
            }
        }
    }
    if (found) {
        found->count += times;
    } else {
        book->lost += times; // forgetting a veto must never refund one
    }
    peri_buf_deinit(&key);
}

void peri__veto_book_spend(peri_veto_book *book, peri_str observer, peri_str fingerprint) {
    spend(book, observer, fingerprint.ptr ? fingerprint : PERI_STR(""), 1);
    spend(book, observer, (peri_str){0}, 1);
    book->session++;
}

static uint32_t at_most(uint64_t count, uint64_t most) {
    return (uint32_t)(count < most ? count : most);
}

void peri_veto_book_restore(peri_veto_book *book, peri_str observer, peri_str fingerprint,
                            uint64_t count, uint32_t budget) {
    peri_veto_counts spent = peri_veto_book_get(book, observer, fingerprint);
    uint32_t clamped = at_most(count, budget);
    if (clamped <= spent.key) return;
    uint32_t more = clamped - spent.key;
    spend(book, observer, fingerprint.ptr ? fingerprint : PERI_STR(""), more);
    uint32_t observer_room = 2 * budget - at_most(spent.observer, 2 * (uint64_t)budget);
    if (observer_room) spend(book, observer, (peri_str){0}, at_most(more, observer_room));
    book->session += at_most(more, 4 * budget - at_most(book->session, 4 * (uint64_t)budget));
}
