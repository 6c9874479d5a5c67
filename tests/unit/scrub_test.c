// core/digest/scrub.c and its kinds: a hit and a near miss for each. All values are invented.
#include "digest/scrub.h"

#include "base/processor.h"
#include "digest/scrub_pivot.h"
#include "test.h"

#define HEX32 "0123456789abcdef0123456789abcdef"
#define ALNUM40 "FAKEfake0123FAKEfake0123FAKEfake01234567"

typedef struct sample {
    const char *kind, *hit;
    const char *hidden; // the part that must not be seen
    const char *miss;
} sample;

static const sample samples[] = {
    {"age-key", "AGE-SECRET-KEY-1QQPQYZ23456789" ALNUM40, "QQPQYZ", "AGE-SECRET-KEY-1short"},
    {"anthropic-key", "key sk-ant-api03-" ALNUM40, "api03", "sk-ant-short"},
    {"authorization", "curl -H 'Authorization: Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz",
     "the Authorization: header is required"},
    {"authorization", "{\"authorization\":\"Bearer opaquevalue1\"}", "opaquevalue1",
     "\"authorization\": \"Bearer $TOKEN\""},
    {"aws-access-key", "AKIAFAKEFAKEFAKE1234", "FAKE1234", "AKIAFAKEFAKEFAKE12345"},
    {"aws-access-key", "id=ASIAFAKEFAKEFAKE1234,", "FAKE1234", "ASIAfakefakefake1234"},
    {"aws-secret-key", "aws_secret_access_key = " ALNUM40, "FAKEfake",
     "aws_region = eu-west-1"},
    {"azure-key", "AccountName=x;AccountKey=" ALNUM40 "AAAA==;Endpoint=y",
     "AAAA==", "AccountKey=<your key>"},
    {"bearer-token", "sent Bearer abcdef0123456789abcd to it", "abcdef0123456789abcd",
     "a Bearer of bad news came by"},
    {"digitalocean-token", "dop_v1_" HEX32 HEX32, HEX32, "dop_v1_short"},
    {"docker-token", "dckr_pat_abcDEF0123456789abcd", "abcDEF", "dckr_pat_name"},
    {"github-token", "DEMO_TOKEN=ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake1234", "FAKEfake",
     "ghp_is_a_prefix"},
    {"github-token", "github_pat_11AAAAAAA0abcdefghij_0123456789", "11AAAAAAA0",
     "my_github_pat_variable_name_is_long"},
    {"github-token", "ghs_" ALNUM40, "FAKEfake", "lengths_" ALNUM40},
    {"gitlab-token", "glpat-abcDEF0123456789abcd", "abcDEF", "glpat-short"},
    {"google-api-key", "AIzaSyFAKEfake0123456789fakeFAKE0123456", "FAKEfake", "AIzaShort"},
    {"grafana-token", "glsa_" HEX32 "_0a1b2c3d", HEX32, "glsa_token"},
    {"groq-key", "gsk_" ALNUM40, "FAKEfake", "gsk_name"},
    {"huggingface-token", "hf_abcdefghijABCDEFGHIJabcdefghij1234", "ABCDEFGHIJ",
     "hf_hub_download"},
    {"jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl_-9", "eyJzdWIi",
     "eyJhbGciOiJIUzI1NiJ9 is a header"},
    {"linear-key", "lin_api_" ALNUM40, "FAKEfake", "lin_api_version"},
    {"mailgun-key", "key-" HEX32, HEX32, "key-value-store-with-a-long-name-indeed"},
    {"npm-token", "_authToken=npm_abcdefghijABCDEFGHIJabcdefghij123456", "ABCDEFGHIJ",
     "npm_config_registry"},
    {"openai-key", "sk-test-FAKE0123456789abcdefABCDEF0123456789", "FAKE0123",
     "a risk-based-approach-to-sk-something"},
    {"openai-key", "sk-proj-" ALNUM40, "FAKEfake", "disk-usage-report-0123456789abcdef"},
    {"openrouter-key", "sk-or-v1-" HEX32 HEX32, HEX32, "sk-or-not"},
    {"password", "DB_PASSWORD=hunter2", "hunter2", "DB_PASSWORD=$SECRET_FROM_VAULT"},
    {"password", "\"password\": \"correct-horse\"", "correct-horse", "password: required"},
    {"password", "the password for prod is 9f86d081884c7d659a2feaa0c55ad015", "9f86d081",
     "the password is checked by a function"},
    {"password", "the token is " ALNUM40, "FAKEfake", "the tokenizer splits words"},
    {"perplexity-key", "pplx-" ALNUM40, "FAKEfake", "pplx-api"},
    {"pgp-private-key",
     "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOY\n-----END PGP PRIVATE KEY BLOCK-----", "lQOY",
     "-----BEGIN PGP PUBLIC KEY BLOCK-----\nmQEN\n-----END PGP PUBLIC KEY BLOCK-----"},
    {"private-key", "-----BEGIN PRIVATE KEY-----\nMIIFAKE\n-----END PRIVATE KEY-----",
     "MIIFAKE", "-----BEGIN CERTIFICATE-----\nMIIFAKE\n-----END CERTIFICATE-----"},
    {"private-key", "-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA0123", "MIIEpAIB",
     "grep -r -- '-----BEGIN RSA PRIVATE KEY-----' ."},
    {"pypi-token", "pypi-AgEIcHlwaS5vcmcC" ALNUM40, "AgEIcHlw", "pypi-publish"},
    {"secret", "export API_SECRET=supersecretvalue", "supersecret", "max_tokens=100000"},
    {"secret", "client_secret: 'a1b2c3d4e5f6'", "a1b2c3", "token: string | undefined"},
    {"secret", "{\\\"apiKey\\\":\\\"abc123def456\\\"}", "abc123def456",
     "const apiKey = process.env.API_KEY2"},
    {"secret", "x-api-key: 0a1b2c3d4e5f", "0a1b2c3d", "auth_token = get_token2(user)"},
    {"sendgrid-key", "SG.abcdefghij0123456789ab.ABCDEFGHIJ0123456789abcdefghij0123456789abc",
     "ABCDEFGHIJ", "SG.com is a site"},
    {"shopify-token", "shpat_" HEX32, HEX32, "shpat_name"},
    {"slack-token", "xoxb-123456789012-abcdefABCDEF", "abcdefABCDEF",
     "xoxb-token-goes-here-please"},
    {"slack-webhook", "https://hooks.slack.com/services/T00000000/B00000000/abcdefABCDEF",
     "abcdefABCDEF", "https://hooks.slack.com/services/docs"},
    {"ssh-private-key",
     "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA\n-----END OPENSSH PRIVATE KEY-----",
     "b3BlbnNzaA", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFAKE"},
    {"stripe-key", "sk_live_abcDEF0123456789", "abcDEF", "task_live_abcDEF0123456789"},
    {"telegram-token", "bot 123456789:AAabcdefghijABCDEFGHIJ0123456789abc", "ABCDEFGHIJ",
     "12:AAabcdefghijABCDEFGHIJ0123456789abc"},
    {"twilio-key", "SK" HEX32, HEX32, "ASK" HEX32},
    {"url-password", "git push https://bob:hunter2pass@git.local.test/r", "hunter2pass",
     "see https://example.org:8080/a@b"},
    {"url-password", "redis://:s3cr3t@cache", "s3cr3t", "postgres://user:${PGPASS}@db/x"},
    {"vault-token", "hvs.CAESIabcDEF0123456789abcd", "CAESIabc", "hvs.example"},
    {"xai-key", "xai-" ALNUM40 ALNUM40, "FAKEfake", "xai-org"},
};

enum { SAMPLES = sizeof samples / sizeof samples[0] };

static peri_scrub *scrub;

static peri_str scrubbed(peri_str text, peri_buf *out, size_t *count) {
    if (!scrub) CHECK_OK(peri_scrub_new(&scrub));
    peri_buf_init(out, 1 << 24);
    *count = peri_scrub_text(scrub, text, out);
    return peri_buf_str(out);
}

static bool has(peri_str text, const char *part) {
    return peri_str_find(text, peri_str_c(part)) != PERI_NPOS;
}

IT("C24 replaces a secret of every kind by its name") {
    for (size_t i = 0; i < SAMPLES; i++) {
        const sample *s = &samples[i];
        peri_buf out;
        size_t count;
        peri_str got = scrubbed(peri_str_c(s->hit), &out, &count);
        char placeholder[64];
        snprintf(placeholder, sizeof placeholder, "[%s redacted]", s->kind);
        if (count != 1 || !has(got, placeholder) || has(got, s->hidden)) {
            TEST_FAIL("%s: %zu in \"%.*s\"", s->kind, count, PERI_FMT(got));
        }
        CHECK(!peri_scrub_clean(scrub, peri_str_c(s->hit)));
        peri_buf_deinit(&out);
    }
}

IT("leaves the near miss of every kind alone") {
    for (size_t i = 0; i < SAMPLES; i++) {
        peri_buf out;
        size_t count;
        peri_str got = scrubbed(peri_str_c(samples[i].miss), &out, &count);
        CHECK_STR(got, samples[i].miss);
        CHECK_EQ(count, 0);
        CHECK(peri_scrub_clean(scrub, peri_str_c(samples[i].miss)));
        peri_buf_deinit(&out);
    }
}

IT("has samples of at least thirty kinds") {
    size_t kinds = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t first = 0;
        while (strcmp(samples[first].kind, samples[i].kind) != 0) first++;
        kinds += first == i;
    }
    CHECK(kinds >= 30);
}

IT("finds each secret wherever it stands in a text") {
    char text[1024];
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t shift = 0; shift < 33; shift++) {
            memset(text, ' ', shift);
            snprintf(text + shift, sizeof text - shift, "%s", samples[i].hit);
            peri_buf out;
            size_t count;
            peri_str got = scrubbed(peri_str_c(text), &out, &count);
            if (count != 1 || has(got, samples[i].hidden)) {
                TEST_FAIL("%s at %zu", samples[i].kind, shift);
            }
            peri_buf_deinit(&out);
        }
    }
}

IT("C24 lets none of the case's five values through") {
    static const char *const texts[] = {
        "use key sk-test-FAKE0123456789abcdefABCDEF0123456789 please",
        "{\"command\":\"export DEMO_TOKEN=ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake1234 && git push "
        "https://bob:hunter2pass@git.local.test/r\"}",
        "-----BEGIN PRIVATE KEY-----\nMIIFAKEFAKEFAKE\n-----END PRIVATE KEY-----\n"
        "AKIAFAKEFAKEFAKE1234",
    };
    static const char *const values[] = {"FAKE0123456789abcdef", "FAKEfakeFAKEfake",
                                         "hunter2pass", "MIIFAKEFAKEFAKE",
                                         "AKIAFAKEFAKEFAKE1234"};
    size_t all = 0;
    for (size_t i = 0; i < 3; i++) {
        peri_buf out;
        size_t count;
        peri_str got = scrubbed(peri_str_c(texts[i]), &out, &count);
        for (size_t j = 0; j < 5; j++) CHECK(!has(got, values[j]));
        all += count;
        peri_buf_deinit(&out);
    }
    CHECK_EQ(all, 5);
}

IT("keeps what stands around secrets, byte for byte") {
    peri_buf out;
    size_t count;
    peri_str got = scrubbed(PERI_STR("a AKIAFAKEFAKEFAKE1234 b\0c\xFF AKIAFAKEFAKEFAKE1234\n"),
                            &out, &count);
    CHECK_EQ(count, 2);
    CHECK(peri_str_eq(got, PERI_STR("a [aws-access-key redacted] b\0c\xFF [aws-access-key "
                                    "redacted]\n")));
    peri_buf_deinit(&out);
}

IT("finds nothing more in what it has scrubbed") {
    for (size_t i = 0; i < SAMPLES; i++) {
        peri_buf out, again;
        size_t count;
        peri_str once = scrubbed(peri_str_c(samples[i].hit), &out, &count);
        peri_str twice = scrubbed(once, &again, &count);
        CHECK_EQ(count, 0);
        CHECK(peri_str_eq(once, twice));
        peri_buf_deinit(&out);
        peri_buf_deinit(&again);
    }
}

IT("finds the same pivots a block at a time as one by one") {
    char block[PERI_PIVOT_READS];
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t at = 0; at < sizeof block; at++) {
            memset(block, "xeAodzED"[at % 8], sizeof block);
            block[at] = (char)byte;
            CHECK_EQ(peri__pivots(block), peri__pivots_plain(block));
        }
    }
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < sizeof block; i++) {
            seed = seed * 1664525 + 1013904223;
            block[i] = (char)(seed >> 24);
        }
        CHECK_EQ(peri__pivots(block), peri__pivots_plain(block));
    }
}

// What the block that begins at `block` must give, byte by byte.
static uint64_t possible_plainly(const peri_pivots *pivots, peri_str text, size_t block) {
    uint64_t mask = 0;
    for (size_t i = 0; i < PERI_PIVOT_BLOCK && block + i < text.len; i++) {
        size_t at = block + i;
        char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';
        bool pivot = peri__is_pivot(text.ptr[at], next);
        mask |= (uint64_t)(pivot && peri__secret_possible(pivots, text, at)) << i;
    }
    return mask;
}

IT("rules pivots out by their neighbours alike on every processor, at a text's ends too") {
    static peri_prefix_index index;
    static const char usual[] = "_-.:=KkIWwBbeosSdDpPtAEz/y \n\xC3\xA9\xFF\x80";
    uint32_t seed = 5;
    peri__prefix_index_init(&index);
    for (int round = 0; round < 20000; round++) {
        size_t len = 1 + (size_t)round % 200;
        char *text = malloc(len); // its end is the memory's
        CHECK(text != NULL);
        for (size_t i = 0; i < len; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = usual[(seed >> 24) % (sizeof usual - 1)];
        }
        for (size_t block = 0; block < len; block += PERI_PIVOT_BLOCK) {
            peri_str s = peri_str_of(text, len);
            uint64_t want = possible_plainly(&index.pivots, s, block);
            uint64_t masks[PERI_PIVOT_BATCH];
            size_t left = (len - block + PERI_PIVOT_BLOCK - 1) / PERI_PIVOT_BLOCK;
            CHECK_EQ(peri__pivots_any(&index.pivots, s, block, masks), left);
            CHECK_EQ(masks[0], want);
            if (!peri_processor_avx512()) continue;
#ifdef PERI_X86
            CHECK_EQ(peri__pivots_avx512(&index.pivots, s, block, masks), left);
            CHECK_EQ(masks[0], want);
#endif
        }
        free(text);
    }
}

IT("C24 takes patterns from the configuration") {
    peri_scrub *own;
    const char *error = NULL;
    size_t at = 0;
    CHECK_OK(peri_scrub_new(&own));
    CHECK_OK(peri_scrub_add(own, PERI_STR("ticket"), PERI_STR("ACME-[0-9]{4}"), &error, &at));
    CHECK(!peri_scrub_clean(own, PERI_STR("nothing")));
    peri_buf out;
    peri_buf_init(&out, 1000);
    CHECK_EQ(peri_scrub_text(own, PERI_STR("ACME-1234, AKIAFAKEFAKEFAKE1234, ACME-12"), &out),
             2);
    CHECK_STR(peri_buf_str(&out), "[ticket redacted], [aws-access-key redacted], ACME-12");
    peri_buf_deinit(&out);
    peri_scrub_free(own);
}

IT("says where a pattern is wrong, and bounds how many there are") {
    peri_scrub *own;
    const char *error = NULL;
    size_t at = 0;
    CHECK_OK(peri_scrub_new(&own));
    CHECK_EQ(peri_scrub_add(own, PERI_STR("x"), PERI_STR("ab(c"), &error, &at), PERI_EPARSE);
    CHECK_EQ(at, 4);
    CHECK(strlen(error) > 5);
    CHECK_EQ(peri_scrub_add(own, PERI_STR("a b"), PERI_STR("c"), &error, &at), PERI_EINVAL);
    CHECK(peri_scrub_clean(own, PERI_STR("nothing was added")));
    for (int i = 0; i < 64; i++) {
        CHECK_OK(peri_scrub_add(own, PERI_STR("x"), PERI_STR("q{3}"), &error, &at));
    }
    CHECK_EQ(peri_scrub_add(own, PERI_STR("x"), PERI_STR("q"), &error, &at), PERI_ELIMIT);
    peri_scrub_free(own);
}

IT("hides the rest of a text on which a pattern gives up") {
    peri_scrub *own;
    const char *error = NULL;
    size_t at = 0;
    CHECK_OK(peri_scrub_new(&own));
    CHECK_OK(peri_scrub_add(own, PERI_STR("slow"), PERI_STR("(a+)+$"), &error, &at));
    peri_buf out;
    peri_buf_init(&out, 1000);
    CHECK_EQ(peri_scrub_text(own, PERI_STR("x aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), &out),
             1);
    CHECK(!has(peri_buf_str(&out), "aab"));
    CHECK_HAS(peri_buf_str(&out), "[slow redacted]");
    peri_buf_deinit(&out);
    peri_scrub_free(own);
}

IT("needs time in proportion to hostile texts") {
    static const char *const bits[] = {
        "://",  "=",    "-----BEGIN ", ".eyJ", "password", "key=",
        "sk-",  "a.b:", "token ",      "AKIA", "Bearer ",  "eyJ.",
        "\\\"", "::AA", "https://a:",  "-",    "_",        "K"};
    enum { BYTES = 1 << 20 };
    char *text = malloc(BYTES + 16);
    for (size_t b = 0; b < sizeof bits / sizeof bits[0]; b++) {
        size_t len = strlen(bits[b]);
        for (size_t at = 0; at < BYTES; at += len) memcpy(text + at, bits[b], len);
        peri_buf out;
        size_t count;
        (void)scrubbed(peri_str_of(text, BYTES), &out,
                       &count); // a quadratic matcher would hang
        peri_buf_deinit(&out);
    }
    free(text);
}

TEST_MAIN
