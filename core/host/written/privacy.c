// The secrets that are looked for beside the built-in kinds: patterns of the configs, and kinds
// from Lua files, the user's scrub.lua and those a config names. What a broken one would have
// hidden cannot be known, so every observer is off until it is mended; the kinds that are right
// count for all else that leaves. Called by host/load.c and, for the
// patterns, host/check.c; host/read/observe.c asks for the names of sessions.
#include <sodium.h>
#include <stdlib.h>

#include "host/written/written.h"

int host_privacy_patterns(const host_config *config, peri_scrub *scrub, peri_diag_list *diags) {
    int status = PERI_OK;
    for (size_t i = 0; i < config->pattern_count; i++) {
        peri_str pattern = config->patterns[i];
        const char *error = NULL;
        size_t at = 0;
        int added = peri_scrub_add(scrub, PERI_STR("configured"), pattern, &error, &at);
        if (added == PERI_ENOMEM) return added;
        if (added == PERI_OK) continue;
        peri_diag_addf(diags, PERI_ERROR, "bad-pattern", (peri_str){0}, 0, 0, NULL,
                       "privacy.patterns: '%.*s' at %zu: %s", PERI_FMT(pattern), at,
                       error ? error : "unusable");
        status = PERI_EINVAL;
    }
    return status;
}

// PERI_ENOENT where there is no such file; a mistake in one is told and no failure.
static int add_kinds(peri_host *host, const char *path) {
    peri_buf text;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status == PERI_OK) {
        status = peri_script_add_scrub(host->script, peri_str_c(path), peri_buf_str(&text),
                                       host->scrub, &host->diags);
    } else if (status != PERI_ENOENT) {
        peri_diag_addf(&host->diags, PERI_ERROR, "unreadable", peri_str_c(path), 0, 0, NULL,
                       "cannot be read: %s", peri_status_message(status));
    }
    peri_buf_deinit(&text);
    if (status == PERI_OK || status == PERI_ENOENT || status == PERI_ENOMEM) return status;
    host_switch_off(host, "a file of secrets has a mistake", path);
    return PERI_OK;
}

static int add_configured(peri_host *host, peri_str path) {
    char *copy = strndup(path.ptr, path.len);
    if (!copy) return PERI_ENOMEM;
    int status = add_kinds(host, copy);
    if (status == PERI_ENOENT) {
        peri_diag_addf(&host->diags, PERI_ERROR, "unreadable", path, 0, 0,
                       "mend the path in privacy.kinds", "there is no such file");
        host_switch_off(host, "a file of secrets is missing", copy);
        status = PERI_OK;
    }
    free(copy);
    return status;
}

int host_privacy_load(peri_host *host, bool use_user_config) {
    int status = host_privacy_patterns(&host->config, host->scrub, &host->diags);
    if (status == PERI_EINVAL) {
        host->switched_off = "privacy.patterns has a mistake";
        status = PERI_OK;
    }
    char *own = use_user_config ? host_user_path("scrub.lua") : NULL;
    if (status == PERI_OK && own) {
        status = add_kinds(host, own);
        if (status == PERI_ENOENT) status = PERI_OK;
    }
    free(own);
    for (size_t i = 0; i < host->config.kind_file_count && status == PERI_OK; i++) {
        status = add_configured(host, host->config.kind_files[i]);
    }
    return status;
}

peri_str host_session_alias(const peri_host *host, peri_str id,
                            char room[HOST_ALIAS_CHARS + 1]) {
    static const char word[] = "session-";
    unsigned char hash[crypto_generichash_BYTES_MIN];
    if (!host->scrub || !host->config.scrub || peri_scrub_clean(host->scrub, id)) return id;
    crypto_generichash(hash, sizeof hash, (const unsigned char *)id.ptr, id.len, NULL, 0);
    sodium_bin2hex(room + sizeof word - 1, HOST_ALIAS_CHARS - sizeof word + 2, hash,
                   (HOST_ALIAS_CHARS - sizeof word + 1) / 2);
    memcpy(room, word, sizeof word - 1);
    return peri_str_of(room, HOST_ALIAS_CHARS);
}
