// The paths that a dialect's rules ask for, each known by a number, so that a record's members
// are gone through once, however many rules ask for them; and the words that they compare a
// value with, each known by a number of its path, so that a comparison is one bit. Filled when
// a dialect is loaded; what it remembers of a record belongs to the one that is read at the
// moment.
#ifndef PERI_INGEST_PATHS_H
#define PERI_INGEST_PATHS_H

#include "base/arena.h"
#include "base/json.h"

typedef struct peri_paths peri_paths;

/// An empty set of paths in `arena`; NULL if memory ran out.
peri_paths *peri_paths_new(peri_arena *arena);

/// The number of a path of member names, the same for the same names; 0 if there are too many:
/// such a path is followed name by name. `keys` are borrowed for as long as `paths` lives.
uint16_t peri_paths_add(peri_paths *paths, const peri_str *keys, size_t count);

/// One bit for each of `words` (ended by an absent text; borrowed) that the value of path `id`
/// may be equal to; 0 if there are too many.
uint64_t peri_paths_add_words(peri_paths *paths, uint16_t id, const peri_str *words);

/// Forgets the record before. Returns a stamp: what holds another
/// one was found in another record.
uint32_t peri_paths_begin(peri_paths *paths);
uint32_t peri_paths_stamp(const peri_paths *paths);

/// A value that paths begin at: of one record two kinds are told
/// apart, those of `memory` 0 and 1.
typedef struct peri_path_base {
    peri_json value;
    unsigned memory;
} peri_path_base;

/// The value of path `id` (not 0) from `base`.
peri_json peri_paths_find(peri_paths *paths, peri_path_base base, uint16_t id);

/// The number of the word that the value of path `id` is, as its bit in peri_paths_add_words;
/// or that it is none, or that it must be compared by its content.
enum { PERI_WORD_NONE = -1, PERI_WORD_ESCAPED = -2 };
int peri_paths_word(peri_paths *paths, peri_path_base base, uint16_t id);

#endif
