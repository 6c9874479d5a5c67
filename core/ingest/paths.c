// The memory of paths.h: a slot a path, valid while it bears the stamp of the record (or of the
// element of `each`) that is read. The members of an object are gone through when the first of
// them is asked for; then all that any rule may ask for are known, or known to be absent.
#include "ingest/paths.h"

enum { MAX_PATHS = 256, MAX_WORDS = 256, TABLE = 1024, MEMORIES = 2, BITS = 64 };

typedef struct entry {
    peri_str name;
    uint16_t parent; // 0: where the path begins
    uint8_t word_count;
} entry;

typedef struct word {
    peri_str text;
    uint16_t path;
    uint8_t bit;
} word;

typedef struct slot {
    uint32_t found, listed; // stamps: `node` is its value; its members were gone through
    uint32_t node;
    int32_t word; // WORD_UNREAD until somebody asks
} slot;

enum { WORD_UNREAD = -3 };

struct peri_paths {
    entry entries[MAX_PATHS]; // by number; 0 is where a path begins
    word words[MAX_WORDS];
    uint16_t count, word_count;
    uint16_t by_name[TABLE], by_word[TABLE]; // number + 1; 0: free
    uint32_t clock, record_stamp;
    uint32_t stamps[MEMORIES];
    peri_json bases[MEMORIES];
    slot slots[MEMORIES][MAX_PATHS];
};

peri_paths *peri_paths_new(peri_arena *arena) {
    peri_paths *paths = peri_arena_zero(arena, sizeof *paths);
    if (paths) paths->count = 1;
    return paths;
}

static size_t place(uint16_t path, peri_str text) {
    uint32_t hash = (uint32_t)text.len * 0x9E3779B1u + path * 0x85EBCA6Bu;
    if (text.len) {
        hash ^= (unsigned char)text.ptr[0] * 0xC2B2AE35u;
        hash += (unsigned char)text.ptr[text.len - 1] * 0x27D4EB2Fu;
        hash ^= (unsigned char)text.ptr[text.len / 2] * 0x165667B1u;
    }
    return (hash >> 16 ^ hash) & (TABLE - 1);
}

// The member `name` of path `parent`; 0 if no rule asks for it,
// then `*at` is where it would stand.
static uint16_t child(const peri_paths *paths, uint16_t parent, peri_str name, size_t *at) {
    for (*at = place(parent, name); paths->by_name[*at]; *at = (*at + 1) & (TABLE - 1)) {
        uint16_t id = (uint16_t)(paths->by_name[*at] - 1);
        const entry *known = &paths->entries[id];
        if (known->parent == parent && peri_str_eq(known->name, name)) return id;
    }
    return 0;
}

uint16_t peri_paths_add(peri_paths *paths, const peri_str *keys, size_t count) {
    uint16_t parent = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at;
        uint16_t id = child(paths, parent, keys[i], &at);
        if (!id) {
            if (paths->count == MAX_PATHS) return 0;
            id = paths->count++;
            paths->entries[id] = (entry){.name = keys[i], .parent = parent};
            paths->by_name[at] = (uint16_t)(id + 1);
        }
        parent = id;
    }
    return parent;
}

// The word `text` of path `id`, or PERI_WORD_NONE.
static int find_word(const peri_paths *paths, uint16_t id, peri_str text, size_t *at) {
    for (*at = place(id, text); paths->by_word[*at]; *at = (*at + 1) & (TABLE - 1)) {
        const word *known = &paths->words[paths->by_word[*at] - 1];
        if (known->path == id && peri_str_eq(known->text, text)) return known->bit;
    }
    return PERI_WORD_NONE;
}

uint64_t peri_paths_add_words(peri_paths *paths, uint16_t id, const peri_str *words) {
    uint64_t bits = 0;
    for (; id && words && words->ptr; words++) {
        size_t at;
        int bit = find_word(paths, id, *words, &at);
        if (bit < 0) {
            entry *of = &paths->entries[id];
            if (of->word_count == BITS || paths->word_count == MAX_WORDS) return 0;
            bit = of->word_count++;
            paths->words[paths->word_count++] = (word){*words, id, (uint8_t)bit};
            paths->by_word[at] = paths->word_count;
        }
        bits |= UINT64_C(1) << bit;
    }
    return bits;
}

// A stamp that no slot bears.
static uint32_t next_stamp(peri_paths *paths) {
    if (++paths->clock == 0) {
        memset(paths->slots, 0, sizeof paths->slots);
        paths->clock = 1;
    }
    return paths->clock;
}

uint32_t peri_paths_begin(peri_paths *paths) {
    for (size_t i = 0; i < MEMORIES; i++) paths->bases[i] = (peri_json){0};
    return paths->record_stamp = next_stamp(paths);
}

uint32_t peri_paths_stamp(const peri_paths *paths) {
    return paths->record_stamp;
}

// What is remembered of `base`: nothing if it is not the one of before.
static slot *enter(peri_paths *paths, peri_path_base base) {
    peri_json *known = &paths->bases[base.memory];
    slot *slots = paths->slots[base.memory];
    if (known->doc != base.value.doc || known->node != base.value.node) {
        *known = base.value;
        paths->stamps[base.memory] = next_stamp(paths);
        slots[0] = (slot){.found = paths->stamps[base.memory], .node = base.value.node};
    }
    return slots;
}

static void keep(slot *to, uint32_t stamp, uint32_t node) {
    *to = (slot){.found = stamp, .listed = to->listed, .node = node, .word = WORD_UNREAD};
}

// A name with an escape in it is compared with each that is asked for.
static void keep_escaped(const peri_paths *paths, slot *slots, uint16_t parent,
                         peri_json name) {
    uint32_t stamp = slots[0].found;
    for (uint16_t id = 1; id < paths->count; id++) {
        const entry *known = &paths->entries[id];
        if (known->parent == parent && peri_json_is(name, known->name)) {
            keep(&slots[id], stamp, name.node + 1);
        }
    }
}

// Of equal names the last counts, as everywhere.
static void list(const peri_paths *paths, slot *slots, peri_json object, uint16_t parent) {
    slots[parent].listed = slots[0].found;
    if (peri_json_type_of(object) != PERI_JSON_OBJECT) return;
    const peri_json_node *nodes = object.doc->nodes;
    for (uint32_t at = object.node + 1; at < nodes[object.node].next; at = nodes[at + 1].next) {
        peri_json name = {object.doc, at};
        if (nodes[at].flags & PERI_JSON_ESCAPED) {
            keep_escaped(paths, slots, parent, name);
            continue;
        }
        size_t place_of;
        uint16_t id = child(paths, parent, peri_json_raw(name), &place_of);
        if (id) keep(&slots[id], slots[0].found, at + 1);
    }
}

peri_json peri_paths_find(peri_paths *paths, peri_path_base base, uint16_t id) {
    slot *slots = enter(paths, base);
    uint32_t stamp = slots[0].found;
    if (slots[id].found == stamp) return (peri_json){base.value.doc, slots[id].node};
    uint16_t missing[MAX_PATHS], depth = 0; // the objects on the way that were not gone through
    for (uint16_t at = id; slots[at].found != stamp;) {
        uint16_t parent = paths->entries[at].parent;
        if (slots[parent].listed == stamp) return (peri_json){0};
        missing[depth++] = at = parent;
    }
    while (depth) {
        uint16_t parent = missing[--depth];
        if (slots[parent].found != stamp) return (peri_json){0};
        list(paths, slots, (peri_json){base.value.doc, slots[parent].node}, parent);
    }
    return slots[id].found == stamp ? (peri_json){base.value.doc, slots[id].node}
                                    : (peri_json){0};
}

int peri_paths_word(peri_paths *paths, peri_path_base base, uint16_t id) {
    slot *known = &enter(paths, base)[id];
    if (known->found == paths->stamps[base.memory] && known->word != WORD_UNREAD) {
        return known->word;
    }
    size_t at;
    peri_json v = peri_paths_find(paths, base, id);
    if (!v.doc) return find_word(paths, id, (peri_str){0}, &at);
    bool escaped = v.doc->nodes[v.node].flags & PERI_JSON_ESCAPED;
    known->word = escaped ? PERI_WORD_ESCAPED : find_word(paths, id, peri_json_raw(v), &at);
    return known->word;
}
