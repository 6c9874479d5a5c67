// `perilune gate`: would this observer be started for this agent here and now? Every step's
// verdict and reason, the hooks' included, as a live host would judge.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "cli.h"
#include "host/admit/gate.h"
#include "known.h"
#include "plain.h"
#include "prose.h"
#include "session.h"

static const char help[] =
    "usage: perilune gate --agent A --observer O [options]\n"
    "\n"
    "Asks the gate whether observer O may be started for the agent of type A (or\n"
    "main), and prints each step's verdict and reason. The settings are those that\n"
    "hold in this folder: yours, the project's, the managed ones, and the ones named\n"
    "here.\n"
    "\n"
    "  --agent A        type of the observed agent, or main\n"
    "  --observer O     type of the observer\n"
    "  --settings FILE  one more settings file (.json as Claude Code's, .yaml as\n"
    "                   config.yaml); may be given several times\n"
    "  --mode MODE      permission mode: default, plan, acceptEdits, dontAsk, auto or\n"
    "                   bypassPermissions (that of the settings)\n"
    "  --managed FILE   one more managed file, which may only restrict\n"
    "  --agents DIR     one more folder of agent definitions\n"
    "  --config FILE    one more config.yaml over yours\n"
    "  --observers DIR  a folder of observers over all others\n"
    "  --project DIR    the folder where the agent works (where you are)\n"
    "  --state DIR      where trust.jsonl is\n"
    "  --json           one object\n"
    "\n"
    "Exit status: 0 allowed; 1 denied, or nobody can judge; 2 usage; 3 internal\n"
    "failure.\n";

enum { REASON_COLUMN = 24, REASON_MAX_CP = 400 };

typedef struct gate_options {
    session_options session;
    const char *agent, *observer, *mode, *managed, *agents;
    const char **settings; // ended by NULL
    bool json;
} gate_options;

// Takes every --settings out of the arguments, which the readers of options know once only.
static int take_settings(int *argc, char **argv, const char **settings) {
    int kept = 1;
    size_t count = 0;
    for (int i = 1; i < *argc; i++) {
        peri_str word = peri_str_c(argv[i]);
        if (peri_str_starts(word, PERI_STR("--settings="))) {
            settings[count++] = argv[i] + strlen("--settings=");
        } else if (!peri_str_eq(word, PERI_STR("--settings"))) {
            argv[kept++] = argv[i];
        } else if (i + 1 < *argc) {
            settings[count++] = argv[++i];
        } else {
            fputs("perilune gate: --settings needs a value\n", stderr);
            return PERI_EXIT_USAGE;
        }
    }
    *argc = kept;
    return PERI_EXIT_OK;
}

static void print_text(const gate_options *o, const peri_gate_trace *trace) {
    peri_buf out;
    peri_buf_init(&out, 64 * 1024);
    for (int i = 0; i < PERI_GATE_STEP_COUNT; i++) {
        peri_str step = peri_gate_step_word((peri_gate_step)i);
        peri_str verdict = peri_gate_verdict_word(trace->steps[i].verdict);
        peri_buf_addf(&out, "%-14.*s %-8.*s ", PERI_FMT(step), PERI_FMT(verdict));
        size_t start = out.len;
        peri_prose_add_plain(&out, peri_str_c(trace->steps[i].reason), REASON_MAX_CP);
        peri_prose_wrap(&out, start, REASON_COLUMN);
    }
    peri_str verdict = peri_gate_verdict_word(trace->verdict);
    size_t start = out.len;
    peri_buf_addf(&out, "%.*s: %s for %s", PERI_FMT(verdict), o->observer, o->agent);
    if (trace->decided_by < PERI_GATE_STEP_COUNT) {
        peri_str step = peri_gate_step_word(trace->decided_by);
        peri_buf_addf(&out, " (%.*s: ", PERI_FMT(step));
        peri_prose_add_plain(&out, peri_str_c(trace->steps[trace->decided_by].reason),
                             REASON_MAX_CP);
        peri_buf_add_byte(&out, ')');
    }
    peri_prose_wrap(&out, start, 2);
    fwrite(out.ptr ? out.ptr : "", 1, out.len, stdout);
    peri_buf_deinit(&out);
}

static int print_json(const gate_options *o, const peri_gate_trace *trace) {
    peri_buf out;
    peri_buf_init(&out, 64 * 1024);
    peri_buf_add_c(&out, "{\"agent\":");
    peri_json_add_string(&out, peri_str_c(o->agent));
    peri_buf_add_c(&out, ",\"observer\":");
    peri_json_add_string(&out, peri_str_c(o->observer));
    peri_buf_add_byte(&out, ',');
    peri_gate_trace_add_json(trace, &out);
    peri_buf_add_c(&out, "}\n");
    bool whole = out.status == PERI_OK && fwrite(out.ptr, 1, out.len, stdout) == out.len;
    peri_buf_deinit(&out);
    return whole ? PERI_EXIT_OK : PERI_EXIT_INTERNAL;
}

// No mistake: the types of a client are an open set.
static void tell_unknown(const peri_host *host, peri_str name) {
    peri_str near = peri_known_near(host, name);
    fputs("perilune gate: nothing here is called '", stderr);
    plain_print(stderr, name);
    fputs("'; judged by its name alone", stderr);
    if (near.len) fprintf(stderr, " (did you mean '%.*s'?)", PERI_FMT(near));
    fputc('\n', stderr);
}

static int ask(const gate_options *o, peri_host *host, const char *folder) {
    peri_gate_query query = {o->agent, o->observer, o->mode, folder};
    peri_gate_trace trace;
    int status = peri_host_gate(host, &query, &trace);
    if (status == PERI_EINVAL) {
        fprintf(stderr, "perilune gate: unknown mode '%s'; see perilune gate --help\n",
                o->mode);
        return PERI_EXIT_USAGE;
    }
    if (status < 0) return session_exit_code(status);
    peri_str name = peri_str_c(o->observer);
    if (!peri_known_has(host, name)) tell_unknown(host, name);
    int code = PERI_EXIT_OK;
    if (o->json) {
        code = print_json(o, &trace);
    } else {
        print_text(o, &trace);
    }
    if (code != PERI_EXIT_OK) return code;
    return trace.verdict == PERI_GATE_VERDICT_ALLOW ? PERI_EXIT_OK : PERI_EXIT_NEGATIVE;
}

static int open_and_ask(const gate_options *o) {
    char *folder = realpath(o->session.project, NULL);
    char *trust = session_state_path(&o->session, "trust.jsonl");
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    int code = session_host_options(&o->session, &how);
    how.trust_path = trust;
    how.settings_paths = o->settings;
    how.managed_path = o->managed;
    how.agents_dir = o->agents;
    peri_host *host = NULL;
    if (code == PERI_EXIT_OK && !folder) {
        fprintf(stderr, "perilune gate: %s: there is no such folder\n", o->session.project);
        code = PERI_EXIT_USAGE;
    }
    int status = code == PERI_EXIT_OK ? peri_host_new(&how, &host) : PERI_OK;
    if (status < 0) code = session_exit_code(status);
    if (host) code = ask(o, host, folder);
    peri_host_free(host);
    free(trust);
    free(folder);
    return code;
}

int cmd_gate(int argc, char **argv) {
    gate_options o = {.session = {.project = "."}};
    const peri_option list[] = {
        {"--agent", &o.agent, NULL},
        {"--observer", &o.observer, NULL},
        {"--mode", &o.mode, NULL},
        {"--managed", &o.managed, NULL},
        {"--agents", &o.agents, NULL},
        {"--config", &o.session.config, NULL},
        {"--observers", &o.session.observers, NULL},
        {"--project", &o.session.project, NULL},
        {"--state", &o.session.state_dir, NULL},
        {"--json", NULL, &o.json},
        {NULL, NULL, NULL},
    };
    size_t room = (size_t)argc + 1, count = 0;
    const char **words = calloc(2 * room, sizeof *words);
    if (!words) return PERI_EXIT_INTERNAL;
    o.settings = words + room;
    int code = take_settings(&argc, argv, o.settings);
    if (code == PERI_EXIT_OK) code = peri_options_read(argc, argv, list, help, words, &count);
    if (code == PERI_EXIT_OK && (count || !o.agent || !o.observer)) {
        fputs("perilune gate: name --agent and --observer; see perilune gate --help\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    if (code == PERI_EXIT_OK) code = open_and_ask(&o);
    free(words);
    return code < 0 ? PERI_EXIT_OK : code;
}
