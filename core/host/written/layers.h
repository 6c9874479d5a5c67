// What the layers hold: every definition that was found, whether it is used, and why not. One
// list, shown by status, `perilune observers` and `perilune trust` (spec PI-2, PI-11).
#ifndef PERI_LAYERS_H
#define PERI_LAYERS_H

#include "model/observer.h"
#include "perilune/host.h"

#define PERI_ENTRY_STATE_LIST(X)                                                               \
    X(ACTIVE, "active")       /* armed on what its definition names */                         \
    X(OFF, "off")             /* switched off; the reason names the switch */                  \
    X(REPLACED, "replaced")   /* a later layer has one of the same name */                     \
    X(DUPLICATE, "duplicate") /* its own layer has one of the same name */                     \
    X(INVALID, "invalid")     /* it has a mistake, or is refused */                            \
    X(UNTRUSTED, "untrusted") /* of a project, in a content nobody agreed to */

typedef enum peri_entry_state {
#define PERI_ENTRY_STATE_ENUM(name, word) PERI_ENTRY_##name,
    PERI_ENTRY_STATE_LIST(PERI_ENTRY_STATE_ENUM)
#undef PERI_ENTRY_STATE_ENUM
} peri_entry_state;

/// One definition. Its texts live as long as the host.
typedef struct peri_entry {
    peri_str name; // absent if the file does not even tell that
    peri_str layer, file;
    peri_str reason; // absent while active
    peri_entry_state state;
    const peri_observer *observer; // NULL unless it was loaded
} peri_entry;

peri_str peri_entry_state_word(peri_entry_state state);

/// All entries, as they were found, layer by layer; borrowed until the host's next step.
const peri_entry *peri_host_entries(const peri_host *host, size_t *count);

/// The loaded definition called `name`, or NULL.
const peri_observer *peri_host_find_observer(const peri_host *host, peri_str name);

/// True of what stands beside definitions and is none: a spec, or a scene for one.
bool peri_host_is_of_spec(peri_str file);

#endif
