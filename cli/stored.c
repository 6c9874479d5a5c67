// Opening stored ledgers for `explain` and `log`, what both say when that fails, and one stored
// record as one line. Reading never makes a file: a missing ledger is an answer, not an error
// of the program.
#include "stored.h"

#include <stdio.h>

#include "paths.h"
#include "plain.h"
#include "prose.h"

enum {
    KIND_COLUMNS = 10,
    OBSERVER_COLUMNS = 16,
    PART_MAX_CP = 60,
    PART_MIN_CP = 20,
    ID_BYTES = 10, // of a pairing, whose ids are longer
    LINE_MAX_BYTES = 8 * 1024,
};

int peri_stored_open(const char *verb, const char *file, const char *name, peri_ledger **out) {
    peri_buf path;
    peri_buf_init(&path, PERI_PATH_MAX_BYTES);
    int status = PERI_OK;
    const char *error = "neither XDG_STATE_HOME nor HOME names a folder";
    if (!file) status = peri_path_state(&path, name);
    const char *place = file ? file : status == PERI_OK ? peri_buf_c(&path) : name;
    bool homeless = status == PERI_ENOENT;
    peri_ledger_options options = {.read_only = true};
    if (status == PERI_OK) status = peri_ledger_open(place, &options, out, &error);
    if (status == PERI_ENOENT && file) {
        fprintf(stderr, "perilune %s: there is no file %s\n", verb, file);
        status = PERI_EIO;
    } else if (status < 0 && (homeless || status != PERI_ENOENT)) {
        fprintf(stderr, "perilune %s: cannot read %s: %s\n", verb, place, error);
    }
    peri_buf_deinit(&path);
    return homeless ? PERI_EIO : status;
}

int peri_stored_fail(const char *verb, int status) {
    fprintf(stderr, "perilune %s: %s\n", verb,
            status == PERI_EFORMAT ? "the ledger is damaged" : peri_status_message(status));
    return status == PERI_EFORMAT ? PERI_EXIT_USAGE : PERI_EXIT_INTERNAL;
}

int peri_stored_print(const char *verb, peri_buf *text) {
    if (text->status != PERI_OK) return peri_stored_fail(verb, text->status);
    bool written = fwrite(text->ptr ? text->ptr : "", 1, text->len, stdout) == text->len;
    if (written && fflush(stdout) == 0) return PERI_EXIT_OK;
    fprintf(stderr, "perilune %s: writing failed\n", verb);
    return PERI_EXIT_INTERNAL;
}

void peri_stored_add_json(void *user, const peri_record *row) {
    peri_buf_add(user, row->json);
    peri_buf_add_byte(user, '\n');
}

// What a row is about, beyond its states: what was said, or why it is so.
static peri_str subject_of(const peri_record *row) {
    switch (row->kind) {
    case PERI_RECORD_DIGEST: // an excerpt and a frame are no line's worth
    case PERI_RECORD_DELIVERY:
        return row->reason;
    case PERI_RECORD_PROPOSAL:
    case PERI_RECORD_WARNING:
        return row->text;
    default:
        return row->reason.len ? row->reason : row->text;
    }
}

static void add_part(peri_buf *out, peri_str part, size_t max_cp) {
    if (!part.len) return;
    peri_buf_add_c(out, "  ");
    peri_prose_add_plain(out, part, max_cp);
}

// A reason is told whole, on lines of its own if need be; of a text as much as the line holds.
static void add_subject(peri_buf *out, const peri_record *row, size_t column) {
    peri_str subject = subject_of(row);
    size_t used = column + peri_prose_columns(out, 0) + 3, columns = (size_t)plain_columns();
    size_t room = used + PART_MIN_CP < columns ? columns - used : PART_MIN_CP;
    bool whole = row->reason.len && subject.ptr == row->reason.ptr;
    add_part(out, subject, whole || room > PART_MAX_CP ? PART_MAX_CP : room);
}

void peri_stored_add_line(peri_buf *to, const peri_record *row, size_t column) {
    peri_buf_addf(to, "%-8s  ", peri_record_kind_name(row->kind));
    peri_buf line, *out = &line;
    peri_buf_init(out, LINE_MAX_BYTES);
    peri_prose_add_plain(out, row->observer.len ? row->observer : PERI_STR("-"), PART_MAX_CP);
    size_t columns = peri_prose_columns(out, 0);
    if (columns < OBSERVER_COLUMNS) peri_buf_add_repeat(out, ' ', OBSERVER_COLUMNS - columns);
    add_part(out, peri_str_sub(row->id, 0, ID_BYTES), PART_MAX_CP);
    add_part(out, row->state, PART_MAX_CP);
    add_part(out, row->lane, PART_MAX_CP);
    add_part(out, row->policy, PART_MAX_CP);
    if (row->kind == PERI_RECORD_DIGEST || row->kind == PERI_RECORD_USAGE) {
        peri_buf_add_c(out, "  ");
        peri_prose_add_number(out, row->count);
        peri_buf_add_c(out, row->kind == PERI_RECORD_DIGEST ? " bytes" : " tokens written");
    }
    add_subject(out, row, column + KIND_COLUMNS);
    peri_str text = peri_buf_str(out);
    while (text.len && text.ptr[text.len - 1] == ' ') text.len--;
    peri_prose_add_wrapped(to, text, column + KIND_COLUMNS);
    if (line.status < 0 && to->status == PERI_OK) to->status = line.status;
    peri_buf_deinit(&line);
}
