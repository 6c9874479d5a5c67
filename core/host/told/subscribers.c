// Who hears the records. Each subscriber is on its own: one that is busy gets a bounded queue,
// one that fails loses what it failed on, and neither delays the others or the agent. What was
// dropped is counted by reason.
#include <stdlib.h>

#include "host/told/told.h"

enum { QUEUE_RECORDS = 4096, QUEUE_BYTES = 4 * 1024 * 1024, RETRY_MS = 50 };

// A record that waits, with its texts behind it.
struct host_queued {
    struct host_queued *next;
    size_t bytes;
    peri_record record;
    char texts[];
};

// Every text of a record, by its place.
#define AT(field) offsetof(peri_record, field)
static const size_t record_texts[] = {
    AT(session), AT(agent),  AT(id),       AT(observer),    AT(state), AT(text),    AT(reason),
    AT(lane),    AT(policy), AT(severity), AT(fingerprint), AT(name),  AT(call_id), AT(nonce),
    AT(hash),    AT(file),   AT(trigger),  AT(json),        AT(event),
};
#undef AT

enum { TEXT_COUNT = sizeof record_texts / sizeof record_texts[0] };

static peri_str *text_of(peri_record *record, size_t i) {
    return (peri_str *)(void *)((char *)record + record_texts[i]);
}

static size_t bytes_of(peri_record *record) {
    size_t bytes = sizeof(struct host_queued);
    for (size_t i = 0; i < TEXT_COUNT; i++) bytes += text_of(record, i)->len;
    return bytes;
}

static struct host_queued *copy_of(const peri_record *record, size_t bytes) {
    struct host_queued *copy = malloc(bytes);
    if (!copy) return NULL;
    *copy = (struct host_queued){.bytes = bytes, .record = *record};
    char *to = copy->texts;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        peri_str *text = text_of(&copy->record, i);
        if (!text->len) continue;
        memcpy(to, text->ptr, text->len);
        text->ptr = to;
        to += text->len;
    }
    return copy;
}

static void enqueue(host_subscriber *s, const peri_record *record) {
    peri_record plain = *record;
    size_t bytes = bytes_of(&plain);
    if (s->queued == QUEUE_RECORDS || bytes > QUEUE_BYTES - s->queued_bytes) {
        s->dropped_full++;
        return;
    }
    struct host_queued *copy = copy_of(record, bytes);
    if (!copy) {
        s->dropped_memory++;
        return;
    }
    if (s->last) s->last->next = copy;
    if (!s->first) s->first = copy;
    s->last = copy;
    s->queued++;
    s->queued_bytes += bytes;
}

static void take_off(host_subscriber *s) {
    struct host_queued *first = s->first;
    s->first = first->next;
    if (!s->first) s->last = NULL;
    s->queued--;
    s->queued_bytes -= first->bytes;
    free(first);
}

// True if the record is done with, taken or failed.
static bool offer(host_subscriber *s, const peri_record *record) {
    int status = s->try_fn(s->user, record);
    if (status == PERI_EAGAIN) return false;
    if (status < 0) {
        s->failed++;
    } else {
        s->taken++;
    }
    return true;
}

static void drain(host_subscriber *s) {
    while (s->first && offer(s, &s->first->record)) take_off(s);
}

void host_subscribers_hear(peri_host *host, const peri_record *record) {
    for (size_t i = 0; i < host->subscriber_count; i++) {
        host_subscriber *s = &host->subscribers[i];
        if (s->fn) {
            s->fn(s->user, record);
            s->taken++;
        } else if (s->first || !offer(s, record)) { // in order: not past what waits
            enqueue(s, record);
        }
    }
}

void host_subscribers_drain(peri_host *host) {
    host->in_record = true;
    for (size_t i = 0; i < host->subscriber_count; i++) drain(&host->subscribers[i]);
    host->in_record = false;
}

int host_subscribers_timeout_ms(const peri_host *host) {
    for (size_t i = 0; i < host->subscriber_count; i++) {
        if (host->subscribers[i].first) return RETRY_MS;
    }
    return -1;
}

void host_subscribers_free(peri_host *host) {
    host_subscribers_drain(host);
    for (size_t i = 0; i < host->subscriber_count; i++) {
        while (host->subscribers[i].first) take_off(&host->subscribers[i]);
    }
}

void host_subscribers_write_status(const peri_host *host, peri_buf *out) {
    peri_buf_add_c(out, ",\"subscribers\":[");
    for (size_t i = 0; i < host->subscriber_count; i++) {
        const host_subscriber *s = &host->subscribers[i];
        peri_buf_addf(out,
                      "%s{\"taken\":%llu,\"queued\":%zu,\"failed\":%llu,"
                      "\"dropped\":{\"full\":%llu,\"memory\":%llu}}",
                      i ? "," : "", (unsigned long long)s->taken, s->queued,
                      (unsigned long long)s->failed, (unsigned long long)s->dropped_full,
                      (unsigned long long)s->dropped_memory);
    }
    peri_buf_add_byte(out, ']');
    if (!host->ledger) return;
    peri_ledger_stats stats;
    peri_ledger_get_stats(host->ledger, &stats);
    peri_buf_addf(out,
                  ",\"ledger\":{\"stored\":%llu,\"dropped\":{\"busy\":%llu,\"full\":%llu,"
                  "\"error\":%llu}}",
                  (unsigned long long)stats.stored, (unsigned long long)stats.dropped_busy,
                  (unsigned long long)stats.dropped_full,
                  (unsigned long long)stats.dropped_error);
}

static int add(peri_host *host, host_subscriber subscriber) {
    if (host->subscriber_count == HOST_MAX_SUBSCRIBERS) return PERI_ELIMIT;
    host->subscribers[host->subscriber_count++] = subscriber;
    return PERI_OK;
}

int peri_host_subscribe(peri_host *host, peri_record_fn fn, void *user) {
    HOST_CHECK(host);
    return fn ? add(host, (host_subscriber){.fn = fn, .user = user}) : PERI_EINVAL;
}

int peri_host_subscribe_try(peri_host *host, peri_record_try_fn fn, void *user) {
    HOST_CHECK(host);
    return fn ? add(host, (host_subscriber){.try_fn = fn, .user = user}) : PERI_EINVAL;
}
