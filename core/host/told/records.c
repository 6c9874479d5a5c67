// The record stream: every record gets its number, its time and its JSON here, secrets are
// scrubbed, and subscribers and ledger hear of it in order. A record that a subscriber's host
// call would cause inside a record is refused: records are never nested.
#include <stdio.h>
#include <stdlib.h>

#include "host/told/told.h"

int64_t host_wall_ms(const peri_host *host) {
    return host->clock.wall_ms(host->clock.user);
}

void host_logf(peri_host *host, const char *severity, const char *format, ...) {
    if (!host->on_log) return;
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    if (len < 0) return;
    peri_buf room;
    peri_buf_init(&room, HOST_CLEAN_BYTES);
    peri_str clean = host_scrubbed(host, peri_str_of(text, (size_t)len), &room);
    clean.len = peri_utf8_cut_bytes(clean, HOST_LOG_BYTES);
    host->on_log(host->log_user, severity, clean);
    peri_buf_deinit(&room);
    free(text);
}

peri_str host_scrubbed(peri_host *host, peri_str text, peri_buf *room) {
    if (!host->scrub) return text; // still loading: nobody hears of it but the log
    if (!host->config.scrub || !text.len || peri_scrub_clean(host->scrub, text)) return text;
    peri_buf_clear(room);
    (void)peri_scrub_text(host->scrub, text, room);
    return room->status < 0 ? PERI_STR("[left out: it could not be scrubbed]")
                            : peri_buf_str(room);
}

// What a pattern of the user's takes out of JSON may leave none: then there is nothing to keep.
peri_str host_scrubbed_json(peri_host *host, peri_str json, peri_buf *room) {
    peri_str clean = host_scrubbed(host, json, room);
    if (clean.ptr == json.ptr) return json;
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    bool whole = peri_json_parse(&doc, clean) == PERI_OK && doc.end == clean.len;
    peri_json_doc_deinit(&doc);
    return whole ? clean : PERI_STR("");
}

peri_record host_record_of(peri_record_kind kind, const host_work *work) {
    return (peri_record){
        .kind = kind,
        .session = work->of->agent->session->id,
        .agent = work->of->agent->key,
        .step = work->step,
        .turn = work->turn,
    };
}

static void begin_json(peri_host *host, const peri_record *record) {
    peri_buf *out = &host->json;
    peri_buf_clear(out);
    peri_buf_add_c(out, "{\"record\":\"");
    peri_buf_add_c(out, peri_record_kind_name(record->kind));
    peri_buf_add_c(out, "\",\"seq\":");
    peri_buf_add_uint(out, record->seq);
    peri_buf_add_c(out, ",\"at\":\"");
    peri_time_format(out, record->at_wall_ms);
    peri_buf_add_byte(out, '"');
}

// A member's name, ready to be appended.
#define KEY(name) ",\"" name "\":"

static void add_text(peri_host *host, const char *key, peri_str text) {
    if (!text.ptr) return;
    peri_buf_add_c(&host->json, key);
    peri_json_add_string(&host->json, text);
}

static void add_count(peri_host *host, const char *key, uint64_t count) {
    if (count == 0) return;
    peri_buf_add_c(&host->json, key);
    peri_buf_add_uint(&host->json, count);
}

// What `count` means, by kind.
static const char *count_key(peri_record_kind kind) {
    switch (kind) {
    case PERI_RECORD_DIGEST:
        return KEY("bytes");
    case PERI_RECORD_RUN:
        return KEY("failures");
    default:
        return KEY("count");
    }
}

static void write_json(peri_host *host, const peri_record *record) {
    begin_json(host, record);
    add_text(host, KEY("session"), record->session);
    add_text(host, KEY("agent"), record->agent);
    add_count(host, KEY("turn"), record->turn);
    add_count(host, KEY("step"), record->step);
    add_text(host, KEY("id"), record->id);
    add_text(host, KEY("observer"), record->observer);
    add_text(host, KEY("trigger"), record->trigger);
    add_text(host, KEY("state"), record->state);
    add_text(host, KEY("lane"), record->lane);
    add_text(host, KEY("severity"), record->severity);
    add_text(host, KEY("text"), record->text);
    add_text(host, KEY("fingerprint"), record->fingerprint);
    add_text(host, KEY("reason"), record->reason);
    add_text(host, KEY("policy"), record->policy);
    add_text(host, KEY("name"), record->name);
    add_text(host, KEY("nonce"), record->nonce);
    add_text(host, KEY("hash"), record->hash);
    add_text(host, KEY("file"), record->file);
    add_count(host, count_key(record->kind), record->count);
    if (record->json.ptr) { // a kind's own members, ready made
        peri_buf_add_byte(&host->json, ',');
        peri_buf_add(&host->json, record->json);
    }
    peri_buf_add_byte(&host->json, '}');
}

static void send(peri_host *host, const peri_record *record) {
    host->in_record = true;
    host->counts.records++;
    if (host->ledger && record->kind != PERI_RECORD_OBSERVATION) {
        if (peri_ledger_put(host->ledger, record) == PERI_OK) host->ledger_dirty = true;
    }
    host_subscribers_hear(host, record);
    host->in_record = false;
}

// A text is replaced by a copy without its secrets, which lives until the record was sent.
static void scrub_text(peri_host *host, peri_str *text) {
    peri_str clean = host_scrubbed(host, *text, &host->scratch);
    if (clean.ptr == text->ptr) return;
    *text = peri_arena_copy(&host->record_arena, clean);
    if (!text->ptr) *text = PERI_STR("[left out: out of memory]");
}

static void scrub_record(peri_host *host, peri_record *record) {
    peri_str *const texts[] = {&record->text, &record->reason, &record->fingerprint,
                               &record->name, &record->file,   &record->session,
                               &record->agent};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) scrub_text(host, texts[i]);
}

void host_record(peri_host *host, peri_record *record) {
    if (host->in_record) return; // a subscriber's doing; the record it was lent stays whole
    record->struct_size = sizeof *record;
    record->seq = host->seq + 1;
    record->at_wall_ms = host_wall_ms(host);
    peri_arena_reset(&host->record_arena);
    scrub_record(host, record);
    write_json(host, record);
    peri_json_seal_line(&host->json);
    if (host->json.status < 0) {
        host->counts.lost++;
        return;
    }
    host->seq++;
    record->json = peri_buf_str(&host->json);
    send(host, record);
}

// The text of an observation that a person would want to see.
static peri_str shown_text(const peri_obs *obs) {
    static const peri_obs_field order[] = {PERI_OBS_F_TEXT,    PERI_OBS_F_PREVIEW,
                                           PERI_OBS_F_INPUT,   PERI_OBS_F_REASON,
                                           PERI_OBS_F_MESSAGE, PERI_OBS_F_VALUE};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        peri_str text = peri_obs_str(obs, order[i]);
        if (text.ptr)
            return peri_str_sub(text, 0, peri_utf8_cut_u16(text, PERI_OBS_PREVIEW_U16).bytes);
    }
    return (peri_str){0};
}

static void scrub_part(peri_host *host, peri_text *text) {
    scrub_text(host, &text->head);
    scrub_text(host, &text->tail);
}

static void scrub_observation(peri_host *host, peri_obs *obs) {
    for (size_t i = 0; i < obs->value_count; i++) {
        scrub_part(host, &obs->values[i].text);
        scrub_text(host, &obs->values[i].bounded);
    }
    peri_obs_x *x = &obs->x;
    scrub_part(host, &x->output);
    peri_str *const texts[] = {&obs->session,  &obs->agent, &obs->scope,
                               &x->agent_name, &x->cwd,     &x->source,
                               &x->parent,     &x->origin,  &x->permission_mode};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) scrub_text(host, texts[i]);
}

// The record around an event: the key, then the event's members, which hold seq and time.
static void wrap_event(peri_host *host, const peri_record *record, peri_obs_kind kind) {
    peri_buf_clear(&host->json);
    peri_buf_add_c(&host->json, "{\"record\":\"observation\"");
    add_text(host, KEY("session"), record->session);
    // A phase names an agent of its own; whose phase it is stands in `x` alone.
    if (kind != PERI_OBS_PHASE) add_text(host, KEY("agent"), record->agent);
    peri_buf_add_byte(&host->json, ',');
    peri_buf_add(&host->json, peri_str_sub(record->event, 1, record->event.len));
}

void host_record_observation(peri_host *host, const peri_obs *seen) {
    if (host->quiet_observations || host->subscriber_count == 0) return;
    peri_arena_reset(&host->record_arena);
    peri_obs obs = *seen;
    scrub_observation(host, &obs);
    peri_buf_clear(&host->event);
    peri_obs_write(&host->event, &obs);
    peri_json_seal_line(&host->event);
    peri_record record = {
        .struct_size = sizeof record,
        .kind = PERI_RECORD_OBSERVATION,
        .seq = obs.seq,
        .at_wall_ms = obs.at_wall_ms,
        .session = obs.session,
        .agent = obs.agent,
        .state = peri_obs_kind_word(obs.kind),
        .name = peri_obs_str(&obs, PERI_OBS_F_NAME),
        .call_id = peri_obs_str(&obs, PERI_OBS_F_CALL_ID),
        .text = shown_text(&obs),
        .event = peri_buf_str(&host->event),
    };
    wrap_event(host, &record, obs.kind);
    peri_json_seal_line(&host->json); // what names the session and agent
    if (host->event.status < 0 || host->json.status < 0) {
        host->counts.lost++;
        return;
    }
    record.json = peri_buf_str(&host->json);
    send(host, &record);
}

void host_warn(peri_host *host, const char *id, peri_str file, peri_str text, peri_str hint) {
    peri_record record = {.kind = PERI_RECORD_WARNING,
                          .state = peri_str_c(id),
                          .file = file,
                          .text = text,
                          .reason = hint};
    host_record(host, &record);
}

void host_diags_flush(peri_host *host) {
    static const char *const severities[] = {"note", "warning", "error"};
    for (size_t i = 0; i < host->diags.count; i++) {
        const peri_diag *diag = &host->diags.items[i];
        peri_buf text;
        peri_buf_init(&text, 8192);
        peri_diag_format(&text, diag);
        peri_str line = peri_str_trim(peri_buf_str(&text));
        host_logf(host, severities[diag->severity], "%.*s", PERI_FMT(line));
        host_warn(host, severities[diag->severity], diag->file, line, diag->hint);
        peri_buf_deinit(&text);
    }
    peri_diag_list_deinit(&host->diags);
}
