// Opening and saving the trust store for `trust`, `goal` and `remember`, with failures told
// once.
#include "agreed.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "cli.h"
#include "paths.h"
#include "tell.h"

int peri_agreed_open(peri_agreed *agreed, const char *verb, const char *state_dir) {
    peri_buf_init(&agreed->file, PERI_PATH_MAX_BYTES);
    peri_trust_init(&agreed->trust);
    if (peri_path_trust(&agreed->file, state_dir) < 0) {
        fprintf(stderr, "perilune %s: no place for the trust store; set HOME\n", verb);
        return PERI_EXIT_USAGE;
    }
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    int status = peri_trust_read(&agreed->trust, peri_buf_c(&agreed->file), &diags);
    peri_tell_diags(stderr, &diags);
    peri_diag_list_deinit(&diags);
    return status < 0 ? PERI_EXIT_USAGE : PERI_EXIT_OK;
}

void peri_agreed_close(peri_agreed *agreed) {
    peri_trust_deinit(&agreed->trust);
    peri_buf_deinit(&agreed->file);
}

int peri_agreed_save(peri_agreed *agreed, const char *verb) {
    const char *file = peri_buf_c(&agreed->file);
    int status = peri_trust_write(&agreed->trust, file);
    if (status == PERI_OK) return PERI_EXIT_OK;
    fprintf(stderr, "perilune %s: %s: %s\n", verb, file, peri_status_message(status));
    return PERI_EXIT_INTERNAL;
}

int peri_agreed_note_own(const char *verb, const char *state_dir, const char *folder,
                         const char *relative, peri_str text) {
    char *real = realpath(folder, NULL);
    char *path = NULL;
    if (!real || asprintf(&path, "%s/%s", real, relative) < 0) path = NULL;
    free(real);
    peri_agreed agreed;
    int code = peri_agreed_open(&agreed, verb, state_dir);
    if (code == PERI_EXIT_OK && !path) code = PERI_EXIT_INTERNAL;
    if (code == PERI_EXIT_OK) {
        char hash[PERI_TRUST_HASH_CHARS + 1];
        peri_clock clock = peri_clock_system();
        peri_trust_hash(text, hash);
        int status =
            peri_trust_add(&agreed.trust, peri_str_c(path), hash, clock.wall_ms(clock.user));
        code = status < 0 ? PERI_EXIT_INTERNAL : peri_agreed_save(&agreed, verb);
    }
    peri_agreed_close(&agreed);
    free(path);
    return code;
}
