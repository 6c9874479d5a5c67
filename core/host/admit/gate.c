// Asking the gate: the permissions that hold now, then the managed hooks, all at once, each in
// a process of its own behind perilune-exec with a deadline and a capped output. Always closed:
// a hook that does not answer as it should has denied, and where nobody can judge the answer is
// an error. Never waits: who asks hears the judgement when the last hook has ended.
#include "host/admit/gate.h"

#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/told/told.h"
#include "io/proc.h"

enum { CHECK_ARENA_BYTES = 1024 * 1024, ENV_MAX = 16, INPUT_MAX_BYTES = 64 * 1024 };

typedef struct hook_run {
    struct host_check *of;
    peri_proc *proc; // NULL: not started, or ended
    peri_hook_end end;
    int value;
    bool killed; // `end` is settled, whatever the process does
    peri_buf out;
} hook_run;

/// One question whose hooks run.
typedef struct host_check {
    struct host_check *next;
    peri_host *host;
    host_gate_done done;
    void *user;
    peri_gate_trace trace;
    peri_arena arena; // owns everything below
    peri_hook hooks[PERI_HOOKS_MAX];
    const peri_hook *asked[PERI_HOOKS_MAX];
    peri_hook_answer *answers;
    hook_run *runs;
    size_t count, running;
    bool starting;
} host_check;

static void free_check(host_check *check) {
    for (size_t i = 0; check->runs && i < check->count; i++) {
        peri_proc_free(check->runs[i].proc);
        peri_buf_deinit(&check->runs[i].out);
    }
    peri_arena_deinit(&check->arena);
    free(check);
}

static void unlink_check(host_check *check) {
    host_check **at = &check->host->checks;
    while (*at && *at != check) at = &(*at)->next;
    if (*at) *at = check->next;
}

static void finish(host_check *check) {
    peri_gate_hear_hooks(&check->trace, check->asked, check->answers, check->count);
    unlink_check(check);
    check->done(check->user, &check->trace);
    free_check(check);
}

// ---- One hook

static void settle(hook_run *run, peri_str err) {
    host_check *check = run->of;
    size_t at = (size_t)(run - check->runs);
    peri_hook_outcome outcome = {run->end, run->value, peri_buf_str(&run->out), err};
    peri_hook_answer_read(&outcome, &check->answers[at]);
    check->running--;
    if (check->running == 0 && !check->starting) finish(check);
}

static void kill_run(hook_run *run, peri_hook_end end, int value) {
    if (run->killed) return;
    run->killed = true;
    run->end = end;
    run->value = value;
    peri_proc_kill(run->proc);
}

static void on_out(void *user, peri_str bytes) {
    hook_run *run = user;
    if (run->killed) return;
    peri_buf_add(&run->out, bytes);
    if (run->out.status < 0) kill_run(run, PERI_HOOK_FLOODED, PERI_HOOK_OUT_MAX_BYTES);
}

static void on_late(void *user) {
    hook_run *run = user;
    const host_check *check = run->of;
    size_t at = (size_t)(run - check->runs);
    kill_run(run, PERI_HOOK_TIMED_OUT, (int)check->asked[at]->timeout_ms);
}

static void on_end(void *user, const peri_proc_end *end) {
    hook_run *run = user;
    if (!run->killed) {
        run->value = end->value;
        run->end = end->kind == PERI_EXEC_EXITED        ? PERI_HOOK_EXITED
                   : end->kind == PERI_EXEC_NOT_STARTED ? PERI_HOOK_NOT_STARTED
                                                        : PERI_HOOK_SIGNALED;
    }
    char err[PERI_PROC_STDERR_BYTES];
    size_t len = end->err.len < sizeof err ? end->err.len : sizeof err;
    if (len) memcpy(err, end->err.ptr, len);
    peri_proc_free(run->proc);
    run->proc = NULL;
    settle(run, peri_str_of(err, len));
}

// ---- Starting them

static const char *c_str(host_check *check, const char *prefix, peri_str text) {
    size_t lead = strlen(prefix);
    char *copy = peri_arena_alloc(&check->arena, lead + text.len + 1);
    if (!copy) return NULL;
    memcpy(copy, prefix, lead);
    if (text.len) memcpy(copy + lead, text.ptr, text.len);
    copy[lead + text.len] = '\0';
    return copy;
}

// What a hook sees of the environment.
static void make_env(host_check *check, peri_str folder, const char **env) {
    static const char *const kept[] = {"PATH", "HOME",   "USER", "LOGNAME", "SHELL",
                                       "LANG", "LC_ALL", "TZ",   "TMPDIR"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const char *value = getenv(kept[i]);
        const char *name = value ? c_str(check, kept[i], PERI_STR("=")) : NULL;
        if (name && (env[count] = c_str(check, name, peri_str_c(value)))) count++;
    }
    if ((env[count] = c_str(check, "CLAUDE_PROJECT_DIR=", folder))) count++;
    env[count] = NULL;
}

// A command is written for bash; where none is, the shell there is has to do.
static const char *shell_of(const peri_hook *hook) {
    bool bash = peri_path_type_of("/bin/bash") == PERI_PATH_FILE;
    return bash || hook->shell.len ? "/bin/bash" : "/bin/sh";
}

// `text` with the project's folder for its name: no shell is there to do it.
static const char *placed(host_check *check, peri_str text, peri_str folder) {
    peri_str name = PERI_STR("${CLAUDE_PROJECT_DIR}");
    peri_buf full;
    peri_buf_init(&full, INPUT_MAX_BYTES);
    for (size_t at; (at = peri_str_find(text, name)) != PERI_NPOS;) {
        peri_buf_add(&full, peri_str_sub(text, 0, at));
        peri_buf_add(&full, folder);
        text = peri_str_sub(text, at + name.len, text.len);
    }
    peri_buf_add(&full, text);
    const char *copy = full.status < 0 ? NULL : c_str(check, "", peri_buf_str(&full));
    peri_buf_deinit(&full);
    return copy;
}

static const char *const *make_argv(host_check *check, const peri_hook *hook, peri_str folder) {
    const char **argv = peri_arena_zero(&check->arena, (hook->arg_count + 4) * sizeof *argv);
    if (!argv) return NULL;
    size_t count = 0;
    if (hook->has_args) {
        argv[count++] = placed(check, hook->command, folder);
    } else {
        argv[count++] = shell_of(hook);
        argv[count++] = "-c";
        argv[count++] = c_str(check, "", hook->command);
    }
    for (size_t i = 0; i < hook->arg_count; i++)
        argv[count++] = placed(check, hook->args[i], folder);
    for (size_t i = 0; i < count; i++) {
        if (!argv[i]) return NULL;
    }
    return argv;
}

static void add_member(peri_buf *out, const char *key, peri_str value) {
    peri_buf_addf(out, ",\"%s\":", key);
    peri_json_add_string(out, value);
}

// The hook's standard input: the call of CC-3, as the agent's own client would tell it.
static void write_input(const host_gate_question *question, const peri_agent_request *request,
                        peri_permission_mode mode, peri_buf *out) {
    peri_buf_add_c(out, "{\"hook_event_name\":\"PreToolUse\"");
    add_member(out, "session_id", question->session);
    add_member(out, "cwd", question->folder);
    add_member(out, "permission_mode", peri_permission_mode_word(mode));
    if (!peri_str_eq(question->agent, PERI_STR("main"))) {
        add_member(out, "agent_id", question->agent);
        add_member(out, "agent_type", question->name);
    }
    add_member(out, "tool_name", PERI_STR("Agent"));
    peri_buf_add_c(out, ",\"tool_input\":");
    peri_agent_request_add_json(request, out);
    peri_buf_add_c(out, "}\n");
}

static bool can_run(const peri_hook *hook) {
    return peri_str_eq(hook->type, PERI_STR("command")) &&
           (!hook->shell.len || peri_str_eq(hook->shell, PERI_STR("bash")));
}

static void start_run(host_check *check, size_t at, const char *const *env, const char *folder,
                      const char *exec_path, peri_str input) {
    static const peri_proc_events events = {on_out, on_late, on_end};
    hook_run *run = &check->runs[at];
    const peri_hook *hook = check->asked[at];
    *run = (hook_run){.of = check, .end = PERI_HOOK_NOT_STARTED};
    peri_buf_init(&run->out, PERI_HOOK_OUT_MAX_BYTES);
    check->running++;
    if (!can_run(hook)) {
        run->end = PERI_HOOK_KIND;
        settle(run, (peri_str){0});
        return;
    }
    const char *const *argv =
        make_argv(check, hook, folder ? peri_str_c(folder) : (peri_str){0});
    peri_proc_options how = {
        .exec_path = exec_path, .argv = argv, .env = env, .folder = folder};
    int status = argv && exec_path
                     ? peri_proc_start(check->host->loop, &how, &events, run, &run->proc)
                     : PERI_ENOENT;
    if (status < 0) {
        settle(run, (peri_str){0});
        return;
    }
    peri_proc_expect(run->proc, hook->timeout_ms);
    if (peri_proc_send(run->proc, input, true) < 0) {
        kill_run(run, PERI_HOOK_NOT_STARTED, 0);
    }
}

// The hook's texts die with the permissions, which may be read anew while it runs.
static bool keep_hook(host_check *check, const peri_hook *hook) {
    peri_hook *kept = &check->hooks[check->count];
    *kept = *hook;
    kept->command = peri_arena_copy(&check->arena, hook->command);
    kept->type = peri_arena_copy(&check->arena, hook->type);
    kept->shell = peri_arena_copy(&check->arena, hook->shell);
    peri_str *args = peri_arena_zero(&check->arena, (hook->arg_count + 1) * sizeof *args);
    if (!args || !kept->type.ptr || (hook->shell.len && !kept->shell.len)) return false;
    for (size_t i = 0; i < hook->arg_count; i++) {
        args[i] = peri_arena_copy(&check->arena, hook->args[i]);
    }
    kept->args = args;
    check->asked[check->count++] = kept;
    return true;
}

static int take_hooks(host_check *check, const peri_permissions *permissions,
                      const peri_agent_request *request) {
    for (size_t i = 0; i < permissions->hook_count && !permissions->hooks_off; i++) {
        const peri_hook *hook = &permissions->hooks[i];
        if (peri_hook_wants(hook, request) && !keep_hook(check, hook)) return PERI_ENOMEM;
    }
    check->answers =
        peri_arena_zero(&check->arena, (check->count + 1) * sizeof *check->answers);
    check->runs = peri_arena_zero(&check->arena, (check->count + 1) * sizeof *check->runs);
    return check->answers && check->runs ? PERI_OK : PERI_ENOMEM;
}

static int start_hooks(host_check *check, const host_gate_question *question,
                       const peri_agent_request *request, peri_permission_mode mode) {
    const char **env = peri_arena_zero(&check->arena, ENV_MAX * sizeof *env);
    bool absolute = question->folder.len && question->folder.ptr[0] == '/';
    const char *folder = absolute ? c_str(check, "", question->folder) : NULL;
    if (folder && peri_path_type_of(folder) != PERI_PATH_FOLDER) folder = NULL;
    const char *exec =
        check->host->exec_folder.len ? c_str(check, "", check->host->exec_folder) : NULL;
    exec = exec ? c_str(check, exec, PERI_STR("perilune-exec")) : NULL;
    peri_buf input;
    peri_buf_init(&input, INPUT_MAX_BYTES);
    write_input(question, request, mode, &input);
    int status = env ? input.status : PERI_ENOMEM;
    if (status == PERI_OK) {
        make_env(check, question->folder, env);
        check->starting = true;
        for (size_t i = 0; i < check->count; i++) {
            start_run(check, i, env, folder, exec, peri_buf_str(&input));
        }
        check->starting = false;
    }
    peri_buf_deinit(&input);
    return status;
}

// ---- The question

// Steps 1 to 5; true if the hooks are to be asked.
static bool judge(host_check *check, const host_gate_question *question, peri_gate_question *to,
                  const peri_permissions **permissions) {
    const char *problem = NULL;
    int status =
        host_permissions_get(check->host->permissions, question->folder, permissions, &problem);
    if (status < 0) {
        peri_gate_fail(&check->trace, PERI_GATE_PERMISSIONS,
                       problem ? problem : peri_status_message(status));
        return false;
    }
    to->mode = question->mode_known ? question->mode : (*permissions)->mode;
    peri_gate_judge(*permissions, to, &check->trace);
    return check->trace.verdict == PERI_GATE_VERDICT_ALLOW;
}

int host_gate_ask(peri_host *host, const host_gate_question *question, host_gate_done done,
                  void *user) {
    host_check *check = calloc(1, sizeof *check);
    if (!check) return PERI_ENOMEM;
    *check = (host_check){.host = host, .done = done, .user = user};
    peri_arena_init(&check->arena, CHECK_ARENA_BYTES);
    peri_gate_question to = {
        .named = question->named,
        .tools_known = question->tools_known,
        .tools = question->tools,
        .tool_count = question->tool_count,
        .refused_tools = question->refused_tools,
        .refused_tool_count = question->refused_tool_count,
    };
    const peri_permissions *permissions = NULL;
    int status =
        peri_agent_request_make(question->name, question->type, &check->arena, &to.request);
    if (status == PERI_OK && judge(check, question, &to, &permissions)) {
        status = take_hooks(check, permissions, &to.request);
        if (status == PERI_OK) status = start_hooks(check, question, &to.request, to.mode);
    }
    if (status < 0) {
        free_check(check);
        return status;
    }
    check->next = host->checks;
    host->checks = check;
    if (check->running == 0) finish(check);
    return PERI_OK;
}

void host_gate_close(peri_host *host) {
    while (host->checks) {
        host_check *check = host->checks;
        host->checks = check->next;
        check->done(check->user, NULL);
        free_check(check);
    }
}

void host_gate_know_tools(host_gate_question *question, const host_agent_def *def) {
    if (!def) return;
    question->tools_known = def->tools_known;
    question->tools = def->tools;
    question->tool_count = def->tool_count;
    question->refused_tools = def->refused_tools;
    question->refused_tool_count = def->refused_tool_count;
}

// ---- The door

static void keep_trace(void *user, const peri_gate_trace *trace) {
    *(peri_gate_trace *)user = *trace;
}

// An observer that is none of the layers' can only be one that the agent's definition names.
static void fill_from_definition(const peri_host *host, host_gate_question *question) {
    const host_agent_def *def = host_agents_find(&host->agents, question->name);
    question->named = !peri_host_find_observer(host, question->type);
    for (size_t i = 0; def && i < def->observer_count; i++) {
        question->named |= peri_str_eq(def->observers[i], question->type);
    }
    host_gate_know_tools(question, def);
}

int peri_host_gate(peri_host *host, const peri_gate_query *query, peri_gate_trace *out) {
    HOST_CHECK(host);
    peri_str agent = peri_str_c(query->agent), type = peri_str_c(query->observer);
    host_gate_question question = {.session = PERI_STR("gate"),
                                   .agent = agent,
                                   .name = agent,
                                   .type = type,
                                   .folder = peri_str_c(query->folder)};
    if (query->mode) {
        question.mode = peri_permission_mode_find(peri_str_c(query->mode));
        question.mode_known = true;
        if (question.mode == PERI_PERMISSION_MODE_COUNT) return PERI_EINVAL;
    }
    fill_from_definition(host, &question);
    int status = host_gate_ask(host, &question, keep_trace, out);
    while (status == PERI_OK && host->checks) peri_loop_run(host->loop, 50);
    host_diags_flush(host);
    return status;
}
