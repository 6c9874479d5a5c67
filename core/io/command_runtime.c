// Children that are observers: a queue of runs, a bounded set of children, and one verdict a
// run. A child is idle, works on one run, or is leaving (killed, not gone yet); it counts
// against the maximum until it is gone. The process itself is proc.c. Called by host/run/runs.c
// through peri_runtime.
#include "io/command_runtime.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "io/proc.h"

enum {
    ARENA_BYTES = 1024 * 1024,
    WHY_BYTES = 512,
    ENV_MAX = 64,
    KEY_BYTES = 1024 * 1024,
    NAME_MAX_BYTES = 64,
    SHOWN_STDERR_BYTES = 300,
};

typedef struct run {
    struct run *next; // in the queue
    const peri_observer *observer;
    uint64_t number;
    peri_buf line; // the request
    peri_run_done done;
    void *done_user;
} run;

typedef struct child {
    struct child *next;
    peri_commands *of;
    peri_proc *proc;
    peri_buf key;           // of its command
    char *program;          // owned; for messages
    bool once;              // it serves one run
    run *run;               // owned; NULL: idle
    peri_buf out;           // of the run's answer so far
    bool leaving, served;   // served: it has answered before
    peri_run_state verdict; // of the run, if it made the child leave
    peri_buf why;
} child;

struct peri_commands {
    peri_commands_options options;
    char *exec_path; // owned
    child *children;
    size_t child_count, waiting_count;
    run *first, **last; // that wait for a child
    uint64_t run_number;
    peri_arena arena; // of the result being told, and of starting a child
};

// ---- Telling a run's end

static void free_run(run *r) {
    if (!r) return;
    peri_buf_deinit(&r->line);
    free(r);
}

static void tell(peri_commands *commands, run *r, const peri_run_result *result) {
    r->done(r->done_user, result);
    free_run(r);
    peri_arena_reset(&commands->arena);
}

static void tell_failed(peri_commands *commands, run *r, peri_run_state state, peri_str why) {
    tell(commands, r, &(peri_run_result){.state = state, .error = why});
}

static void tell_answer(peri_commands *commands, run *r, peri_str line) {
    peri_run_result result = {.state = PERI_RUN_SILENT};
    line = peri_str_trim(line);
    if (line.len) peri_wire_read_answer(line, r->number, &commands->arena, &result);
    tell(commands, r, &result);
}

// ---- Children

static void add_words(peri_buf *out, const peri_str *words, size_t count) {
    peri_buf_addf(out, "%zu;", count);
    for (size_t i = 0; i < count; i++) {
        peri_buf_addf(out, "%zu:", words[i].len);
        peri_buf_add(out, words[i]);
    }
}

// What tells one command from another. A child of one definition may work for another that asks
// for the same program, and for none once its own has changed.
static void write_key(const peri_observer *observer, peri_buf *out) {
    add_words(out, observer->command, observer->command_count);
    add_words(out, observer->env, observer->env_count);
    add_words(out, &observer->folder, 1);
    peri_buf_add_byte(out, observer->once ? '1' : '0');
}

static void pump(peri_commands *commands);

static void leave(child *c) {
    c->leaving = true;
    peri_proc_kill(c->proc);
}

static void leave_failed(child *c, peri_run_state state, const char *why) {
    if (c->leaving) return;
    c->verdict = state;
    peri_buf_addf(&c->why, "%s", why);
    leave(c);
}

static void on_out(void *user, peri_str bytes) {
    child *c = user;
    if (c->leaving) return;
    if (!c->run) { // nobody asked: its next line could be taken for another run's answer
        leave(c);
        return;
    }
    peri_buf_add(&c->out, bytes);
    if (c->out.status < 0) {
        leave_failed(c, PERI_RUN_FAILED, "it wrote more than 64 KiB to stdout");
        return;
    }
    peri_str out = peri_buf_str(&c->out);
    size_t end = peri_str_find_byte(out, '\n', out.len - bytes.len);
    if (c->once || end == PERI_NPOS) return; // judged at its end, or not whole
    if (end + 1 < out.len) {
        leave_failed(c, PERI_RUN_FAILED, "it answered with more than one line");
        return;
    }
    run *r = c->run;
    c->run = NULL;
    peri_proc_expect(c->proc, 0);
    c->served = true;
    tell_answer(c->of, r, peri_str_sub(out, 0, end));
    pump(c->of);
}

static void on_late(void *user) {
    child *c = user;
    char why[64];
    snprintf(why, sizeof why, "no answer within %u ms",
             c->run ? c->run->observer->timeout_ms : 0);
    leave_failed(c, PERI_RUN_TIMEOUT, why);
}

// Why a child ended that was not killed by us; "" if it ended as it should.
static void explain_end(child *c, const peri_proc_end *end) {
    switch (end->kind) {
    case PERI_EXEC_NOT_STARTED:
        peri_buf_addf(&c->why, "%s cannot be started: %s", c->program, strerror(end->value));
        return;
    case PERI_EXEC_SIGNALED:
        peri_buf_addf(&c->why, "signal %d ended it", end->value);
        return;
    case PERI_EXEC_EXITED:
        if (end->value) {
            int signal = peri_exit_code_signal(end->value);
            peri_buf_addf(&c->why, "exit code %d", end->value);
            if (signal) peri_buf_addf(&c->why, " (signal %d)", signal);
        } else if (!c->once && !peri_str_trim(peri_buf_str(&c->out)).len) {
            peri_buf_add_c(&c->why, "it ended without an answer");
        }
        return;
    default:
        peri_buf_add_c(&c->why, "it was killed");
        return;
    }
}

static void add_details(child *c, const peri_proc_end *end) {
    peri_str err = peri_str_trim(end->err);
    size_t skip = peri_utf8_skip_to_tail(err, SHOWN_STDERR_BYTES);
    err = peri_str_sub(err, skip, err.len);
    if (end->strays) {
        peri_buf_addf(&c->why, "; processes that had left its group, killed too: %d",
                      end->strays);
    }
    if (!err.len) return;
    peri_buf_add_c(&c->why, "; stderr: ");
    peri_utf8_repair(&c->why, err);
}

// A program that answers once and ends may be handed the next run before its end is heard of.
static bool ended_before(const child *c, const peri_proc_end *end) {
    return c->served && !c->leaving && !c->out.len && end->kind == PERI_EXEC_EXITED &&
           end->value == 0;
}

static void put_back(peri_commands *commands, run *r) {
    r->next = commands->first;
    if (!commands->first) commands->last = &r->next;
    commands->first = r;
    commands->waiting_count++;
}

// The run of a child that is gone.
static void end_run(child *c, const peri_proc_end *end) {
    run *r = c->run;
    c->run = NULL;
    if (ended_before(c, end)) {
        put_back(c->of, r);
        return;
    }
    if (!c->leaving) explain_end(c, end);
    if (c->why.len == 0) {
        tell_answer(c->of, r, peri_buf_str(&c->out));
        return;
    }
    add_details(c, end);
    peri_str why = peri_arena_copy(&c->of->arena, peri_buf_str(&c->why));
    tell_failed(c->of, r, c->leaving ? c->verdict : PERI_RUN_FAILED,
                why.ptr ? why : PERI_STR("out of memory"));
}

static void free_child(child *c) {
    peri_proc_free(c->proc);
    free_run(c->run);
    peri_buf_deinit(&c->key);
    peri_buf_deinit(&c->out);
    peri_buf_deinit(&c->why);
    free(c->program);
    free(c);
}

static void on_end(void *user, const peri_proc_end *end) {
    child *c = user;
    peri_commands *commands = c->of;
    child **at = &commands->children;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    commands->child_count--;
    if (c->run) end_run(c, end);
    free_child(c);
    pump(commands);
}

static const peri_proc_events proc_events = {on_out, on_late, on_end};

// ---- Starting children

static const char *c_text(peri_commands *commands, peri_str text) {
    char *copy = peri_arena_alloc(&commands->arena, text.len + 1);
    if (!copy) return NULL;
    if (text.len) memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

// "NAME=value" if the host's own environment has it.
static const char *variable(peri_commands *commands, peri_str name) {
    char text[NAME_MAX_BYTES + 1];
    if (name.len > NAME_MAX_BYTES) return NULL;
    snprintf(text, sizeof text, "%.*s", PERI_FMT(name));
    const char *value = getenv(text);
    if (!value) return NULL;
    size_t size = name.len + strlen(value) + 2;
    char *pair = peri_arena_alloc(&commands->arena, size);
    if (pair) snprintf(pair, size, "%s=%s", text, value);
    return pair;
}

// All that a child sees of the environment: what programs need
// to run, and what its definition names.
static void make_env(peri_commands *commands, const peri_observer *observer, const char **env) {
    static const char *const always[] = {"PATH",     "HOME",   "USER", "LOGNAME",
                                         "SHELL",    "LANG",   "TZ",   "LC_ALL",
                                         "LC_CTYPE", "TMPDIR", NULL};
    size_t count = 0;
    env[count++] = "PERILUNE_OBSERVERS=0"; // an agent that it runs is an observer's (case C26)
    for (size_t i = 0; always[i]; i++) {
        env[count] = variable(commands, peri_str_c(always[i]));
        count += env[count] != NULL;
    }
    for (size_t i = 0; i < observer->env_count && count < ENV_MAX; i++) {
        env[count] = variable(commands, observer->env[i]);
        count += env[count] != NULL;
    }
    env[count] = NULL;
}

static int start_proc(peri_commands *commands, const peri_observer *observer, child *c) {
    const char *argv[PERI_OBSERVER_MAX_COMMAND + 1] = {NULL}, *env[ENV_MAX + 1];
    for (size_t i = 0; i < observer->command_count; i++) {
        argv[i] = c_text(commands, observer->command[i]);
        if (!argv[i]) return PERI_ENOMEM;
    }
    make_env(commands, observer, env);
    peri_proc_options options = {.exec_path = commands->exec_path,
                                 .argv = argv,
                                 .env = env,
                                 .folder = c_text(commands, observer->folder),
                                 .memory_bytes = commands->options.memory_bytes};
    int status = peri_proc_start(commands->options.loop, &options, &proc_events, c, &c->proc);
    peri_arena_reset(&commands->arena);
    return status;
}

static int new_child(peri_commands *commands, const peri_observer *observer, child **out) {
    child *c = calloc(1, sizeof *c);
    if (!c) return PERI_ENOMEM;
    c->of = commands;
    peri_buf_init(&c->key, KEY_BYTES);
    write_key(observer, &c->key);
    c->once = observer->once;
    peri_buf_init(&c->out, PERI_WIRE_ANSWER_BYTES);
    peri_buf_init(&c->why, WHY_BYTES * 4);
    peri_str program = observer->command_count ? observer->command[0] : (peri_str){0};
    c->program = strndup(program.ptr ? program.ptr : "", program.len);
    int status = c->key.status;
    if (!c->program) status = PERI_ENOMEM;
    if (status == PERI_OK && !observer->command_count)
        status = PERI_ESTATE; // it is none any more
    if (status == PERI_OK) status = start_proc(commands, observer, c);
    if (status < 0) {
        free_child(c);
        return status;
    }
    c->next = commands->children;
    commands->children = c;
    commands->child_count++;
    *out = c;
    return PERI_OK;
}

// ---- The queue

// One with that command, or any (NULL).
static child *find_idle(const peri_commands *commands, const peri_observer *observer) {
    peri_buf key;
    peri_buf_init(&key, KEY_BYTES);
    if (observer) write_key(observer, &key);
    child *c = commands->children;
    while (c && (c->run || c->leaving ||
                 (observer && !peri_str_eq(peri_buf_str(&c->key), peri_buf_str(&key))))) {
        c = c->next;
    }
    peri_buf_deinit(&key);
    return c;
}

static run *take_waiting(peri_commands *commands) {
    run *r = commands->first;
    commands->first = r->next;
    if (!commands->first) commands->last = &commands->first;
    commands->waiting_count--;
    r->next = NULL;
    return r;
}

static void give(child *c, run *r) {
    c->run = r;
    peri_buf_clear(&c->out);
    peri_proc_expect(c->proc, r->observer->timeout_ms);
    if (peri_proc_send(c->proc, peri_buf_str(&r->line), c->once) < 0) {
        leave_failed(c, PERI_RUN_FAILED, "out of memory");
    }
}

// Gives the runs that wait to children, in order, as far as there are any.
static void pump(peri_commands *commands) {
    while (commands->first) {
        const peri_observer *observer = commands->first->observer;
        child *c = find_idle(commands, observer);
        if (!c && commands->child_count >= commands->options.max_children) {
            child *other = find_idle(commands, NULL); // makes room; its end pumps again
            if (other) leave(other);
            return;
        }
        int status = c ? PERI_OK : new_child(commands, observer, &c);
        run *r = take_waiting(commands);
        if (status < 0) {
            tell_failed(commands, r, PERI_RUN_FAILED, peri_str_c(peri_status_message(status)));
        } else {
            give(c, r);
        }
    }
}

static void refuse(peri_run_state state, const char *why, peri_run_done done, void *done_user) {
    done(done_user, &(peri_run_result){.state = state, .error = peri_str_c(why)});
}

static void start(void *user, const peri_run_request *request, peri_arena *arena,
                  peri_run_done done, void *done_user) {
    peri_commands *commands = user;
    (void)arena;
    if (!commands->exec_path) {
        refuse(PERI_RUN_NO_RUNTIME, "perilune-exec was not found", done, done_user);
        return;
    }
    if (commands->waiting_count == PERI_COMMAND_MAX_WAITING) {
        refuse(PERI_RUN_FAILED, "too many runs wait for a child", done, done_user);
        return;
    }
    run *r = calloc(1, sizeof *r);
    if (!r) {
        refuse(PERI_RUN_FAILED, "out of memory", done, done_user);
        return;
    }
    *r = (run){.observer = request->observer,
               .number = ++commands->run_number,
               .done = done,
               .done_user = done_user};
    peri_buf_init(&r->line, PERI_WIRE_REQUEST_BYTES);
    peri_wire_clean clean = commands->options.clean;
    if (request->observer->unscrubbed) clean.fn = NULL;
    peri_wire_put_request(&r->line, request, r->number, &clean);
    if (r->line.status < 0) {
        tell_failed(commands, r, PERI_RUN_FAILED,
                    peri_str_c(peri_status_message(r->line.status)));
        return;
    }
    *commands->last = r;
    commands->last = &r->next;
    commands->waiting_count++;
    pump(commands);
}

// What a child still says is not heard any more: it is killed.
static void abandon(void *user) {
    peri_str why = PERI_STR("the host ended before it answered");
    peri_commands *commands = user;
    while (commands->first) {
        tell_failed(commands, take_waiting(commands), PERI_RUN_ABANDONED, why);
    }
    for (child *c = commands->children; c; c = c->next) {
        run *r = c->run;
        c->run = NULL;
        if (!r) continue;
        if (!c->leaving) leave(c);
        tell_failed(commands, r, PERI_RUN_ABANDONED, why);
    }
}

static void rest(void *user, const peri_observer *observer) {
    peri_commands *commands = user;
    for (child *c; (c = find_idle(commands, observer));) leave(c);
}

// ---- Life

int peri_commands_new(const peri_commands_options *options, peri_commands **out) {
    peri_commands *commands = calloc(1, sizeof *commands);
    if (!commands) return PERI_ENOMEM;
    commands->options = *options;
    if (!options->max_children) commands->options.max_children = PERI_COMMAND_MAX_CHILDREN;
    commands->last = &commands->first;
    peri_arena_init(&commands->arena, ARENA_BYTES);
    if (options->exec_path) {
        commands->exec_path = strdup(options->exec_path);
        if (!commands->exec_path) {
            peri_commands_free(commands);
            return PERI_ENOMEM;
        }
    }
    *out = commands;
    return PERI_OK;
}

void peri_commands_free(peri_commands *commands) {
    if (!commands) return;
    for (child *c = commands->children; c; c = c->next) peri_proc_kill(c->proc); // all at once
    while (commands->children) {
        child *c = commands->children;
        commands->children = c->next;
        free_child(c);
    }
    while (commands->first) free_run(take_waiting(commands));
    peri_arena_deinit(&commands->arena);
    free(commands->exec_path);
    free(commands);
}

peri_runtime peri_commands_runtime(peri_commands *commands) {
    return (peri_runtime){.user = commands, .start = start, .abandon = abandon, .rest = rest};
}

size_t peri_commands_children(const peri_commands *commands) {
    return commands->child_count;
}
