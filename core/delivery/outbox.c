// The outbox of outbox.h: two lists in order, what is queued and what was handed over; each
// entry is one block that owns its texts and moves from the one to the other.
#include "delivery/outbox_internal.h"

#include <stdlib.h>

struct peri_outbox_entry {
    peri_outbox_entry *next;
    uint32_t turn; // of its proposal
    bool to_user, holds, seen, overdue;
    peri_delivery delivery; // its texts point into `bytes`
    char bytes[];
};

static const peri_str state_words[] = {
#define STATE_WORD(name, text) [PERI_DELIVERY_##name] = {text, sizeof(text) - 1},
    PERI_DELIVERY_STATE_LIST(STATE_WORD)
#undef STATE_WORD
};

peri_str peri_delivery_state_word(peri_delivery_state state) {
    return state_words[state];
}

void peri_outbox_init(peri_outbox *outbox,
                      void (*on_state)(void *, const peri_delivery *, peri_delivery_state,
                                       peri_str),
                      void *user) {
    *outbox = (peri_outbox){.on_state = on_state, .user = user};
    outbox->last = &outbox->first;
    outbox->handed_last = &outbox->handed;
}

static void free_list(peri_outbox_entry *first) {
    while (first) {
        peri_outbox_entry *entry = first;
        first = entry->next;
        free(entry);
    }
}

void peri_outbox_deinit(peri_outbox *outbox) {
    free_list(outbox->first);
    free_list(outbox->handed);
    peri_outbox_init(outbox, outbox->on_state, outbox->user);
}

static bool is_of(const peri_delivery *d, peri_str session, peri_str agent) {
    return (!session.ptr || peri_str_eq(d->session, session)) &&
           (!agent.ptr || peri_str_eq(d->agent, agent));
}

static bool holds(const peri_outbox_entry *list, const peri_delivery *d) {
    for (; list; list = list->next) {
        if (peri_str_eq(list->delivery.id, d->id) &&
            is_of(&list->delivery, d->session, d->agent))
            return true;
    }
    return false;
}

static peri_str keep(char **room, peri_str text) {
    peri_str copy = {*room, text.len};
    if (text.len) memcpy(*room, text.ptr, text.len);
    *room += text.len;
    return copy;
}

static peri_outbox_entry *make_entry(const peri_delivery *d) {
    size_t bytes = d->id.len + d->session.len + d->agent.len + d->observer.len + d->lane.len +
                   d->text.len + d->nonce.len + d->origin.len;
    peri_outbox_entry *entry = malloc(sizeof *entry + bytes);
    if (!entry) return NULL;
    char *room = entry->bytes;
    entry->next = NULL;
    entry->delivery = (peri_delivery){
        .struct_size = sizeof(peri_delivery),
        .id = keep(&room, d->id),
        .session = keep(&room, d->session),
        .agent = keep(&room, d->agent),
        .observer = keep(&room, d->observer),
        .lane = keep(&room, d->lane),
        .text = keep(&room, d->text),
        .nonce = keep(&room, d->nonce),
        .origin = keep(&room, d->origin),
        .priority = d->priority,
        .is_meta = d->is_meta,
    };
    return entry;
}

static int expire(peri_outbox *outbox, const peri_delivery *delivery, int status,
                  const char *reason) {
    outbox->on_state(outbox->user, delivery, PERI_DELIVERY_EXPIRED, peri_str_c(reason));
    return status;
}

static peri_outbox_entry *unlink_entry(peri_outbox *outbox, peri_outbox_entry **at) {
    peri_outbox_entry *entry = *at;
    *at = entry->next;
    if (!*at) outbox->last = at;
    outbox->count--;
    return entry;
}

static void expire_oldest(peri_outbox *outbox) {
    peri_outbox_entry *entry = unlink_entry(outbox, &outbox->first);
    (void)expire(outbox, &entry->delivery, PERI_OK, "too many deliveries are waiting");
    free(entry);
}

static int queue(peri_outbox *outbox, const peri_delivery *delivery, uint32_t turn) {
    if (!outbox->sink) {
        outbox->on_state(outbox->user, delivery, PERI_DELIVERY_WOULD_DELIVER, (peri_str){0});
        return PERI_OK;
    }
    if (holds(outbox->first, delivery) || holds(outbox->handed, delivery)) {
        return expire(outbox, delivery, PERI_EDUP, "delivered already");
    }
    peri_outbox_entry *entry = make_entry(delivery);
    if (!entry) return expire(outbox, delivery, PERI_ENOMEM, "out of memory");
    if (outbox->count == PERI_OUTBOX_MAX) expire_oldest(outbox);
    entry->turn = turn;
    entry->seen = entry->overdue = false;
    entry->to_user = peri_str_eq(entry->delivery.lane, peri_lane_word(PERI_LANE_USER));
    entry->holds = peri_str_eq(entry->delivery.lane, peri_lane_word(PERI_LANE_HOLD));
    *outbox->last = entry;
    outbox->last = &entry->next;
    outbox->count++;
    outbox->on_state(outbox->user, &entry->delivery, PERI_DELIVERY_QUEUED, (peri_str){0});
    return PERI_OK;
}

// A delivery in the making, with the room of its texts.
typedef struct framed {
    char nonce[PERI_FRAME_NONCE_LEN];
    peri_buf frame, origin;
    peri_delivery delivery;
} framed;

static void frame_init(framed *f, peri_str session, peri_str agent, peri_lane lane,
                       const peri_proposal *proposal, peri_random *random) {
    peri_random_token(random, f->nonce, sizeof f->nonce);
    peri_str nonce = peri_str_of(f->nonce, sizeof f->nonce);
    peri_buf_init(&f->frame, 64 * 1024);
    peri_buf_init(&f->origin, 1024);
    peri_buf_addf(&f->origin, "observer:%.*s", PERI_FMT(proposal->observer));
    peri_delivery_frame(&f->frame, proposal, nonce);
    f->delivery = (peri_delivery){
        .struct_size = sizeof(peri_delivery),
        .id = proposal->id,
        .session = session,
        .agent = agent,
        .observer = proposal->observer,
        .lane = peri_lane_word(lane),
        .text = peri_buf_str(&f->frame),
        .nonce = nonce,
        .origin = peri_buf_str(&f->origin),
        .priority = PERI_STR("next"),
        .is_meta = true,
    };
}

static void frame_deinit(framed *f) {
    peri_buf_deinit(&f->frame);
    peri_buf_deinit(&f->origin);
}

int peri_outbox_add(peri_outbox *outbox, peri_str session, peri_str agent, peri_lane lane,
                    const peri_proposal *proposal, peri_random *random) {
    framed f;
    frame_init(&f, session, agent, lane, proposal, random);
    int status = f.frame.status;
    status = status < 0 ? expire(outbox, &f.delivery, status, peri_status_message(status))
                        : queue(outbox, &f.delivery, proposal->turn);
    frame_deinit(&f);
    return status;
}

void peri_outbox_show(peri_outbox *outbox, peri_str session, peri_str agent, peri_lane lane,
                      const peri_proposal *proposal, peri_random *random, const char *reason) {
    framed f;
    frame_init(&f, session, agent, lane, proposal, random);
    outbox->on_state(outbox->user, &f.delivery, PERI_DELIVERY_WOULD_DELIVER,
                     peri_str_c(reason));
    frame_deinit(&f);
}

// What only the user is shown never stands in the agent's stream.
static bool is_awaited(const peri_outbox_entry *entry) {
    return !entry->seen && !entry->to_user;
}

static void forget_oldest(peri_outbox *outbox) {
    peri_outbox_entry *entry = outbox->handed;
    outbox->handed = entry->next;
    if (!entry->next) outbox->handed_last = &outbox->handed;
    outbox->handed_count--;
    outbox->lost_count += is_awaited(entry);
    outbox->unseen_count -= is_awaited(entry);
    outbox->overdue_count -= entry->overdue;
    free(entry);
}

static void watch_for(peri_outbox *outbox, peri_outbox_entry *entry) {
    if (outbox->handed_count == PERI_HANDED_MAX) forget_oldest(outbox);
    entry->next = NULL;
    *outbox->handed_last = entry;
    outbox->handed_last = &entry->next;
    outbox->handed_count++;
    outbox->unseen_count += is_awaited(entry);
}

size_t peri_outbox_flush(peri_outbox *outbox) {
    for (peri_outbox_entry **at = &outbox->first; *at && outbox->sink;) {
        peri_delivery *delivery = &(*at)->delivery;
        int status = outbox->before ? outbox->before(outbox->user, delivery) : PERI_OK;
        bool asked = status == PERI_OK;
        if (asked) status = outbox->sink(outbox->sink_user, delivery);
        if (status == PERI_EAGAIN) {
            if (asked && outbox->kept) outbox->kept(outbox->user, delivery);
            at = &(*at)->next;
            continue;
        }
        bool handed = status >= 0;
        outbox->on_state(outbox->user, delivery,
                         handed ? PERI_DELIVERY_HANDED : PERI_DELIVERY_EXPIRED,
                         handed ? (peri_str){0} : peri_str_c(peri_status_message(status)));
        peri_outbox_entry *entry = unlink_entry(outbox, at);
        if (handed) {
            watch_for(outbox, entry);
        } else {
            free(entry);
        }
    }
    return outbox->count;
}

void peri_outbox_expire(peri_outbox *outbox, peri_str session, peri_str agent,
                        const char *reason) {
    for (peri_outbox_entry **at = &outbox->first; *at;) {
        if (!is_of(&(*at)->delivery, session, agent)) {
            at = &(*at)->next;
            continue;
        }
        peri_outbox_entry *entry = unlink_entry(outbox, at);
        (void)expire(outbox, &entry->delivery, PERI_OK, reason);
        free(entry);
    }
}

static void age_handed(peri_outbox *outbox, peri_str session, peri_str agent, uint32_t turn) {
    for (peri_outbox_entry *entry = outbox->handed; entry; entry = entry->next) {
        bool due =
            is_awaited(entry) && !entry->overdue && turn >= entry->turn + PERI_UNSEEN_TURNS;
        if (!due || !is_of(&entry->delivery, session, agent)) continue;
        entry->overdue = true;
        outbox->overdue_count++;
    }
}

void peri_outbox_expire_if(peri_outbox *outbox,
                           bool (*is_over)(void *user, const peri_delivery *delivery),
                           void *user, const char *reason) {
    for (peri_outbox_entry **at = &outbox->first; *at;) {
        if (!is_over(user, &(*at)->delivery)) {
            at = &(*at)->next;
            continue;
        }
        peri_outbox_entry *entry = unlink_entry(outbox, at);
        (void)expire(outbox, &entry->delivery, PERI_OK, reason);
        free(entry);
    }
}

void peri_outbox_age(peri_outbox *outbox, peri_str session, peri_str agent, uint32_t turn) {
    age_handed(outbox, session, agent, turn);
    for (peri_outbox_entry **at = &outbox->first; *at;) {
        uint32_t most = (*at)->holds ? 1 : PERI_QUEUE_TURNS; // a stop that is over holds nobody
        bool old = !(*at)->to_user && turn >= (*at)->turn + most;
        if (!old || !is_of(&(*at)->delivery, session, agent)) {
            at = &(*at)->next;
            continue;
        }
        peri_outbox_entry *entry = unlink_entry(outbox, at);
        (void)expire(outbox, &entry->delivery, PERI_OK, "it waited too long");
        free(entry);
    }
}

// Marks the delivery whose nonce stands at the start of `text`.
static size_t see(peri_outbox *outbox, peri_str session, peri_str agent, peri_str text) {
    for (peri_outbox_entry *entry = outbox->handed; entry; entry = entry->next) {
        const peri_delivery *d = &entry->delivery;
        if (!is_awaited(entry) || !peri_str_starts(text, d->nonce) || !is_of(d, session, agent))
            continue;
        entry->seen = true;
        outbox->unseen_count--;
        outbox->overdue_count -= entry->overdue;
        entry->overdue = false;
        outbox->on_state(outbox->user, d, PERI_DELIVERY_SEEN, (peri_str){0});
        return 1;
    }
    return 0;
}

// The frame may stand inside JSON, where its quotes are escaped.
size_t peri_outbox_look(peri_outbox *outbox, peri_str session, peri_str agent, peri_str text) {
    size_t seen = 0;
    for (size_t at;
         outbox->unseen_count && (at = peri_str_find(text, peri__frame_tag)) != PERI_NPOS;) {
        text = peri_str_sub(text, at + peri__frame_tag.len, text.len);
        if (!peri_str_starts(text, PERI_STR(" nonce="))) continue;
        text = peri_str_sub(text, 7, text.len);
        while (text.len && (text.ptr[0] == '\\' || text.ptr[0] == '"')) {
            text = peri_str_sub(text, 1, text.len);
        }
        seen += see(outbox, session, agent, text);
    }
    return seen;
}
