// Reading a dialect's lanes (model/lanes.h). A table that is wrong would lead notes astray in
// silence, so that every way must have a channel, and every channel a way that goes by it.
#include "script/lanes_load.h"

#include <stdio.h>

typedef struct loader {
    peri_lanes *to;
    peri_str file;
    peri_arena *arena;
    peri_diag_list *diags;
    int status; // sticky
} loader;

static void wrong(loader *l, const char *hint, const char *what, peri_str word) {
    peri_diag_addf(l->diags, PERI_ERROR, "dialect-lanes", l->file, 0, 0, hint,
                   "lanes: %s '%.*s'", what, PERI_FMT(word));
    l->status = PERI_EINVAL;
}

static peri_json member(peri_json v, const char *key) {
    return peri_json_get(v, peri_str_c(key));
}

static peri_str text_of(loader *l, peri_json v) {
    return peri_json_str(v, l->arena);
}

// Room for `count` elements; NULL if they are too many, or memory ran out.
static void *array(loader *l, size_t count, size_t size, size_t max) {
    if (count > max) {
        peri_diag_addf(l->diags, PERI_ERROR, "dialect-limit", l->file, 0, 0, NULL,
                       "lanes: a list of %zu entries is longer than the %zu allowed", count,
                       max);
        l->status = PERI_ELIMIT;
        return NULL;
    }
    void *room = peri_arena_zero(l->arena, (count + 1) * size);
    if (!room) l->status = PERI_ENOMEM;
    return room;
}

static void wrong_reach(loader *l, peri_str word) {
    peri_str words[PERI_REACH_COUNT + 1] = {{0}};
    for (peri_reach reach = 0; reach < PERI_REACH_COUNT; reach++)
        words[reach] = peri_reach_word(reach);
    peri_str near = peri_diag_nearest(word, words);
    char hint[96] = "say ok, ignored, dropped, unknown or \"since VERSION\"";
    if (near.len) snprintf(hint, sizeof hint, "did you mean '%.*s'?", PERI_FMT(near));
    wrong(l, hint, "a channel is not", word);
}

static void read_channels(loader *l, peri_json v) {
    size_t count = peri_json_count(v);
    l->to->channels = array(l, count, sizeof(peri_channel), PERI_LANES_MAX_CHANNELS);
    if (!l->to->channels) return;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        peri_channel *channel = &l->to->channels[l->to->channel_count++];
        peri_channel_place(channel, text_of(l, member(it.value, "at")));
        channel->answer = text_of(l, member(it.value, "answer"));
        peri_str word = text_of(l, member(it.value, "reach"));
        if (!peri_channel_read(channel, word))
            wrong_reach(l, word.ptr ? word : peri_json_raw(member(it.value, "reach")));
    }
}

static bool has_channel(const peri_lanes *lanes, const peri_way *way) {
    for (size_t i = 0; i < lanes->channel_count; i++) {
        if (peri_str_eq(lanes->channels[i].event, way->event) &&
            peri_str_eq(lanes->channels[i].answer, way->answer))
            return true;
    }
    return false;
}

static void read_ways(loader *l, peri_json v, peri_lane_ways *to) {
    size_t count = peri_json_count(v);
    peri_way *ways = array(l, count, sizeof *ways, PERI_LANES_MAX_WAYS);
    if (!ways) return;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        peri_str text = text_of(l, it.value);
        size_t dot = peri_str_find_byte(text, '.', 0);
        if (dot == PERI_NPOS || dot == 0 || dot + 1 == text.len) {
            wrong(l, "write EVENT.ANSWER, or *.COMMAND",
                  "not a way:", text.ptr ? text : peri_json_raw(it.value));
            continue;
        }
        peri_way *way = &ways[to->count++];
        *way = (peri_way){peri_str_sub(text, 0, dot), peri_str_sub(text, dot + 1, text.len)};
        if (!has_channel(l->to, way)) {
            wrong(l, "say so under `channels`", "nothing tells what reaches the model by",
                  text);
        }
    }
    to->ways = ways;
}

static void read_instead(loader *l, peri_json v, peri_lane_ways *to) {
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        peri_lane lane = peri_lane_find(text_of(l, it.value));
        if (lane < PERI_LANE_COUNT && to->instead_count < PERI_LANE_COUNT)
            to->instead[to->instead_count++] = lane;
    }
}

static void read_lane(loader *l, peri_json v) {
    peri_str words[PERI_LANE_COUNT + 1] = {{0}};
    size_t known = 0;
    for (peri_lane lane = 0; lane < PERI_LANE_COUNT; lane++) {
        if (peri_lane_is_agents(lane)) words[known++] = peri_lane_word(lane);
    }
    peri_str name = text_of(l, member(v, "lane"));
    for (size_t i = 0; i < known; i++) {
        if (!peri_str_eq(words[i], name)) continue;
        peri_lane_ways *to = &l->to->of[peri_lane_find(name)];
        read_ways(l, member(v, "ways"), to);
        read_instead(l, member(v, "instead"), to);
        return;
    }
    peri_str near = peri_diag_nearest(name, words);
    char hint[96] =
        "there are steer, prompt, follow_up and hold, and event, tool, channels, checked";
    if (near.len) snprintf(hint, sizeof hint, "did you mean '%.*s'?", PERI_FMT(near));
    wrong(l, hint, "there is no", name);
}

int peri_lanes_load(peri_json v, peri_str file, peri_arena *arena, peri_diag_list *diags,
                    peri_lanes *out) {
    *out = (peri_lanes){0};
    if (peri_json_type_of(v) != PERI_JSON_OBJECT) return PERI_OK;
    loader l = {.to = out, .file = file, .arena = arena, .diags = diags};
    out->stated = true;
    out->checked = text_of(&l, member(v, "checked"));
    read_channels(&l, member(v, "channels"));
    for (peri_json_iter it = peri_json_begin(member(v, "of")); peri_json_more(&it);)
        read_lane(&l, it.value);
    for (size_t i = 0; i < out->channel_count && l.status == PERI_OK; i++) {
        const peri_channel *channel = &out->channels[i];
        if (!peri_lanes_use(out, channel))
            wrong(&l, "name EVENT.ANSWER in a lane", "no lane goes by the channel",
                  channel->event);
    }
    return l.status;
}

int peri_lanes_say(peri_lanes *lanes, const peri_channel *channel, peri_arena *arena) {
    if (!peri_lanes_use(lanes, channel)) return PERI_ENOENT;
    peri_str since = peri_arena_copy(arena, channel->since);
    if (channel->since.len && !since.ptr) return PERI_ENOMEM;
    peri_channel *known = peri_lanes_find(lanes, channel);
    if (known) {
        known->reach = channel->reach;
        known->since = since;
        return PERI_OK;
    }
    if (lanes->channel_count == PERI_LANES_MAX_CHANNELS) return PERI_ELIMIT;
    peri_channel *grown = peri_arena_zero(arena, (lanes->channel_count + 1) * sizeof *grown);
    peri_channel one = *channel;
    one.since = since;
    one.event = peri_arena_copy(arena, channel->event);
    one.answer = peri_arena_copy(arena, channel->answer);
    if (channel->tool.len) one.tool = peri_arena_copy(arena, channel->tool);
    if (!grown || !one.event.ptr || !one.answer.ptr || (channel->tool.len && !one.tool.ptr))
        return PERI_ENOMEM;
    memcpy(grown, lanes->channels, lanes->channel_count * sizeof *grown);
    grown[lanes->channel_count++] = one;
    lanes->channels = grown;
    return PERI_OK;
}
