// Two hosts in one process, the way an embedder may treat them (case C68): another's locale, a
// foreign thread, SIGCHLD ignored, one ended while its work is due.
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "hosting.h"

static hosting a, b;

static const char probe[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise' },\n"
    "  observe = function(turn, ctx)\n"
    "    ctx.state.n = (ctx.state.n or 0) + 0.5\n"
    "    return { advise = 'half steps so far: ' .. ctx.state.n .. ' of them', fingerprint = "
    "'f' .. ctx.state.n, data = { part = 0.25 } }\n"
    "  end }\n";

static const char turn[] = "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"
                           "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"done\"}\n"
                           "{\"session\":\"s\",\"kind\":\"turn_ended\"}\n";

IT("C68 two hosts know nothing of each other") {
    hosting_open(&a, PERI_MODE_REPLAY, probe);
    hosting_open(&b, PERI_MODE_REPLAY, probe);
    peri_source *of_a = hosting_stream(&a, "activity"), *of_b = hosting_stream(&b, "activity");
    hosting_feed(&a, of_a, peri_str_c(turn));
    hosting_feed(&a, of_a, peri_str_c(turn));
    hosting_feed(&b, of_b, peri_str_c(turn));
    CHECK_EQ(hosting_count(&a, "proposals"), 2);
    CHECK_EQ(hosting_count(&b, "proposals"), 1);
    CHECK_EQ(times(peri_buf_str(&b.records), "\"fingerprint\":\"f0.5\""), 1);
    hosting_close(&a);
    hosting_feed(&b, of_b, peri_str_c(turn)); // ended while the other lives on
    CHECK_EQ(times(peri_buf_str(&b.records), "\"fingerprint\":\"f1\""), 1);
    hosting_close(&b);
}

IT("C68 the same input gives both the same bytes") {
    hosting_open(&a, PERI_MODE_REPLAY, probe);
    hosting_open(&b, PERI_MODE_REPLAY, probe);
    peri_source *of_a = hosting_stream(&a, "activity"), *of_b = hosting_stream(&b, "activity");
    for (size_t i = 0; i < sizeof turn - 1; i++) { // byte by byte, in turns
        size_t used;
        CHECK_OK(peri_source_feed(of_a, turn + i, 1, &used));
        CHECK_OK(peri_source_feed(of_b, turn + i, 1, &used));
        (void)!peri_host_step(a.host, 0);
        (void)!peri_host_step(b.host, 0);
    }
    hosting_settle(&a);
    hosting_settle(&b);
    hosting_finish(&a);
    hosting_finish(&b);
    peri_str one = peri_buf_str(&a.records), two = peri_buf_str(&b.records);
    size_t from_one = peri_str_find(one, PERI_STR("{\"record\":\"observation\""));
    size_t from_two = peri_str_find(two, PERI_STR("{\"record\":\"observation\""));
    CHECK(peri_str_eq(peri_str_sub(one, from_one, one.len),
                      peri_str_sub(two, from_two, two.len)));
    hosting_close(&a);
    hosting_close(&b);
}

IT("C68 a host ends at once while much is due, and the other goes on") {
    hosting_open(&a, PERI_MODE_LIVE, probe);
    hosting_open(&b, PERI_MODE_LIVE, probe);
    peri_source *source = hosting_stream(&a, "activity");
    for (int i = 0; i < 2000; i++) {
        size_t used;
        CHECK_OK(peri_source_feed(source, turn, sizeof turn - 1, &used));
    }
    for (int i = 0; i < 50; i++) CHECK_EQ(peri_host_step(a.host, 0), 1);
    size_t read = a.record_count[PERI_RECORD_OBSERVATION];
    hosting_close(&a);
    CHECK_EQ(a.record_count[PERI_RECORD_OBSERVATION], read); // it works off nothing of it
    hosting_feed(&b, hosting_stream(&b, "activity"), peri_str_c(turn));
    CHECK_EQ(hosting_count(&b, "proposals"), 1);
    hosting_close(&b);
}

static peri_source *shared_source;
static int answers[8];
static size_t used_by_thread = 77;

static void *meddle(void *user) {
    peri_host *host = user;
    peri_source *source = NULL;
    peri_str status;
    answers[0] = peri_host_step(host, 0);
    answers[1] = peri_source_feed(shared_source, "{", 1, &used_by_thread);
    answers[2] = peri_source_end(shared_source);
    answers[3] = peri_host_open_stream(host, NULL, NULL, &source);
    answers[4] = peri_host_open_path(host, "/", NULL);
    answers[5] = peri_host_subscribe(host, hosting_record, NULL);
    answers[6] = peri_host_status_json(host, &status);
    answers[7] = peri_host_finish(host);
    peri_host_set_sink(host, NULL, NULL);
    peri_host_free(host); // does nothing from here
    return NULL;
}

IT("C68 calls from another thread are refused and change nothing") {
    hosting_open(&a, PERI_MODE_LIVE, probe);
    shared_source = hosting_stream(&a, "activity");
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, meddle, a.host), 0);
    pthread_join(thread, NULL);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        CHECK_EQ(answers[i], PERI_ESTATE);
    CHECK_EQ(used_by_thread, 77);
    hosting_feed(&a, shared_source, peri_str_c(turn));
    CHECK_EQ(hosting_count(&a, "proposals"), 1);
    CHECK(a.deliveries.len > 0); // the sink is still there
    hosting_close(&a);
}

static void *live(void *user) {
    hosting *h = user;
    hosting_open(h, PERI_MODE_LIVE, probe);
    peri_source *source = hosting_stream(h, "activity");
    for (int i = 0; i < 20; i++) hosting_feed(h, source, peri_str_c(turn));
    h->sink_answer = (int)hosting_count(h, "proposals");
    peri_host_free(h->host);
    h->host = NULL;
    return NULL;
}

IT("C68 eight threads may run a host each") {
    static hosting all[8];
    pthread_t threads[8];
    for (size_t i = 0; i < 8; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, live, &all[i]), 0);
    for (size_t i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQ(all[i].sink_answer, 20);
        hosting_close(&all[i]);
    }
}

IT("C68 installs no signal handler and leaves the embedder's children and locale alone") {
    static const int numbers[] = {SIGPIPE, SIGCHLD, SIGALRM, SIGINT, SIGTERM, SIGHUP};
    signal(SIGCHLD, SIG_IGN);
    hosting_open(&a, PERI_MODE_LIVE, probe);
    hosting_feed(&a, hosting_stream(&a, "activity"), peri_str_c(turn));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction now;
        CHECK_EQ(sigaction(numbers[i], NULL, &now), 0);
        CHECK(now.sa_handler == (numbers[i] == SIGCHLD ? SIG_IGN : SIG_DFL));
    }
    hosting_close(&a);
    signal(SIGCHLD, SIG_DFL);
}

IT("C68 reads and writes numbers with a point under a locale that has a comma") {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                        "ru_RU.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) {
        found = setlocale(LC_ALL, names[i]);
    }
    hosting_open(&a, PERI_MODE_REPLAY, probe);
    hosting_feed(&a, hosting_stream(&a, "activity"), peri_str_c(turn));
    CHECK_HAS(peri_buf_str(&a.records), "so far: 0.5 of");
    CHECK_EQ(times(peri_buf_str(&a.records), "0,5"), 0);
    hosting_close(&a);
    if (found) setlocale(LC_ALL, "C");
}

IT("C68 a child of fork() may end without the host") {
    hosting_open(&a, PERI_MODE_LIVE, probe);
    pid_t child = fork();
    if (child == 0) _exit(7);
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(WEXITSTATUS(status), 7);
    hosting_feed(&a, hosting_stream(&a, "activity"), peri_str_c(turn));
    CHECK_EQ(hosting_count(&a, "proposals"), 1);
    hosting_close(&a);
}

TEST_MAIN
