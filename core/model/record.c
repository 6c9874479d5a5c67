// The words of the record kinds (include/perilune/record.h). A kind that this library does not
// know, as from a caller built against a newer header, reads as "unknown".
#include "perilune/record.h"

const char *peri_record_kind_name(peri_record_kind kind) {
    static const char *const words[PERI_RECORD_KIND_COUNT] = {
#define WORD(name, word) word,
        PERI_RECORD_KIND_LIST(WORD)
#undef WORD
    };
    return (size_t)kind < PERI_RECORD_KIND_COUNT ? words[kind] : "unknown";
}
