// Many sessions live in one host, each watched by five Lua observers: what a bench measures and
// a unit test counts. Whatever cannot be had ends the program.
#ifndef PERI_TEST_CROWD_H
#define PERI_TEST_CROWD_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "perilune/perilune.h"

enum { CROWD_OBSERVERS = 5, CROWD_STEPS = 2 }; // steps of a turn

typedef struct crowd {
    peri_host *host;
    peri_source *source;
    char folder[256]; // of its observers and its config
    peri_buf line, config;
    size_t observers;               // own ones that the host has
    size_t runs, failed, last_runs; // last_runs: of trigger session_end
    size_t retired, gaps;
    uint64_t last_seq;
} crowd;

static inline void crowd_must(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "crowd: %s\n", what);
    exit(EXIT_FAILURE);
}

// Each looks at what is new, keeps a note between its runs, and hears of the end.
static inline void crowd_write_observers(const crowd *c) {
    for (int i = 1; i <= CROWD_OBSERVERS; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/crowd-%d.lua", c->folder, i);
        FILE *out = fopen(path, "wb");
        crowd_must(out != NULL, path);
        fprintf(out,
                "-- perilune-api: 1\n"
                "return { name = 'crowd-%d', description = 'Counts failed calls.',\n"
                "  on = { 'turn_end', 'session_end' }, observe = function(turn, ctx)\n"
                "    local state = ctx.state\n"
                "    for _, item in ipairs(turn.items) do\n"
                "      if item.is_error then state.failed = (state.failed or 0) + 1 end\n"
                "      if item.kind == 'tool_call' then state.last = item.name end\n"
                "    end\n"
                "    if (state.failed or 0) > 1e6 then return { advise = 'too many' } end\n"
                "  end }\n",
                i);
        crowd_must(fclose(out) == 0, path);
    }
}

static inline void crowd_record(void *user, const peri_record *record) {
    crowd *c = user;
    c->gaps += record->seq != c->last_seq + 1;
    c->last_seq = record->seq;
    if (record->kind == PERI_RECORD_RUN) {
        c->runs++;
        c->failed += !peri_str_eq(record->state, PERI_STR("silent"));
        c->last_runs += peri_str_eq(record->trigger, PERI_STR("session_end"));
    }
    c->retired +=
        record->kind == PERI_RECORD_PAIRING && peri_str_eq(record->state, PERI_STR("retired"));
}

// What is shipped is switched off, so that exactly five watch.
static inline void crowd_note_observer(void *user, const peri_observer_state *state) {
    crowd *c = user;
    if (peri_str_eq(peri_str_sub(state->name, 0, 6), PERI_STR("crowd-"))) {
        c->observers++;
    } else {
        peri_buf_addf(&c->config, "%s%.*s", c->config.len ? ", " : "observers: { disable: [",
                      PERI_FMT(state->name));
    }
}

static inline void crowd_host(crowd *c, const char *config) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.observer_dir = c->folder;
    options.config_path = config;
    crowd_must(peri_host_new(&options, &c->host) == PERI_OK, "no host");
}

static inline void crowd_open(crowd *c) {
    char config[300];
    *c = (crowd){0};
    peri_buf_init(&c->line, 1 << 20);
    peri_buf_init(&c->config, 1 << 16);
    const char *above = getenv("TMPDIR");
    snprintf(c->folder, sizeof c->folder, "%s/peri-crowd-XXXXXX", above ? above : P_tmpdir);
    crowd_must(mkdtemp(c->folder) != NULL, c->folder);
    crowd_write_observers(c);
    crowd_host(c, NULL);
    crowd_must(peri_host_observer_states(c->host, crowd_note_observer, c) == PERI_OK, "states");
    crowd_must(c->observers == CROWD_OBSERVERS, "its five observers were not loaded");
    peri_host_free(c->host);
    snprintf(config, sizeof config, "%s/config.yaml", c->folder);
    FILE *out = fopen(config, "wb");
    crowd_must(out && fprintf(out, "%s] }\n", peri_buf_c(&c->config)) > 0, config);
    crowd_must(fclose(out) == 0, config);
    crowd_host(c, config);
    crowd_must(peri_host_subscribe(c->host, crowd_record, c) == PERI_OK, "no subscriber");
    crowd_must(peri_host_open_stream(c->host, NULL, "activity", &c->source) == PERI_OK,
               "no stream");
}

static inline void crowd_settle(crowd *c) {
    while (peri_host_step(c->host, 0) > 0) {}
}

static inline void crowd_add(crowd *c, size_t session, const char *rest) {
    peri_buf_addf(&c->line, "{\"session\":\"session-%zu\",%s}\n", session, rest);
}

// One turn of one session: a prompt and two steps.
static inline void crowd_turn(crowd *c, size_t session) {
    peri_buf_clear(&c->line);
    crowd_add(c, session,
              "\"kind\":\"user_message\",\"text\":\"Make the scanner refuse what is no UTF-8, "
              "and say where.\"");
    crowd_add(c, session,
              "\"kind\":\"tool_call\",\"name\":\"Bash\",\"call_id\":\"a\",\"input\":"
              "{\"command\":\"make test 2>&1 | tail -n 40\"}");
    crowd_add(
        c, session,
        "\"kind\":\"tool_result\",\"call_id\":\"a\",\"is_error\":true,\"text\":\"scanner_test.c:"
        "120: bytes 0xC0 0x80 are taken as a character; expected an error that names "
        "line 1, column 7. 41 passed, 1 failed. make: *** [Makefile:12: test] Error 1\"");
    crowd_add(c, session,
              "\"kind\":\"assistant_text\",\"text\":\"The overlong form slips through: the "
              "second byte alone is looked at. I will check the pair.\"");
    crowd_add(c, session, "\"kind\":\"turn_ended\",\"reason\":\"done\"");
    peri_str text = peri_buf_str(&c->line);
    while (text.len) {
        size_t used = 0;
        int status = peri_source_feed(c->source, text.ptr, text.len, &used);
        crowd_must(status == PERI_OK || status == PERI_EAGAIN, "the stream takes nothing");
        if (status == PERI_EAGAIN) (void)!peri_host_step(c->host, 0);
        text = peri_str_sub(text, used, text.len);
    }
    crowd_settle(c);
}

static inline void crowd_finish(crowd *c) {
    crowd_must(peri_source_end(c->source) == PERI_OK, "the stream has no end");
    crowd_settle(c);
    crowd_must(peri_host_finish(c->host) == PERI_OK, "the host has no end");
    crowd_settle(c);
}

// The number behind "KEY": in the host's status.
static inline long long crowd_count(crowd *c, const char *key) {
    peri_str status;
    char name[64];
    crowd_must(peri_host_status_json(c->host, &status) == PERI_OK, "no status");
    snprintf(name, sizeof name, "\"%s\":", key);
    size_t at = peri_str_find(status, peri_str_c(name));
    crowd_must(at != PERI_NPOS, key);
    return atoll(status.ptr + at + strlen(name));
}

static inline int crowd_remove(const char *name, const struct stat *info, int type,
                               struct FTW *at) {
    (void)info, (void)type, (void)at;
    return remove(name);
}

static inline void crowd_close(crowd *c) {
    peri_host_free(c->host);
    nftw(c->folder, crowd_remove, 8, FTW_DEPTH | FTW_PHYS);
    peri_buf_deinit(&c->line);
    peri_buf_deinit(&c->config);
}

#endif
