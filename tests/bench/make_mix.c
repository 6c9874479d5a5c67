// Writes the benchmark's mix of transcript records to standard output, the same bytes every
// time: by lines 60 % of about 300 bytes, 33 % of 3 KB, 6.9 % of 50 KB and 0.1 % of 2 MB,
// shaped like a Claude Code transcript (prompts, answers, tool calls and their results), full
// of escapes and UTF-8. Usage: make_mix MEGABYTES [MAX_LINE_BYTES]; longer lines are then left
// out of the same mix.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4 << 20, TAIL_MAX_BYTES = 512, LAST_ROUND = 6 };

typedef struct mix {
    char *line; // LINE_MAX_BYTES
    size_t len;
    uint64_t random;
    unsigned number; // of the record, from 1
    unsigned round;  // of tool calls within the turn
} mix;

static unsigned draw(mix *m, unsigned below) {
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (unsigned)((m->random >> 33) % below);
}

__attribute__((format(printf, 2, 3))) static void add(mix *m, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(m->line + m->len, LINE_MAX_BYTES - m->len, format, args);
    va_end(args);
    m->len += (size_t)wrote;
}

// Escaped prose, code and terminal output until the line has `target` bytes.
static void add_filler(mix *m, size_t target) {
    static const char *const words[] = {
        "the ",      "build ",       "failed ", "because of ",
        "return x;", "\\n",          "\\n",     "\\tif (count > 0) {\\n",
        "src/a.c:4", "\\\"name\\\"", "größer ", "— ",
        "naïve ",    "日本語 ",      "🙂 ",   "\\u001b[31mFAIL\\u001b[0m ",
        "and then ", "C:\\\\dir ",   "0x7fff ", "error: expected ';' ",
    };
    do {
        const char *word = words[draw(m, sizeof words / sizeof *words)];
        size_t len = strlen(word);
        memcpy(m->line + m->len, word, len);
        m->len += len;
    } while (m->len < target);
}

static size_t draw_target(mix *m) {
    unsigned share = draw(m, 1000);
    size_t middle = share < 600 ? 300 : share < 930 ? 3000 : share < 999 ? 50000 : 2000000;
    return middle * (90 + draw(m, 21)) / 100;
}

static void begin_record(mix *m, const char *type) {
    m->len = 0;
    m->number++;
    add(m,
        "{\"parentUuid\":\"%08x-0000-4000-8000-000000000000\",\"type\":\"%s\","
        "\"message\":{\"role\":\"%s\",",
        m->number - 1, type, type);
}

static void end_record(mix *m) {
    unsigned s = m->number;
    add(m,
        "},\"uuid\":\"%08x-0000-4000-8000-000000000000\","
        "\"timestamp\":\"2026-11-%02uT%02u:%02u:%02u.000Z\",\"sessionId\":\"mix\"}\n",
        s, 1 + s / 86400 % 28, s / 3600 % 24, s / 60 % 60, s % 60);
}

static void make_prompt(mix *m, size_t target) {
    begin_record(m, "user");
    add(m, "\"content\":\"");
    add_filler(m, target);
    add(m, "\"");
    end_record(m);
}

static void make_answer(mix *m, size_t target, const char *stop) {
    begin_record(m, "assistant");
    add(m, "\"id\":\"msg_%u\",\"stop_reason\":%s,\"content\":[{\"type\":\"text\",\"text\":\"",
        m->number, stop);
    add_filler(m, target);
    add(m, "\"}]");
    end_record(m);
}

static void make_call(mix *m, size_t target) {
    begin_record(m, "assistant");
    add(m,
        "\"id\":\"msg_%u\",\"content\":[{\"type\":\"tool_use\",\"id\":\"toolu_%u\","
        "\"name\":\"Bash\",\"input\":{\"command\":\"",
        m->number, m->number);
    add_filler(m, target);
    add(m, "\"}}]");
    end_record(m);
}

static void make_result(mix *m, size_t target) {
    begin_record(m, "user");
    add(m,
        "\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_%u\","
        "\"is_error\":%s,\"content\":\"",
        m->number - 1, draw(m, 8) ? "false" : "true");
    add_filler(m, target);
    add(m, "\"}]");
    end_record(m);
}

// The next record of a turn: prompt, then LAST_ROUND calls with their results, then the answer.
static void make_record(mix *m) {
    size_t target = draw_target(m);
    target = target > TAIL_MAX_BYTES ? target - 110 : 190; // what end_record() adds
    unsigned step = m->round++;
    if (step == 0) {
        make_prompt(m, target);
    } else if (step > 2 * LAST_ROUND) {
        make_answer(m, target, "\"end_turn\"");
        m->round = 0;
    } else if (step % 2) {
        make_call(m, target);
    } else {
        make_result(m, target);
    }
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: make_mix MEGABYTES [MAX_LINE_BYTES]\n", stderr);
        return EXIT_FAILURE;
    }
    uint64_t total = strtoull(argv[1], NULL, 10) * 1000000, made = 0;
    size_t max_line = argc > 2 ? strtoul(argv[2], NULL, 10) : LINE_MAX_BYTES;
    mix m = {.line = malloc(LINE_MAX_BYTES), .random = 42};
    if (!m.line) return EXIT_FAILURE;
    while (made < total) {
        make_record(&m);
        made += m.len;
        if (m.len <= max_line) fwrite(m.line, 1, m.len, stdout);
    }
    free(m.line);
    return ferror(stdout) || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
