// The promises of trust.h.
#include "host/written/trust.h"

#include "scratch.h"

#define EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ABC_HASH "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

IT("hashes by SHA-256") {
    char hash[PERI_TRUST_HASH_CHARS + 1];
    peri_trust_hash(PERI_STR("abc"), hash);
    CHECK_STR(peri_str_c(hash), ABC_HASH);
    peri_trust_hash((peri_str){0}, hash);
    CHECK_STR(peri_str_c(hash), EMPTY_HASH);
}

IT("PI-2 trusts exactly the content of a path that was agreed to") {
    peri_trust trust;
    peri_trust_init(&trust);
    CHECK_OK(peri_trust_add(&trust, PERI_STR("/p/a.lua"), ABC_HASH, 1));
    CHECK(peri_trust_has(&trust, PERI_STR("/p/a.lua"), ABC_HASH));
    CHECK(!peri_trust_has(&trust, PERI_STR("/p/a.lua"), EMPTY_HASH));
    CHECK(!peri_trust_has(&trust, PERI_STR("/p/b.lua"), ABC_HASH));
    CHECK_OK(peri_trust_add(&trust, PERI_STR("/p/a.lua"), EMPTY_HASH, 2));
    CHECK(!peri_trust_has(&trust, PERI_STR("/p/a.lua"), ABC_HASH));
    CHECK_EQ(trust.count, 1);
    peri_trust_deinit(&trust);
}

IT("takes back a path and all below it, and nothing beside it") {
    peri_trust trust;
    peri_trust_init(&trust);
    CHECK_OK(peri_trust_add(&trust, PERI_STR("/p/a"), ABC_HASH, 1));
    CHECK_OK(peri_trust_add(&trust, PERI_STR("/p/a/b"), ABC_HASH, 1));
    CHECK_OK(peri_trust_add(&trust, PERI_STR("/p/ab"), ABC_HASH, 1));
    CHECK_EQ(peri_trust_del(&trust, PERI_STR("/p/a")), 2);
    CHECK_EQ(peri_trust_del(&trust, PERI_STR("/p/a")), 0);
    CHECK(peri_trust_has(&trust, PERI_STR("/p/ab"), ABC_HASH));
    peri_trust_deinit(&trust);
}

IT("keeps what it holds in a file, odd paths included") {
    scratch s;
    scratch_open(&s);
    peri_trust trust, again;
    peri_trust_init(&trust);
    peri_trust_init(&again);
    peri_str odd = PERI_STR("/p/\"quoted\"\n\xF0\x9F\x8C\x99.lua");
    CHECK_OK(peri_trust_add(&trust, odd, ABC_HASH, 1764504000123));
    CHECK_OK(peri_trust_add(&trust, PERI_STR("/p/b"), EMPTY_HASH, 0));
    CHECK_OK(peri_trust_write(&trust, scratch_path(&s, "state/trust.jsonl")));
    CHECK_OK(peri_trust_read(&again, scratch_path(&s, "state/trust.jsonl"), NULL));
    CHECK_EQ(again.count, 2);
    CHECK(peri_trust_has(&again, odd, ABC_HASH));
    CHECK_EQ(again.entries[0].at_wall_ms, 1764504000123);
    peri_trust_deinit(&trust);
    peri_trust_deinit(&again);
    scratch_close(&s);
}

static int read_store(scratch *s, const char *text, mode_t mode, peri_trust *trust,
                      peri_diag_list *diags) {
    scratch_write(s, "trust.jsonl", text);
    chmod(scratch_path(s, "trust.jsonl"), mode);
    return peri_trust_read(trust, scratch_path(s, "trust.jsonl"), diags);
}

IT("trusts nothing of a line that is no entry, and says so") {
    scratch s;
    scratch_open(&s);
    peri_trust trust;
    peri_diag_list diags;
    peri_trust_init(&trust);
    peri_diag_list_init(&diags);
    CHECK_OK(read_store(
        &s,
        "{\"path\":\"/a\",\"sha256\":\"" ABC_HASH "\",\"at\":\"2026-11-30T10:00:00Z\"}\n"
        "\n"
        "{\"path\":\"relative\",\"sha256\":\"" ABC_HASH "\",\"at\":\"2026-11-30T10:00:00Z\"}\n"
        "{\"path\":\"/b\",\"sha256\":\"abc\",\"at\":\"2026-11-30T10:00:00Z\"}\n"
        "{\"path\":\"/c\",\"sha256\":\"" ABC_HASH "\"}\n"
        "garbage\n"
        "{\"path\":\"/d\",\"sha256\":\"" ABC_HASH "\",\"at\":\"2026-11-30T10:00:00Z\"",
        0600, &trust, &diags));
    CHECK_EQ(trust.count, 1);
    CHECK_EQ(diags.warning_count, 5);
    CHECK_EQ(diags.items[0].line, 3);
    peri_diag_list_deinit(&diags);
    peri_trust_deinit(&trust);
    scratch_close(&s);
}

IT("trusts nothing where others may write the store, or it is a link") {
    scratch s;
    scratch_open(&s);
    peri_trust trust;
    peri_diag_list diags;
    peri_trust_init(&trust);
    peri_diag_list_init(&diags);
    const char *entry =
        "{\"path\":\"/a\",\"sha256\":\"" ABC_HASH "\",\"at\":\"2026-11-30T10:00:00Z\"}\n";
    CHECK_EQ(read_store(&s, entry, 0666, &trust, &diags), PERI_EACCES);
    CHECK_EQ(trust.count, 0);
    CHECK_EQ(diags.error_count, 1);
    CHECK_OK(read_store(&s, entry, 0600, &trust, &diags));
    CHECK_EQ(trust.count, 1);
    char target[4096];
    strcpy(target, scratch_path(&s, "trust.jsonl"));
    CHECK_EQ(symlink(target, scratch_path(&s, "link")), 0);
    CHECK_EQ(peri_trust_read(&trust, scratch_path(&s, "link"), &diags), PERI_EACCES);
    CHECK_EQ(trust.count, 0);
    CHECK_OK(peri_trust_read(&trust, scratch_path(&s, "none"), &diags));
    CHECK_EQ(diags.error_count, 2);
    CHECK_EQ(chmod(scratch_path(&s, ""), 0777), 0);
    CHECK_EQ(peri_trust_read(&trust, target, &diags), PERI_EACCES);
    CHECK_EQ(trust.count, 0);
    CHECK_OK(peri_trust_read(&trust, scratch_path(&s, "none"), &diags));
    CHECK_EQ(diags.error_count, 3);
    peri_diag_list_deinit(&diags);
    peri_trust_deinit(&trust);
    scratch_close(&s);
}

TEST_MAIN
