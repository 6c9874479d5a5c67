// The table of transitions (spec CC-5), and that the reference shows the very one of the code.
#include "base/buf.h"
#include "io/files.h"
#include "pairing/registry.h"
#include "test.h"

static void print_table(peri_buf *out) {
    peri_buf_add_c(out, "| from |");
    for (int cause = 0; cause < PERI_CAUSE_COUNT; cause++) {
        peri_buf_addf(out, " %.*s |", PERI_FMT(peri_cause_word((peri_cause)cause)));
    }
    peri_buf_add_c(out, "\n|---|");
    for (int cause = 0; cause < PERI_CAUSE_COUNT; cause++) peri_buf_add_c(out, "---|");
    for (int from = 0; from < PERI_PAIRING_STATE_COUNT; from++) {
        peri_str word = peri_pairing_state_word((peri_pairing_state)from);
        peri_buf_addf(out, "\n| %.*s |", PERI_FMT(word));
        for (int cause = 0; cause < PERI_CAUSE_COUNT; cause++) {
            int to = peri_pairing_next((peri_pairing_state)from, (peri_cause)cause);
            peri_str next =
                to < 0 ? PERI_STR("refused") : peri_pairing_state_word((peri_pairing_state)to);
            peri_buf_addf(out, " %.*s |", PERI_FMT(next));
        }
    }
    peri_buf_add_byte(out, '\n');
}

IT("CC-5 shows the table of the code in the reference") {
    peri_buf table, page;
    peri_buf_init(&table, 65536);
    peri_buf_init(&page, 1 << 20);
    print_table(&table);
    CHECK_OK(peri_file_read(PERI_SOURCE_DIR "/docs/reference/lifecycle.md", &page));
    bool shown = peri_str_find(peri_buf_str(&page), peri_buf_str(&table)) != PERI_NPOS;
    if (!shown) printf("  docs/reference/lifecycle.md has to hold:\n%s", peri_buf_c(&table));
    CHECK(shown);
    peri_buf_deinit(&table);
    peri_buf_deinit(&page);
}

IT("CC-5 leaves stopped by no cause, and denied by the user's enable or stop alone") {
    for (int cause = 0; cause < PERI_CAUSE_COUNT; cause++) {
        int to = peri_pairing_next(PERI_PAIRING_STOPPED, (peri_cause)cause);
        CHECK(to < 0 || to == PERI_PAIRING_STOPPED);
        to = peri_pairing_next(PERI_PAIRING_DENIED, (peri_cause)cause);
        bool user = cause == PERI_CAUSE_USER_ENABLE || cause == PERI_CAUSE_USER_STOP;
        CHECK(user || to < 0 || to == PERI_PAIRING_DENIED);
    }
}

TEST_MAIN
