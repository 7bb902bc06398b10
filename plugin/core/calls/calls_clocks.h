/* calls_clocks.h
 * Whether capture points agree on the time. A packet and its answer pass two points in opposite orders; if all packets
 * of a connection, in both directions, are seen at one of them first, the clocks differ, or one is told late.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_CLOCKS_H
#define LATENCY_CALLS_CLOCKS_H

#include "../points/point.h"
#include "../util/hashed.h"
#include "../util/pool.h"

struct sighting;

struct calls_clocks {
    struct pool records; /* of struct clock_record */
    struct hashed_table by_connection;
    uint64_t counted[POINTS_IN_SET]; /* packets with payload that are taken there, by the point's number */
};

/* Two points, by number, and how much later packets are seen at the second, at least. */
struct clock_difference {
    uint16_t first, second;
    int64_t least_ns;
};

void calls_clocks_init(struct calls_clocks *clocks, wmem_allocator_t *scope);

/* Takes a sighting of a segment. Stages of a host are no points with a clock of their own. */
void calls_clocks_take(struct calls_clocks *clocks, const struct points *points, const struct sighting *sighting);

/* Returns whether there are points at which requests are taken and that do not agree, and which differ most. */
bool calls_clocks_differ(const struct calls_clocks *clocks, struct clock_difference *difference);

#endif
