// The rules of the three layouts: `claude-2.1.332` and `claude-2.1.215` as those clients write
// their observers' digests, so that an observer made for them runs unchanged, and `rich`, ours.
// Whatever differs between them is a value here; the code that writes is one.
#include "digest/layout.h"

enum {
    CLAUDE_ASSISTANT_U16 = 64000,
    CLAUDE_USER_U16 = 16000,
    CLAUDE_FIELD_U16 = 2000,
    CLAUDE_DELIVERY_U16 = 64000,
};

static void set_caps(peri_layout_rules *rules, size_t field, size_t user, size_t assistant) {
    for (size_t i = 0; i < PERI_ITEM_KIND_COUNT; i++) rules->cap[i] = field;
    rules->cap[PERI_ITEM_RAW] = 0; // for scripts: no layout has an element for it
    rules->cap[PERI_ITEM_USER_MESSAGE] = user;
    rules->cap[PERI_ITEM_ASSISTANT_TEXT] = assistant;
}

static size_t bounded(size_t value, size_t normal, size_t max) {
    if (value == 0) return normal;
    return value < max ? value : max;
}

peri_layout_rules peri__layout_rules(const peri_digest_options *options) {
    peri_layout_rules rules = {.nonces = true, .utf16 = true, .max_units = SIZE_MAX};
    size_t normal_bytes = PERI_DIGEST_CAP_BYTES; // those clients count units, not bytes
    size_t field;
    switch (options->layout) {
    case PERI_LAYOUT_CLAUDE_332:
        rules.max_units = CLAUDE_DELIVERY_U16;
        set_caps(&rules, CLAUDE_FIELD_U16, CLAUDE_USER_U16, CLAUDE_ASSISTANT_U16);
        break;
    case PERI_LAYOUT_CLAUDE_215:
        rules.nonces = false;
        rules.messages_apart = true;
        rules.machine_as_user = true;
        set_caps(&rules, CLAUDE_FIELD_U16, CLAUDE_FIELD_U16, CLAUDE_ASSISTANT_U16);
        rules.cap[PERI_ITEM_GUIDANCE_LOADED] = 0; // kinds that client does not know
        rules.cap[PERI_ITEM_SKILLS_DISCOVERED] = 0;
        rules.cap[PERI_ITEM_COORDINATOR_TASK] = 0;
        break;
    default:
        rules.utf16 = false;
        rules.rich = true;
        field = bounded(options->field_cp, PERI_DIGEST_FIELD_CP, PERI_DIGEST_FIELD_CAP_CP);
        set_caps(&rules, field, field, field);
        normal_bytes = PERI_DIGEST_MAX_BYTES;
    }
    if (options->no_results) rules.cap[PERI_ITEM_TOOL_RESULT] = 0;
    rules.max_bytes = bounded(options->max_bytes, normal_bytes, PERI_DIGEST_CAP_BYTES);
    return rules;
}
