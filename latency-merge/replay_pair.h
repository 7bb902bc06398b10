/* replay_pair.h
 * A pair of endpoints, and the frames of its connections: numbered anew, for its captures' numbers would not ascend.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_REPLAY_PAIR_H
#define LATENCY_MERGE_REPLAY_PAIR_H

#include "core/stats/groups.h"
#include "told.h"

struct played;

struct pair {
    struct group_key key; /* first: its endpoints as client and server, in the order of their bytes */
    uint32_t frame;
    uint64_t position; /* that frame's in the merged captures */
    unsigned played;   /* how many connections it has */
    uint64_t number;   /* of the one taken last, in its file; 0 before the first */
    struct played *last;
    struct told_queue told;
};

GHashTable *pairs_new(void);

/* Of the endpoints in any order. */
struct pair *pair_at(GHashTable *pairs, const struct endpoint *endpoint, bool ipv6);

/* The number of the frame at this position in the merged captures. */
uint32_t pair_frame(struct pair *pair, uint64_t position);

#endif
