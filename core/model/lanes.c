// The questions of lanes.h. A version that nobody told is older than any: what works only since
// some version is then not known to.
#include "model/lanes.h"

static const peri_str reach_words[] = {
#define REACH_WORD(name, text) [PERI_REACH_##name] = {text, sizeof(text) - 1},
    PERI_REACH_LIST(REACH_WORD)
#undef REACH_WORD
};

peri_str peri_reach_word(peri_reach reach) {
    return reach_words[reach];
}

bool peri_lane_is_agents(peri_lane lane) {
    return lane != PERI_LANE_USER && lane != PERI_LANE_LOG;
}

enum { PART_BITS = 20, PARTS = 3 };

uint64_t peri_version_of(peri_str text) {
    uint64_t version = 0;
    size_t at = 0;
    for (int part = 0; part < PARTS; part++) {
        uint64_t number = 0;
        for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++) {
            if (number < UINT64_C(1) << PART_BITS)
                number = number * 10 + (uint64_t)(text.ptr[at] - '0');
        }
        const uint64_t most = (UINT64_C(1) << PART_BITS) - 1;
        version = version << PART_BITS | (number < most ? number : most);
        at += at < text.len && text.ptr[at] == '.';
    }
    return version;
}

// Unlike a client's own, which may say anything behind it ("2.1.0-beta"), a version that
// somebody wrote down is digits and dots.
static bool is_version(peri_str text) {
    for (size_t i = 0; i < text.len; i++) {
        bool digit = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (!digit && text.ptr[i] != '.') return false;
    }
    return peri_version_of(text) != 0;
}

bool peri_channel_read(peri_channel *channel, peri_str word) {
    channel->since = (peri_str){0};
    if (peri_str_starts(word, PERI_STR("since "))) {
        peri_str version = peri_str_trim(peri_str_sub(word, 6, word.len));
        if (!is_version(version)) return false;
        channel->reach = PERI_REACH_OK;
        channel->since = version;
        return true;
    }
    for (peri_reach reach = 0; reach < PERI_REACH_COUNT; reach++) {
        if (!peri_str_eq(word, reach_words[reach])) continue;
        channel->reach = reach;
        return true;
    }
    return false;
}

void peri_channel_place(peri_channel *channel, peri_str place) {
    size_t colon = peri_str_find_byte(place, ':', 0);
    channel->event = peri_str_sub(place, 0, colon == PERI_NPOS ? place.len : colon);
    channel->tool =
        colon == PERI_NPOS ? (peri_str){0} : peri_str_sub(place, colon + 1, place.len);
}

static bool reaches(const peri_channel *channel, uint64_t version) {
    return channel->reach == PERI_REACH_OK &&
           (!channel->since.len || version >= peri_version_of(channel->since));
}

static bool is_of(const peri_channel *channel, peri_str event, peri_str answer) {
    return peri_str_eq(channel->event, event) && peri_str_eq(channel->answer, answer);
}

peri_lane peri_lanes_instead(const peri_lane_ways *ways, peri_lane_leads leads, void *user) {
    for (size_t i = 0; i < ways->instead_count; i++) {
        if (leads(user, ways->instead[i])) return ways->instead[i];
    }
    return PERI_LANE_USER;
}

peri_channel *peri_lanes_find(const peri_lanes *lanes, const peri_channel *place) {
    for (size_t i = 0; i < lanes->channel_count; i++) {
        peri_channel *channel = &lanes->channels[i];
        if (is_of(channel, place->event, place->answer) &&
            peri_str_eq(channel->tool, place->tool))
            return channel;
    }
    return NULL;
}

bool peri_lanes_use(const peri_lanes *lanes, const peri_channel *channel) {
    for (size_t lane = 0; lane < PERI_LANE_COUNT; lane++) {
        for (size_t i = 0; i < lanes->of[lane].count; i++) {
            const peri_way *way = &lanes->of[lane].ways[i];
            if (is_of(channel, way->event, way->answer)) return true;
        }
    }
    return false;
}

const peri_channel *peri_lanes_at(const peri_lanes *lanes, peri_lane lane, peri_str event,
                                  peri_str tool, uint64_t version) {
    const peri_lane_ways *of = &lanes->of[lane];
    for (size_t i = 0; i < of->count; i++) {
        if (!peri_str_eq(of->ways[i].event, event)) continue;
        peri_channel place = {.event = event, .tool = tool, .answer = of->ways[i].answer};
        const peri_channel *channel = peri_lanes_find(lanes, &place);
        place.tool = (peri_str){0};
        if (!channel) channel = peri_lanes_find(lanes, &place);
        if (channel && reaches(channel, version)) return channel;
    }
    return NULL;
}

bool peri_lanes_lead(const peri_lanes *lanes, peri_lane lane, bool to_main, uint64_t version) {
    const peri_lane_ways *of = &lanes->of[lane];
    for (size_t i = 0; i < of->count; i++) {
        if (!to_main && peri_str_eq(of->ways[i].event, PERI_STR("*"))) continue;
        for (size_t at = 0; at < lanes->channel_count; at++) {
            const peri_channel *channel = &lanes->channels[at];
            if (is_of(channel, of->ways[i].event, of->ways[i].answer) &&
                reaches(channel, version))
                return true;
        }
    }
    return false;
}
