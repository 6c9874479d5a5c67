// Observers that are programs: what one line each way makes of a run, what a child is kept for,
// and that a failing one fails alone.
#include "command_rig.h"
#include "scratch.h"

#define LOOP(body) "while IFS= read -r line; do " body "; done"

static void expect(const char *script, bool once, peri_run_state state, const char *error) {
    rig *r = rig_new(0);
    rig_script(r, script);
    r->observer.once = once;
    peri_run_result result = rig_run(r);
    if (result.state != state) {
        TEST_FAIL("%s: %.*s (%.*s)", script, PERI_FMT(peri_run_state_word(result.state)),
                  PERI_FMT(result.error));
    }
    if (error) CHECK_HAS(result.error, error);
    rig_free(r);
}

IT("hands over a proposal and the state") {
    rig *r = rig_new(0);
    rig_script(r, LOOP("echo '{\"advise\":\"look\",\"fingerprint\":\"f\",\"evidence\":[2,4],"
                       "\"state\":{\"n\":1}}'"));
    peri_run_result result = rig_run(r);
    CHECK_EQ(result.state, PERI_RUN_PROPOSED);
    CHECK_STR(result.draft.advise, "look");
    CHECK_EQ(result.draft.evidence_count, 2);
    CHECK_EQ(result.draft.evidence[1], 4);
    CHECK_STR(result.saved_state, "{\"n\":1}");
    rig_free(r);
}

IT("takes an empty line, an empty object and null for silence") {
    expect(LOOP("echo"), false, PERI_RUN_SILENT, NULL);
    expect(LOOP("echo '{}'"), false, PERI_RUN_SILENT, NULL);
    expect(LOOP("echo null"), false, PERI_RUN_SILENT, NULL);
    expect("cat >/dev/null", true, PERI_RUN_SILENT, NULL);
}

IT("shows the command the digest, the turn and its items") {
    expect(LOOP("case $line in *'\"digest\":\"what happened\"'*'\"trigger\":\"turn_end\"'*"
                "'\"input\":{\"command\":\"make test\"}'*) echo '{\"skipped\":true}';; "
                "*) echo '{\"failed\":\"not there\"}';; esac"),
           false, PERI_RUN_SKIPPED, NULL);
}

IT("keeps a child between runs, and a second observer of the same command shares it") {
    rig *r = rig_new(0);
    rig_script(r, "n=0; " LOOP("n=$((n+1)); echo '{\"advise\":\"'$n'\"}'"));
    CHECK_STR(rig_run(r).draft.advise, "1");
    CHECK_STR(rig_run(r).draft.advise, "2");
    peri_observer other = r->observer;
    other.name = PERI_STR("p");
    r->request.observer = &other;
    CHECK_STR(rig_run(r).draft.advise, "3");
    CHECK_EQ(peri_commands_children(r->commands), 1);
    rig_free(r);
}

IT("keeps no child for a definition that names other variables or another folder") {
    setenv("PERI_TEST_NAMED", "yes", 1);
    rig *r = rig_new(0);
    rig_script(r, "n=0; " LOOP("n=$((n+1)); echo '{\"advise\":\"'$n$PWD$PERI_TEST_NAMED'\"}'"));
    r->observer.folder = PERI_STR("/");
    CHECK_STR(rig_run(r).draft.advise, "1/");
    peri_str named = PERI_STR("PERI_TEST_NAMED");
    peri_observer with_variable = r->observer, elsewhere = r->observer;
    with_variable.env = &named;
    with_variable.env_count = 1;
    elsewhere.folder = PERI_STR("/tmp");
    r->request.observer = &with_variable;
    CHECK_STR(rig_run(r).draft.advise, "1/yes");
    r->request.observer = &elsewhere;
    CHECK_STR(rig_run(r).draft.advise, "1/tmp");
    r->request.observer = &r->observer;
    CHECK_STR(rig_run(r).draft.advise, "2/");
    CHECK_EQ(peri_commands_children(r->commands), 3);
    rig_free(r);
}

IT("starts a command that wants it once for each run") {
    rig *r = rig_new(0);
    rig_script(r, "wc -l; sleep 0; exit 0");
    r->observer.once = true;
    peri_run_result result = rig_run(r); // `wc` says 1, which is no answer: it had one line
    CHECK_HAS(result.error, "neither an object nor null");
    rig_wait_for_end(r);
    rig_free(r);
}

IT("gives the next run a new child when a program answers once and ends") {
    rig *r = rig_new(0);
    rig_script(r, "read -r line; echo '{\"advise\":\"'$$'\"}'");
    for (int i = 0; i < 20; i++) CHECK_EQ(rig_run(r).state, PERI_RUN_PROPOSED);
    rig_free(r);
}

IT("C31 names the cause of every way of not answering") {
    expect("exit 7", false, PERI_RUN_FAILED, "exit code 7");
    expect("kill -SEGV $$", false, PERI_RUN_FAILED, "signal 11 ended it");
    expect("sh -c 'kill -SEGV $$'; exit $?", false, PERI_RUN_FAILED,
           "exit code 139 (signal 11)");
    expect("exit 0", false, PERI_RUN_FAILED, "it ended without an answer");
    expect("echo profile loaded; sleep 9", false, PERI_RUN_FAILED,
           "not one JSON value: \"profile loaded\"");
    expect("printf '{\"veto\":\"no'", false, PERI_RUN_FAILED, "not one JSON value");
    expect("echo '{\"verdict\":\"alow\"}'", false, PERI_RUN_FAILED, "unknown key \"verdict\"");
    expect("echo oops >&2; exit 1", false, PERI_RUN_FAILED, "exit code 1; stderr: oops");
    expect(LOOP("printf '{}\\n{}\\n'"), false, PERI_RUN_FAILED, "more than one line");
}

IT("C31 says that a program does not exist") {
    rig *r = rig_new(0);
    r->words[0] = PERI_STR("/no/such/program");
    r->observer.command_count = 1;
    peri_run_result result = rig_run(r);
    CHECK_EQ(result.state, PERI_RUN_FAILED);
    CHECK_HAS(result.error, "/no/such/program cannot be started: No such file");
    rig_free(r);
}

IT("ends a run at its deadline and starts anew for the next") {
    rig *r = rig_new(0);
    rig_script(r, "read -r line; case $line in *'\"run\":1,'*) sleep 300;; esac; echo '{}'");
    r->observer.timeout_ms = 100;
    peri_run_result result = rig_run(r);
    CHECK_EQ(result.state, PERI_RUN_TIMEOUT);
    CHECK_HAS(result.error, "no answer within 100 ms");
    r->observer.timeout_ms = RIG_PATIENCE_MS;
    CHECK_EQ(rig_run(r).state, PERI_RUN_SILENT);
    rig_free(r);
}

IT("takes an answer given in time, though the host looks after the deadline") {
    rig *r = rig_new(0);
    char script[256], done[] = "/tmp/perilune-answered-XXXXXX";
    int fd = mkstemp(done);
    CHECK(fd >= 0);
    close(fd);
    snprintf(script, sizeof script, "read -r line; echo '{}'; rm %s; sleep 30", done);
    rig_script(r, script);
    r->observer.timeout_ms = 50;
    rig_start(r);
    while (access(done, F_OK) == 0)
        usleep(1000); // the host stands still, as one that was stopped
    usleep(100000);
    rig_wait(r, 1);
    CHECK_EQ(r->result.state, PERI_RUN_SILENT);
    rig_free(r);
}

IT("takes no late line of an idle child for the answer to the next run") {
    rig *r = rig_new(0);
    scratch folder;
    scratch_open(&folder);
    r->observer.folder = peri_str_c(folder.root);
    rig_script(r, LOOP("echo '{}'; (until [ -e go ]; do sleep 0.01; done; "
                       "echo '{\"advise\":\"late\"}') & :"));
    CHECK_EQ(rig_run(r).state, PERI_RUN_SILENT);
    scratch_write(&folder, "go", "");
    rig_wait_for_end(r);
    CHECK_EQ(unlink(scratch_path(&folder, "go")), 0);
    peri_run_result result = rig_run(r);
    CHECK_STR(result.error, "");
    CHECK_EQ(result.state, PERI_RUN_SILENT);
    rig_free(r);
    scratch_close(&folder);
}

IT("runs at most as many children as it may, and makes room for another command") {
    rig *r = rig_new(2);
    rig_script(r, LOOP("sleep 0.05; echo '{}'"));
    for (int i = 0; i < 6; i++) rig_start(r);
    rig_wait(r, 6);
    CHECK_EQ(r->most_children, 2);
    peri_str words[] = {PERI_STR("sh"), PERI_STR("-c"),
                        PERI_STR("read -r line; echo '{\"advise\":\"other\"}'")};
    peri_observer other = r->observer;
    other.command = words;
    r->request.observer = &other;
    CHECK_STR(rig_run(r).draft.advise, "other");
    CHECK_EQ(r->most_children, 2);
    rig_free(r);
}

IT("lets so many runs wait for a child and no more") {
    rig *r = rig_new(1);
    rig_script(r, "sleep 30");
    for (int i = 0; i < 1 + PERI_COMMAND_MAX_WAITING; i++) rig_start(r); // one has the child
    CHECK_EQ(r->done, 0);
    rig_start(r);
    CHECK_EQ(r->done, 1);
    CHECK_EQ(r->result.state, PERI_RUN_FAILED);
    CHECK_STR(r->result.error, "too many runs wait for a child");
    rig_free(r);
}

IT("lets what idles for an observer go") {
    rig *r = rig_new(0);
    rig_script(r, LOOP("echo '{}'"));
    rig_run(r);
    CHECK_EQ(peri_commands_children(r->commands), 1);
    r->runtime.rest(r->runtime.user, &r->observer);
    rig_wait_for_end(r);
    rig_free(r);
}

IT("abandons a run at once and kills its child, which says nothing more") {
    rig *r = rig_new(0);
    rig_script(r, "sleep 600");
    rig_start(r);
    r->runtime.abandon(r->runtime.user);
    rig_wait(r, 1);
    CHECK_EQ(r->result.state, PERI_RUN_ABANDONED);
    rig_wait_for_end(r);
    rig_free(r);
}

IT("shows a child the usual environment and what its definition names, nothing else") {
    setenv("PERI_TEST_NAMED", "yes", 1);
    setenv("PERI_TEST_HIDDEN", "no", 1);
    rig *r = rig_new(0);
    peri_str named = PERI_STR("PERI_TEST_NAMED");
    rig_script(r,
               LOOP("echo '{\"advise\":\"'$PERI_TEST_NAMED.$PERI_TEST_HIDDEN.${PATH:+p}'\"}'"));
    r->observer.env = &named;
    r->observer.env_count = 1;
    CHECK_STR(rig_run(r).draft.advise, "yes..p");
    rig_free(r);
}

IT("C26 tells an agent that a command starts that nobody is to observe it") {
    rig *r = rig_new(0);
    rig_script(r, LOOP("echo '{\"advise\":\"'$PERILUNE_OBSERVERS'\"}'"));
    setenv("PERILUNE_OBSERVERS", "1", 1);
    CHECK_STR(rig_run(r).draft.advise, "0");
    unsetenv("PERILUNE_OBSERVERS");
    rig_free(r);
}

IT("runs a child in its definition's folder") {
    rig *r = rig_new(0);
    rig_script(r, LOOP("echo '{\"advise\":\"'$PWD'\"}'"));
    r->observer.folder = PERI_STR("/");
    CHECK_STR(rig_run(r).draft.advise, "/");
    rig_free(r);
}

IT("ends as no-runtime without perilune-exec") {
    peri_commands *commands;
    rig *r = rig_new(0);
    CHECK_OK(peri_commands_new(&(peri_commands_options){.loop = r->loop}, &commands));
    peri_runtime runtime = peri_commands_runtime(commands);
    runtime.start(runtime.user, &r->request, &r->arena, rig_done, r);
    CHECK_EQ(r->result.state, PERI_RUN_NO_RUNTIME);
    peri_commands_free(commands);
    rig_free(r);
}

IT("C68 forgets runs in flight and their children when it is freed, and waits for no answer") {
    rig *r = rig_new(4);
    rig_script(r, "sleep 300");
    for (int i = 0; i < 8; i++) rig_start(r);
    peri_loop_run(r->loop, 50);
    int64_t start_ms = rig_now_ms();
    rig_free(r);
    CHECK(rig_now_ms() - start_ms < RIG_PATIENCE_MS);
}

TEST_MAIN
