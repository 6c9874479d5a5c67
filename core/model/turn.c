// Questions about the calls of a turn, answered from its log. Joins by call id only: a name or
// a place proves nothing when calls run side by side. Asked by the Lua view and by runtimes.
#include "model/turn.h"

static bool is_result(const peri_item *item) {
    return item->kind == PERI_ITEM_TOOL_RESULT || item->kind == PERI_ITEM_TOOL_DENIED;
}

static bool answers(const peri_item *item, const peri_item *call) {
    return is_result(item) && peri_str_eq(item->call_id, call->call_id);
}

// What came of the call at `at`. Results nearly always stand close behind their call, so the
// search begins there; one that arrived before its call is found last.
static const peri_item *find_result(const peri_turn *turn, size_t at) {
    const peri_item *call = turn->log[at];
    if (call->call_id.len == 0) return NULL;
    for (size_t i = at + 1; i < turn->log_count; i++) {
        if (answers(turn->log[i], call)) return turn->log[i];
    }
    for (size_t i = 0; i < at; i++) {
        if (answers(turn->log[i], call)) return turn->log[i];
    }
    return NULL;
}

size_t peri_turn_calls(const peri_turn *turn, peri_call *out, size_t max) {
    size_t count = 0;
    for (size_t i = 0; i < turn->log_count; i++) {
        count += turn->log[i]->kind == PERI_ITEM_TOOL_CALL;
    }
    size_t skip = count > max ? count - max : 0, written = 0;
    for (size_t i = 0; i < turn->log_count && written < max; i++) {
        if (turn->log[i]->kind != PERI_ITEM_TOOL_CALL) continue;
        if (skip > 0) {
            skip--;
            continue;
        }
        out[written++] = (peri_call){turn->log[i], find_result(turn, i)};
    }
    return written;
}

static bool same_text(const peri_item *a, const peri_item *b) {
    return a->hash == b->hash && a->text.cp == b->text.cp;
}

static bool same_call(const peri_item *a, const peri_item *b) {
    return a->kind == PERI_ITEM_TOOL_CALL && same_text(a, b) && peri_str_eq(a->name, b->name);
}

static bool same_outcome(const peri_item *a, const peri_item *b) {
    return a && b && a->kind == b->kind && a->is_error == b->is_error && same_text(a, b);
}

size_t peri_turn_repeats(const peri_turn *turn, const peri_item *call, size_t *same_result) {
    const peri_item *result = NULL;
    size_t count = 0, same = 0;
    bool counted = false;
    for (size_t i = turn->log_count; i-- > 0 && !result;) {
        if (turn->log[i]->seq == call->seq) result = find_result(turn, i);
    }
    for (size_t i = 0; i < turn->log_count; i++) {
        if (!same_call(turn->log[i], call)) continue;
        counted = counted || turn->log[i]->seq == call->seq;
        count++;
        if (same_result && result) same += same_outcome(find_result(turn, i), result);
    }
    if (same_result) *same_result = same;
    return counted ? count : count + 1; // the bounded log may have lost the call itself
}
