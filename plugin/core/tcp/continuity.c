/* continuity.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "continuity.h"

#include <glib.h>

/* A counter shared by a whole host skips what it sends elsewhere; a jump further than this is no counter's. */
enum { FURTHEST_STEP = 1000 };

inline void
ipid_steps_add(struct ipid_steps *steps, enum ipid_behaviour kind)
{
    steps->total++;
    steps->constant += kind == IPID_CONSTANT;
    steps->swapped += kind == IPID_SWAPPED;
    steps->random += kind == IPID_RANDOM;
}

inline enum ipid_behaviour
ipid_steps_behaviour(const struct ipid_steps *steps)
{
    uint32_t half = steps->total / 2;
    if (steps->total == 0)
        return IPID_UNKNOWN;
    if (steps->constant > half)
        return IPID_CONSTANT;
    if (steps->swapped > half)
        return IPID_SWAPPED;
    if (steps->random > half)
        return IPID_RANDOM;
    return IPID_COUNTER;
}

/* The payload of a filled segment, given this one's TCP options; 0 if nothing tells. */
static inline uint32_t
full_size(const struct continuity *continuity, const struct segment *segment)
{
    if (continuity->mss > segment->options_bytes)
        return (uint32_t)continuity->mss - segment->options_bytes;
    return continuity->largest_payload;
}

inline bool
continuity_is_full(const struct continuity *continuity, const struct segment *segment, const struct settings *settings)
{
    if (settings->is_full_size)
        return settings->is_full_size(segment->payload_bytes);
    uint32_t full = full_size(continuity, segment);
    const uint32_t bytes = segment->payload_bytes;
    return full > 0 && (bytes == full || (bytes > full && bytes % full == 0));
}

/* Segmentation offload hands one frame to the capture and several packets, each with an ID, to the wire. */
static inline uint16_t
packets_on_the_wire(const struct continuity *continuity, const struct segment *segment, const struct settings *settings)
{
    uint32_t full = full_size(continuity, segment);
    if (settings->is_full_size || full == 0 || segment->payload_bytes <= full)
        return 1;
    return (uint16_t)((segment->payload_bytes + full - 1) / full);
}

static inline struct ipid_step
step_to(const struct continuity *continuity, uint16_t id)
{
    uint16_t expected = (uint16_t)(continuity->last_id + continuity->last_packets);
    uint16_t swapped = (uint16_t)(GUINT16_SWAP_LE_BE(continuity->last_id) + continuity->last_packets);
    uint16_t delta = (uint16_t)(id - expected);
    struct ipid_step step = { (int16_t)delta, IPID_COUNTER };
    if (id == continuity->last_id)
        step.kind = IPID_CONSTANT;
    else if (delta != 0 && GUINT16_SWAP_LE_BE(id) == swapped)
        step.kind = IPID_SWAPPED;
    else if (delta > FURTHEST_STEP)
        step.kind = IPID_RANDOM;
    return step;
}

inline bool
continuity_take(struct continuity *continuity, const struct segment *segment, const struct settings *settings,
                struct ipid_step *step)
{
    continuity->largest_payload = MAX(continuity->largest_payload, segment->payload_bytes);
    if (!segment->has_ip_id)
        return false;
    bool foreseen = continuity->has_last;
    if (foreseen) {
        *step = step_to(continuity, segment->ip_id);
        ipid_steps_add(&continuity->steps, step->kind);
    }
    continuity->has_last = true;
    continuity->last_id = segment->ip_id;
    continuity->last_packets = packets_on_the_wire(continuity, segment, settings);
    return foreseen;
}
