// config.yaml: defaults, what each key does, and a mistake that leaves everything as it was.
#include "host/written/written.h"

#include <unistd.h>

#include "test.h"

static host_config config;
static peri_diag_list diags;
static peri_buf said;

static int parse(const char *text) {
    peri_diag_list_deinit(&diags);
    peri_diag_list_init(&diags);
    peri_buf_deinit(&said);
    peri_buf_init(&said, 1 << 16);
    int status = host_config_parse(&config, peri_str_c(text), PERI_STR("config.yaml"), &diags);
    for (size_t i = 0; i < diags.count; i++) peri_diag_format(&said, &diags.items[i]);
    return status;
}

static void start(void) {
    host_config_init(&config);
}
static void stop(void) {
    host_config_deinit(&config);
}

IT("starts from the documented defaults") {
    start();
    CHECK(config.observers_enabled && config.scrub);
    CHECK_EQ(config.limits.advisories_per_turn, 2);
    CHECK_EQ(config.limits.veto_budget, 3);
    CHECK_EQ(config.ledger_days, 30);
    CHECK_EQ(config.ledger_max_bytes, 268435456);
    CHECK_EQ(config.policy_count, 1);
    CHECK_STR(config.policies[0], "default");
    CHECK_OK(parse(""));
    CHECK_EQ(config.limits.veto_budget, 3);
    stop();
}

IT("reads every key it knows") {
    start();
    CHECK_OK(parse(
        "observers:\n  enabled: false\n  disable: [a, b]\n"
        "  reviewer: { enabled: true, mode: shadow }\n  other: { enabled: false, scrub: false }\n"
        "policies: [default, mine]\n"
        "limits: { advisories_per_turn: 10, veto_budget: 0 }\n"
        "ledger: { days: 7, max_bytes: 2000000 }\n"
        "privacy: { scrub: false, patterns: [\"k[0-9]{2,3}\"], kinds: [a.lua] }\n"
        "goal:\n  text: ship it\n  check: make test\n"
        "  items: [\"[x] first\", \"- [ ] second\", { text: third, done: true }]\n"));
    CHECK(!config.observers_enabled && !config.scrub);
    CHECK_EQ(config.disabled_count, 3);
    CHECK_STR(config.disabled[2], "other");
    CHECK_STR(config.enabled[0], "reviewer");
    CHECK_STR(config.shadowed[0], "reviewer");
    CHECK_EQ(config.unscrubbed_count, 1);
    CHECK_STR(config.unscrubbed[0], "other");
    CHECK_EQ(config.policy_count, 2);
    CHECK_STR(config.policies[1], "mine");
    CHECK_EQ(config.limits.advisories_per_turn, 10);
    CHECK_EQ(config.limits.veto_budget, 0);
    CHECK_EQ(config.ledger_days, 7);
    CHECK_STR(config.patterns[0], "k[0-9]{2,3}");
    CHECK_STR(config.kind_files[0], "a.lua");
    CHECK_STR(config.goal.text, "ship it");
    CHECK_STR(config.goal.check, "make test");
    CHECK_EQ(config.goal.item_count, 3);
    CHECK(config.goal.items[0].done && !config.goal.items[1].done && config.goal.items[2].done);
    CHECK_STR(config.goal.items[1].text, "second");
    stop();
}

IT("PI-14 adds what a later file disables to what an earlier one did") {
    start();
    CHECK_OK(parse("observers: { disable: [a] }"));
    CHECK_OK(parse("observers: { disable: b }"));
    CHECK_OK(parse("observers:\n"));
    CHECK_OK(parse("observers:\n  reviewer:\n"));
    CHECK_EQ(config.disabled_count, 2);
    CHECK_STR(config.disabled[0], "a");
    CHECK_STR(config.disabled[1], "b");
    stop();
}

IT("PI-14 takes nothing of a file with a mistake, and says where it is") {
    static const struct {
        const char *text, *want;
    } wrong[] = {
        {"observers: { disable: [x] }\nlimitz: 1\n", "config.yaml:2:1: error: "},
        {"limits: { veto_budget: 11 }", "config.yaml:1:24"},
        {"limits: { veto_budget: -1 }", "config.yaml:1:24"},
        {"limits: { veto_budget: many }", "config.yaml:1:24"},
        {"observers: { enabled: maybe }", "config.yaml:1:23"},
        {"observers: { reviewer: { mode: loud } }", "config.yaml:1:32"},
        {"observers: false", "config.yaml:1:12: error: observers must be a map"},
        {"observers: [a]", "observers must be a map"},
        {"observers: { reviewer: false }", "config.yaml:1:24: error: reviewer must be a map"},
        {"observers: { reviewer: shadow }", "reviewer must be a map"},
        {"observers: { enable: no }", "did you mean enabled?"},
        {"goal: { text: a, items: lexer }", "config.yaml:1:25: error: items must be a list"},
        {"ledger: { days: 0 }", "config.yaml:1:17"},
        {"privacy: { patterns: \"a,b\" }", "patterns must be a list"},
        {"goal: { text: a, text: b }", "error"},
        {"- a\n- b\n", "a config is a map of keys"},
        {"policies: [default\n", "config.yaml:"},
    };
    start();
    CHECK_OK(parse("limits: { advisories_per_turn: 5 }\nobservers: { disable: [kept] }"));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(parse(wrong[i].text) < 0);
        CHECK_HAS(peri_buf_str(&said), wrong[i].want);
        CHECK_EQ(config.limits.advisories_per_turn, 5);
        CHECK_EQ(config.disabled_count, 1);
        CHECK_STR(config.disabled[0], "kept");
    }
    CHECK_OK(parse("limits: { veto_budget: 4 }")); // and it still reads
    CHECK_EQ(config.limits.veto_budget, 4);
    stop();
}

IT("names the nearest key") {
    start();
    CHECK(parse("privaci: { scrub: false }") < 0);
    CHECK_HAS(peri_buf_str(&said), "privacy");
    CHECK(config.scrub);
    stop();
}

IT("tells a missing file from an unreadable one") {
    char path[64] = "/tmp/peri-config-XXXXXX";
    start();
    peri_diag_list_deinit(&diags);
    peri_diag_list_init(&diags);
    CHECK_EQ(host_config_read(&config, "/nonexistent/config.yaml", &diags), PERI_ENOENT);
    CHECK_EQ(diags.error_count, 0);
    CHECK(host_config_read(&config, "/tmp", &diags) < 0);
    CHECK_EQ(diags.error_count, 1);
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    CHECK_EQ(ftruncate(fd, HOST_CONFIG_MAX_BYTES + 1), 0);
    close(fd);
    CHECK_EQ(host_config_read(&config, path, &diags), PERI_ELIMIT);
    unlink(path);
    peri_diag_list_deinit(&diags);
    peri_buf_deinit(&said);
    stop();
}

IT("C57 takes what is known of channels, later ones behind the earlier, and refuses other words") {
    start();
    CHECK_OK(parse(
        "channels:\n  claude-hooks:\n    \"PostToolUse:Agent\": { additionalContext: dropped }\n"
        "    Stop: { decision: \"since 2.1.9\", additionalContext: ok }\n"));
    CHECK_OK(parse("channels: { pi-json: { \"*\": { steer: ignored } } }"));
    CHECK_EQ(config.channel_count, 4);
    const host_channel *first = &config.channels[0], *second = &config.channels[1];
    CHECK_STR(first->channel.event, "PostToolUse");
    CHECK_STR(first->channel.tool, "Agent");
    CHECK_EQ(first->channel.reach, PERI_REACH_DROPPED);
    CHECK_EQ(first->line, 3);
    CHECK_STR(second->channel.since, "2.1.9");
    CHECK_STR(config.channels[3].dialect, "pi-json");
    CHECK_EQ(parse("channels: { pi-json: { x: { steer: yes } } }"), PERI_EINVAL);
    CHECK_HAS(peri_buf_str(&said), "config.yaml:1:36: error: channels: 'yes' is not");
    CHECK_EQ(parse("channels: { pi-json: ok }"), PERI_EINVAL);
    CHECK_EQ(parse("channels: ok"), PERI_EINVAL);
    CHECK_EQ(config.channel_count, 4);
    stop();
}

TEST_MAIN
