/* packet_tally.h
 * What the payload frames of one sender come to, packet by packet.
 *
 * Unlike the fields between packets, it counts the first frames of requests and responses too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PACKET_TALLY_H
#define LATENCY_PACKET_TALLY_H

#include "../tcp/connection.h"
#include "../tcp/item.h"

struct packet_tally {
    uint64_t frames;
    uint64_t gaps;
    uint64_t missing; /* IP IDs that the gaps left out */
    uint64_t out_of_order;
    uint64_t retransmitted;
    uint64_t unfilled;
    struct ipid_steps steps;
};

/* Takes a payload item. */
void packet_tally_take(struct packet_tally *tally, const struct item *item);

/* Takes what the other has, too: of other frames. */
void packet_tally_merge(struct packet_tally *tally, const struct packet_tally *other);

#endif
