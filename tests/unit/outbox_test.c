// What leaves the outbox: each delivery once, none after a stop, and seen only by its own
// nonce. The last test does everything at random and holds it to that.
#include "delivery/outbox.h"

#include "test.h"

enum { MAX_TOLD = 8192, NONCE_ROOM = PERI_FRAME_NONCE_LEN + 1 };

typedef struct told {
    char id[8], nonce[NONCE_ROOM], agent[4];
    peri_delivery_state state;
    char reason[48];
} told;

static told all[MAX_TOLD];
static size_t told_count;
static peri_outbox outbox;
static peri_random rng;
static int answer;        // of the sink
static bool draws_answer; // or drawn anew each time

static void copy(char *to, size_t room, peri_str text) {
    snprintf(to, room, "%.*s", PERI_FMT(text));
}

static void on_state(void *user, const peri_delivery *d, peri_delivery_state state,
                     peri_str reason) {
    (void)user;
    CHECK(told_count < MAX_TOLD);
    told *t = &all[told_count++];
    t->state = state;
    copy(t->id, sizeof t->id, d->id);
    copy(t->nonce, sizeof t->nonce, d->nonce);
    copy(t->agent, sizeof t->agent, d->agent);
    copy(t->reason, sizeof t->reason, reason);
}

static int sink(void *user, const peri_delivery *d) {
    (void)user;
    (void)d;
    static const int answers[] = {PERI_OK, PERI_EAGAIN, PERI_EAGAIN, PERI_EIO};
    return draws_answer ? answers[peri_random_next(&rng) % 4] : answer;
}

static void start(void) {
    told_count = 0;
    answer = PERI_OK;
    draws_answer = false;
    peri_random_seed(&rng, 7);
    peri_outbox_init(&outbox, on_state, NULL);
    outbox.sink = sink;
}

static int add(const char *id, const char *agent, peri_lane lane, uint32_t turn) {
    peri_proposal p = {.id = peri_str_c(id),
                       .observer = PERI_STR("o"),
                       .text = PERI_STR("The lock is not released."),
                       .turn = turn};
    return peri_outbox_add(&outbox, PERI_STR("s"), peri_str_c(agent), lane, &p, &rng);
}

static size_t count(const char *id, peri_delivery_state state) {
    size_t found = 0;
    for (size_t i = 0; i < told_count; i++) {
        found += all[i].state == state && strcmp(all[i].id, id) == 0;
    }
    return found;
}

static const told *last(void) {
    CHECK(told_count > 0);
    return &all[told_count - 1];
}

static size_t look(const char *agent, const char *format, const char *nonce) {
    char text[160];
    snprintf(text, sizeof text, format, nonce);
    return peri_outbox_look(&outbox, PERI_STR("s"), peri_str_c(agent), peri_str_c(text));
}

IT("PE-7 tells queued, handed, seen in this order") {
    start();
    CHECK_OK(add("a", "main", PERI_LANE_STEER, 1));
    CHECK_EQ(last()->state, PERI_DELIVERY_QUEUED);
    CHECK_EQ(peri_outbox_flush(&outbox), 0);
    CHECK_EQ(last()->state, PERI_DELIVERY_HANDED);
    char nonce[NONCE_ROOM];
    memcpy(nonce, last()->nonce, sizeof nonce);
    CHECK_EQ(look("main", "see <observer-note nonce=\"%s\" from=\"observer:o\">", nonce), 1);
    CHECK_EQ(last()->state, PERI_DELIVERY_SEEN);
    CHECK_EQ(look("main", "see <observer-note nonce=\"%s\">", nonce), 0); // once
    peri_outbox_deinit(&outbox);
}

IT("PE-7 C57 finds a frame inside JSON, and no other nonce, agent or session") {
    start();
    CHECK_OK(add("a", "main", PERI_LANE_STEER, 1));
    (void)peri_outbox_flush(&outbox);
    char nonce[NONCE_ROOM];
    memcpy(nonce, last()->nonce, sizeof nonce);
    CHECK_EQ(look("main", "<observer-note nonce=\"%s\">", "AAAAAAAA"), 0);
    CHECK_EQ(look("sub", "<observer-note nonce=\"%s\">", nonce), 0);
    CHECK_EQ(look("main", "observer-note %s", nonce), 0);
    CHECK_EQ(look("main", "<observer-note nonce=\"%.3s", nonce), 0);
    CHECK_EQ(look("main", "{\"text\":\"<observer-note nonce=\\\"%s\\\">\"}", nonce), 1);
    peri_outbox_deinit(&outbox);
}

IT("hands nothing over twice, queued or handed") {
    start();
    answer = PERI_EAGAIN;
    CHECK_OK(add("a", "main", PERI_LANE_STEER, 1));
    CHECK_EQ(add("a", "main", PERI_LANE_STEER, 1), PERI_EDUP);
    (void)peri_outbox_flush(&outbox);
    answer = PERI_OK;
    (void)peri_outbox_flush(&outbox);
    CHECK_EQ(add("a", "main", PERI_LANE_STEER, 1), PERI_EDUP);
    CHECK_OK(add("a", "sub", PERI_LANE_STEER, 1)); // another agent's is another
    (void)peri_outbox_flush(&outbox);
    CHECK_EQ(count("a", PERI_DELIVERY_HANDED), 2);
    peri_outbox_deinit(&outbox);
}

IT("PE-7 expires what waits for the agent too long, not what waits for the user") {
    start();
    answer = PERI_EAGAIN;
    CHECK_OK(add("a", "main", PERI_LANE_PROMPT, 1));
    CHECK_OK(add("b", "main", PERI_LANE_USER, 1));
    peri_outbox_age(&outbox, PERI_STR("s"), PERI_STR("main"), PERI_QUEUE_TURNS);
    CHECK_EQ(outbox.count, 2);
    peri_outbox_age(&outbox, PERI_STR("s"), PERI_STR("sub"), 100);
    CHECK_EQ(outbox.count, 2);
    peri_outbox_age(&outbox, PERI_STR("s"), PERI_STR("main"), 1 + PERI_QUEUE_TURNS);
    CHECK_EQ(outbox.count, 1);
    CHECK_EQ(strcmp(last()->id, "a"), 0);
    CHECK_EQ(strcmp(last()->reason, "it waited too long"), 0);
    peri_outbox_deinit(&outbox);
}

IT("PE-7 forgets the oldest of what was never seen, and counts it") {
    start();
    char id[8];
    for (int i = 0; i < PERI_HANDED_MAX + 3; i++) {
        snprintf(id, sizeof id, "%d", i);
        CHECK_OK(add(id, "main", PERI_LANE_STEER, 1));
        (void)peri_outbox_flush(&outbox);
    }
    CHECK_EQ(outbox.handed_count, PERI_HANDED_MAX);
    CHECK_EQ(outbox.unseen_count, PERI_HANDED_MAX);
    CHECK_EQ(outbox.lost_count, 3);
    peri_outbox_deinit(&outbox);
}

// ---- any interleaving

typedef struct fate {
    int queued, handed, seen, expired, refused;
} fate;

// Each id's states come in the one order there is; nothing is handed over that was expired.
static void check_fates(size_t ids) {
    static fate fates[2][1000];
    memset(fates, 0, sizeof fates);
    for (size_t i = 0; i < told_count; i++) {
        const told *t = &all[i];
        fate *f = &fates[strcmp(t->agent, "b") == 0][atoi(t->id)];
        switch (t->state) {
        case PERI_DELIVERY_QUEUED:
            f->queued++;
            break;
        case PERI_DELIVERY_HANDED:
            CHECK(f->queued == f->handed + f->expired + 1);
            f->handed++;
            break;
        case PERI_DELIVERY_SEEN:
            CHECK(f->handed == f->seen + 1);
            f->seen++;
            break;
        case PERI_DELIVERY_EXPIRED:
            if (strcmp(t->reason, "delivered already") != 0) f->expired++;
            break;
        default:
            CHECK(false);
        }
    }
    for (size_t i = 0; i < 2 * ids; i++) CHECK(fates[i % 2][i / 2].handed <= 1);
}

// Since the last stop of an agent nothing that was queued before it may be handed over.
static void check_stop(size_t from, size_t upto, const char *agent) {
    for (size_t i = 0; i < upto; i++) {
        if (all[i].state != PERI_DELIVERY_QUEUED || strcmp(all[i].agent, agent) != 0) continue;
        for (size_t k = from; k < told_count; k++) {
            CHECK(all[k].state != PERI_DELIVERY_HANDED ||
                  strcmp(all[k].nonce, all[i].nonce) != 0);
        }
    }
}

static void random_step(size_t ids, uint32_t *turn, size_t *stopped_at) {
    static const char *const agents[] = {"a", "b"};
    const char *agent = agents[peri_random_next(&rng) % 2];
    char id[8];
    snprintf(id, sizeof id, "%d", (int)(peri_random_next(&rng) % ids));
    switch (peri_random_next(&rng) % 12) {
    case 0:
        peri_outbox_expire(&outbox, PERI_STR("s"), peri_str_c(agent), "the user stopped it");
        stopped_at[agent[0] - 'a'] = told_count;
        break;
    case 1:
        peri_outbox_age(&outbox, PERI_STR("s"), peri_str_c(agent), ++*turn);
        break;
    case 2:
    case 3:
        if (told_count) {
            const told *t = &all[peri_random_next(&rng) % told_count];
            (void)look(t->agent, "<observer-note nonce=\"%s\">", t->nonce);
        }
        break;
    case 4:
    case 5:
    case 6:
        (void)peri_outbox_flush(&outbox);
        break;
    default:
        (void)!add(id, agent, (peri_lane)(peri_random_next(&rng) % PERI_LANE_COUNT), *turn);
    }
}

IT("PI-8 C56 hands nothing over twice nor after a stop, in any interleaving") {
    enum { RUNS = 200, STEPS = 400, IDS = 1000 };
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        start();
        draws_answer = true;
        peri_random_seed(&rng, seed);
        uint32_t turn = 1;
        size_t stopped_at[2] = {0};
        for (int i = 0; i < STEPS; i++) {
            random_step(IDS, &turn, stopped_at);
            CHECK(outbox.count <= PERI_OUTBOX_MAX && outbox.handed_count <= PERI_HANDED_MAX);
        }
        check_fates(IDS);
        check_stop(stopped_at[0], stopped_at[0], "a");
        check_stop(stopped_at[1], stopped_at[1], "b");
        peri_outbox_deinit(&outbox);
    }
}

TEST_MAIN
