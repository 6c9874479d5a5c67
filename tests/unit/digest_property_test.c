// core/digest: what holds of every document, over random items full of tags, "=" and multi-byte
// text.
#include "items.h"

static uint32_t seed;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % sides;
}

static char random_bytes[4 << 20];
static size_t random_used;

static peri_str random_text(void) {
    static const char *const bits[] = {
        "<tool-call>",
        "</tool-result>",
        "< / USER-message>",
        "<worker-activity nonce=\"" N "\">",
        "</worker-activity>",
        "<turn-ended nonce=\"" N "\" reason=\"x\" />",
        "=",
        "==========",
        "```",
        "\xF0\x9F\x98\x80",
        "\xE6\xBC\xA2",
        "\n",
        "\n\n",
        " ",
        "word",
        "<",
        "</",
        "<\\",
        "\"",
        "-activity",
        "<x",
        "\xE2\x80\xA8",
        "tool-call>",
        "… [+5 chars truncated]",
        "<tool-cal",
    };
    char *from = random_bytes + random_used;
    size_t len = 0;
    for (uint32_t n = dice(20) ? dice(40) : dice(3000); n > 0; n--) {
        const char *bit = bits[dice(sizeof bits / sizeof bits[0])];
        memcpy(from + len, bit, strlen(bit));
        len += strlen(bit);
    }
    random_used += len;
    return peri_str_of(from, len);
}

static void random_items(void) {
    static const char *const ids[] = {NULL, "a", "b", "\"><tool-call>", "c=\n"};
    start();
    random_used = 0;
    for (uint32_t n = 1 + dice(30); n > 0 && random_used < sizeof random_bytes / 2; n--) {
        peri_item_kind kind = (peri_item_kind)dice(PERI_ITEM_KIND_COUNT);
        put(kind, ids[dice(5)], NULL, random_text());
        fixture.pool[fixture.count - 1].name = random_text();
        fixture.step += dice(3) == 0;
    }
}

// Every "<" that is not neutralised and begins a tag of the family.
static size_t tags_in(peri_str text) {
    static const char *const names[] = {
        "tool-call",         "tool-result",      "user-message",
        "non-user-message",  "turn-ended",       "guidance-loaded",
        "skills-discovered", "coordinator-task", "worker-activity",
    };
    size_t count = 0;
    for (size_t at = peri_str_find_byte(text, '<', 0); at != PERI_NPOS;
         at = peri_str_find_byte(text, '<', at + 1)) {
        size_t name = at + 1;
        while (name < text.len && strchr(" \n/", text.ptr[name])) name++;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            peri_str word = peri_str_c(names[i]);
            peri_str there = peri_str_sub(text, name, word.len);
            char next = name + word.len < text.len ? text.ptr[name + word.len] : ' ';
            bool longer = next == '-' || next == '_' || (next >= 'a' && next <= 'z');
            count += peri_str_eq_nocase(there, word) && !longer;
        }
    }
    return count;
}

static bool shown(const peri_item *item, peri_layout layout) {
    bool message = item->kind == PERI_ITEM_ASSISTANT_TEXT ||
                   item->kind == PERI_ITEM_USER_MESSAGE ||
                   item->kind == PERI_ITEM_NON_USER_MESSAGE;
    if (item->kind == PERI_ITEM_RAW) return false;
    if (message) return !peri_utf8_blank(item->text.head);
    bool new_kind = item->kind == PERI_ITEM_GUIDANCE_LOADED ||
                    item->kind == PERI_ITEM_SKILLS_DISCOVERED ||
                    item->kind == PERI_ITEM_COORDINATOR_TASK;
    if (layout == PERI_LAYOUT_CLAUDE_215 && new_kind) return false;
    if (layout == PERI_LAYOUT_RICH || item->kind != PERI_ITEM_TOOL_DENIED) return true;
    for (size_t i = 0; i < fixture.count; i++) {
        const peri_item *other = fixture.list[i];
        bool same = item->call_id.len && peri_str_eq(other->call_id, item->call_id);
        if (other->kind == PERI_ITEM_TOOL_RESULT && same) return false;
    }
    return true;
}

// How many tags the document of all items must have: two an element, one for the empty ones,
// two a block.
static size_t expected_tags(peri_layout layout) {
    size_t tags = 0;
    const peri_item *before = NULL;
    for (size_t i = 0; i < fixture.count; i++) {
        const peri_item *item = fixture.list[i];
        if (!shown(item, layout)) continue;
        bool message =
            item->kind == PERI_ITEM_USER_MESSAGE || item->kind == PERI_ITEM_NON_USER_MESSAGE;
        bool after_message = before && (before->kind == PERI_ITEM_USER_MESSAGE ||
                                        before->kind == PERI_ITEM_NON_USER_MESSAGE);
        bool apart = layout == PERI_LAYOUT_CLAUDE_215 && (message || after_message);
        if (!before || before->step != item->step || apart) tags += 2;
        if (item->kind == PERI_ITEM_TURN_ENDED || item->kind == PERI_ITEM_SKILLS_DISCOVERED) {
            tags += 1;
        } else if (item->kind != PERI_ITEM_ASSISTANT_TEXT) {
            tags += 2;
        }
        before = item;
    }
    return tags;
}

IT("CC-7 has exactly the structure of its items, whatever they hold") {
    for (seed = 1; seed < 600; seed++) {
        uint32_t first = seed;
        random_items();
        for (peri_layout layout = 0; layout < PERI_LAYOUT_COUNT; layout++) {
            peri_str got = write_as(layout);
            CHECK(peri_utf8_valid(got));
            if (stats.dropped_items == 0 && tags_in(got) != expected_tags(layout)) {
                TEST_FAIL("seed %u layout %d: %zu tags, not %zu in %.*s", first, layout,
                          tags_in(got), expected_tags(layout), PERI_FMT(got));
            }
        }
        seed = first;
    }
}

IT("PI-4 has exactly the sections asked for, whatever the texts hold") {
    static const peri_slice sees[] = {PERI_SLICE_ACTIVITY,
                                      PERI_SLICE_LAST_USER_MESSAGE,
                                      PERI_SLICE_LAST_ASSISTANT_MESSAGE,
                                      PERI_SLICE_TRANSCRIPT,
                                      PERI_SLICE_TOOL_CALLS_THIS_TURN,
                                      PERI_SLICE_SKILLS};
    peri_observer observer = seer(sees, 6);
    for (seed = 1; seed < 300; seed++) {
        uint32_t first = seed;
        random_items();
        peri_digest_options options = options_of((peri_layout)(first % PERI_LAYOUT_COUNT));
        options.max_bytes = first % 2 ? 0 : 6000;
        peri_str got = write_with(&options, &observer);
        CHECK(peri_utf8_valid(got));
        CHECK(got.len <= (first % 2 ? PERI_DIGEST_CAP_BYTES : 6000));
        size_t at = peri_str_find(got, PERI_STR("exactly "));
        unsigned long run = strtoul(got.ptr + at + 8, NULL, 10);
        char *line = flood("=", run + 2);
        line[0] = '\n';
        line[run + 1] = ' ';
        CHECK_EQ(occurrences(got, line), 7);
        free(line);
        seed = first;
    }
}

TEST_MAIN
