/* side.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "side.h"

#include <string.h>

void side_set_isn(struct side *side, uint32_t isn)
{
    side->isn = isn;
    side->next = isn + 1; /* after a SYN, also where the scenario begins without one */
}

void side_set_ipid(struct side *side, enum ipid_rule rule, uint32_t start)
{
    side->ipid_rule = rule;
    side->ipid_start = start;
    side->ipid_state = start;
}

struct side side_renew(const struct side *side)
{
    struct side renewed = *side;
    side_set_isn(&renewed, side->isn);
    side_set_ipid(&renewed, side->ipid_rule, side->ipid_start);
    renewed.timestamp = 0;
    return renewed;
}

static uint16_t swapped(uint32_t id)
{
    return GUINT16_SWAP_LE_BE((uint16_t)id);
}

uint16_t side_next_ip_id(struct side *side)
{
    switch (side->ipid_rule) {
    case IPID_UP:
        return (uint16_t)side->ipid_state++;
    case IPID_SWAPPED:
        return swapped(side->ipid_state++);
    case IPID_CONSTANT:
        return (uint16_t)side->ipid_state;
    case IPID_RANDOM:
        break;
    }
    /* Numerical Recipes' generator; its upper half is the better one. */
    side->ipid_state = side->ipid_state * 1664525U + 1013904223U;
    return (uint16_t)(side->ipid_state >> 16);
}

void side_take_ip_id(struct side *side, uint16_t ip_id)
{
    if (side->ipid_rule != IPID_UP && side->ipid_rule != IPID_SWAPPED)
        return;
    uint16_t after = (uint16_t)((side->ipid_rule == IPID_SWAPPED ? swapped(ip_id) : ip_id) + 1);
    if ((int16_t)(after - (uint16_t)side->ipid_state) > 0)
        side->ipid_state = after;
}

static void put32(uint8_t *at, uint32_t value)
{
    uint32_t network = GUINT32_TO_BE(value);
    memcpy(at, &network, sizeof network);
}

bool side_add_options(struct scenario_segment *segment, struct side *from, const struct side *to, bool timestamps)
{
    enum { MSS_BYTES = 4, TIMESTAMP_BYTES = 12, NS_PER_TICK = 1000000, FIRST_TICK = 1000 };
    uint8_t options[MSS_BYTES + TIMESTAMP_BYTES];
    uint8_t length = 0;
    if (segment->mss != 0) { /* RFC 9293 §3.2 */
        put32(options, 0x02040000U | segment->mss);
        length = MSS_BYTES;
    }
    if (timestamps) { /* RFC 7323 §3.2, aligned by two NOPs as its appendix A recommends */
        from->timestamp = (uint32_t)(segment->time_ns / NS_PER_TICK) + FIRST_TICK;
        put32(options + length, 0x0101080aU);
        put32(options + length + 4, from->timestamp);
        put32(options + length + 8, (segment->flags & SCENARIO_ACK) != 0 ? to->timestamp : 0);
        length = (uint8_t)(length + TIMESTAMP_BYTES);
    }
    if (length + segment->options_bytes > SCENARIO_OPTIONS_BYTES)
        return false;
    memmove(segment->options + length, segment->options, segment->options_bytes);
    memcpy(segment->options, options, length);
    segment->options_bytes = (uint8_t)(segment->options_bytes + length);
    return true;
}

void side_sent(struct side *side, const struct scenario_segment *segment)
{
    uint32_t after = segment->seq + segment->payload_len;
    if ((segment->flags & SCENARIO_SYN) != 0)
        after++;
    if ((segment->flags & SCENARIO_FIN) != 0)
        after++;
    if ((int32_t)(after - side->next) > 0)
        side->next = after;
}
