// A project's config and goal. A config from a repository is written by whoever wrote the
// repository: it may take away and never give, so what it says is compared with what held
// before. Called by host/written/project_layer.c.
#include "host/written/written.h"

typedef struct narrowing {
    host_config *to;
    const host_config *said;
    peri_str path;
    peri_diag_list *diags;
} narrowing;

static void left_out(const narrowing *n, const char *what) {
    peri_diag_addf(n->diags, PERI_WARNING, "only-narrows", n->path, 0, 0,
                   "say it in your own config, or with --config",
                   "%s: a project may only narrow, so this does not count", what);
}

bool host_config_shadow(host_config *to, const host_config *said) {
    size_t most = to->shadowed_count + said->shadowed_count, count = said->shadowed_count;
    bool whole = true;
    peri_str *both = peri_arena_zero(&to->arena, (most + 1) * sizeof *both);
    if (!both) return true; // what was in shadow stays there
    if (count) memcpy(both, said->shadowed, count * sizeof *both);
    for (size_t i = 0; i < to->shadowed_count; i++) {
        if (peri_str_is_one_of(to->shadowed[i], said->shadowed, said->shadowed_count)) continue;
        whole = false;
        both[count++] = to->shadowed[i];
    }
    to->shadowed = both;
    to->shadowed_count = count;
    return whole;
}

static void narrow_observers(const narrowing *n) {
    host_config *to = n->to;
    const host_config *said = n->said;
    if (said->enabled_count > to->enabled_count) left_out(n, "observers: an observer enabled");
    if (said->observers_enabled && !to->observers_enabled) left_out(n, "observers.enabled");
    if (said->unscrubbed != to->unscrubbed) left_out(n, "observers: scrub");
    if (to->observers_enabled) to->off_by = said->off_by;
    to->observers_enabled &= said->observers_enabled;
    to->disabled = said->disabled; // a union already
    to->disabled_by = said->disabled_by;
    to->disabled_count = said->disabled_count;
    if (!host_config_shadow(to, said)) left_out(n, "observers: an observer's `mode: live`");
}

static void narrow_limit(const narrowing *n, const char *what, uint32_t said, uint32_t *to) {
    if (said > *to) {
        left_out(n, what);
    } else {
        *to = said;
    }
}

static void narrow_ceilings(const narrowing *n) {
    uint64_t *to[] = {n->to->ceilings.session, n->to->ceilings.day};
    const uint64_t *said[] = {n->said->ceilings.session, n->said->ceilings.day};
    static const char *const names[] = {"limits.session", "limits.day"};
    for (size_t span = 0; span < 2; span++) {
        bool wider = false;
        for (size_t what = 0; what < PERI_SPEND_COUNT; what++) {
            wider |= said[span][what] > to[span][what];
            if (said[span][what] < to[span][what]) to[span][what] = said[span][what];
        }
        if (wider) left_out(n, names[span]);
    }
}

// Its patterns come in addition to those that held before.
static int narrow_privacy(const narrowing *n) {
    host_config *to = n->to;
    const host_config *said = n->said;
    if (to->scrub && !said->scrub) left_out(n, "privacy.scrub");
    to->scrub |= said->scrub;
    if (said->kind_files != to->kind_files) left_out(n, "privacy.kinds");
    if (said->patterns == to->patterns) return PERI_OK;
    size_t count = to->pattern_count + said->pattern_count;
    peri_str *both = peri_arena_zero(&to->arena, (count + 1) * sizeof *both);
    if (!both) return PERI_ENOMEM;
    if (to->pattern_count) memcpy(both, to->patterns, to->pattern_count * sizeof *both);
    if (said->pattern_count) {
        memcpy(both + to->pattern_count, said->patterns, said->pattern_count * sizeof *both);
    }
    to->patterns = both;
    to->pattern_count = count;
    return PERI_OK;
}

int host_config_narrow(host_config *config, peri_str text, peri_str path,
                       peri_diag_list *diags) {
    host_config said = *config;
    int status = host_config_parse(&said, text, path, diags);
    config->arena = said.arena; // what was copied into it stays
    if (status < 0) return status;
    narrowing n = {config, &said, path, diags};
    narrow_observers(&n);
    narrow_limit(&n, "limits.advisories_per_turn", said.limits.advisories_per_turn,
                 &config->limits.advisories_per_turn);
    narrow_limit(&n, "limits.veto_budget", said.limits.veto_budget,
                 &config->limits.veto_budget);
    narrow_ceilings(&n);
    if (said.policies != config->policies) left_out(&n, "policies");
    if (said.verbose && !config->verbose) left_out(&n, "verbose");
    if (said.ledger_days != config->ledger_days ||
        said.ledger_max_bytes != config->ledger_max_bytes) {
        left_out(&n, "ledger");
    }
    if (said.memory_folders != config->memory_folders ||
        said.skill_folders != config->skill_folders) {
        left_out(&n, "recall");
    }
    if (said.channel_count != config->channel_count) left_out(&n, "channels");
    config->goal = said.goal;
    return narrow_privacy(&n);
}

// ---- goal.md

static peri_str take_line(peri_str *text) {
    size_t end = peri_str_find_byte(*text, '\n', 0);
    peri_str line = peri_str_sub(*text, 0, end == PERI_NPOS ? text->len : end);
    *text = peri_str_sub(*text, end == PERI_NPOS ? text->len : end + 1, text->len);
    return peri_str_trim(line);
}

static bool is_item(peri_str line) {
    return line.len >= 5 && peri_str_starts(line, PERI_STR("- [")) && line.ptr[4] == ']';
}

int host_goal_parse(host_config *config, peri_str text) {
    enum { MAX_ITEMS = 64 };
    peri_goal goal = {0};
    peri_goal_item *items = peri_arena_zero(&config->arena, MAX_ITEMS * sizeof *items);
    peri_buf prose;
    peri_buf_init(&prose, HOST_CONFIG_MAX_BYTES);
    while (text.len && items) {
        peri_str line = take_line(&text);
        if (peri_str_starts(line, PERI_STR("check:"))) {
            peri_str command = peri_str_trim(peri_str_sub(line, 6, line.len));
            if (command.len) goal.check = peri_arena_copy(&config->arena, command);
        } else if (is_item(line)) {
            if (goal.item_count < MAX_ITEMS) {
                host_goal_item_read(&items[goal.item_count++],
                                    peri_arena_copy(&config->arena, line));
            }
        } else {
            peri_buf_addf(&prose, "%.*s\n", PERI_FMT(line));
        }
    }
    goal.items = items;
    peri_str trimmed = peri_str_trim(peri_buf_str(&prose));
    if (trimmed.len) goal.text = peri_arena_copy(&config->arena, trimmed);
    int status = items ? prose.status : PERI_ENOMEM;
    peri_buf_deinit(&prose);
    if (status == PERI_OK) config->goal = goal;
    return status;
}
