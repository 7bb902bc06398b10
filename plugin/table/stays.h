/* stays.h
 * Each request's stages inside the server's host, put together from what comes of its packets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAYS_H
#define LATENCY_STAYS_H

#include "../core/points/sighting.h"
#include "../core/points/stage_times.h"
#include "../core/tcp/item.h"
#include "by_number.h"

/* Frames remembered of which it is not known yet what they are to a request. Most turn out to begin none, and nobody
 * says so: when there are more, all are forgotten. */
enum { STAYS_HELD_MOST = 65536 };

struct stays {
    struct table_source *source;
    struct by_number stays;          /* struct stay, by request */
    struct by_number roles;          /* by path */
    const struct sighting *sighting; /* the last one that came; valid while the items of its frame come: */
    uint32_t frame;
    GHashTable *held; /* what is known of frames whose items come late, by frame; of this capture: */
    uint32_t held_capture;
};

/* The source is borrowed. Call stays_clear() when done with it. */
void stays_init(struct stays *stays, struct table_source *source);
void stays_clear(struct stays *stays);

/* Whether the item tells of a stay: a packet's sighting, or what a packet that was sighted is to its request. */
bool stays_wants(const struct stays *stays, const struct item *item);

/* Takes any item. The number of the request that it told of; 0 if of none. */
uint32_t stays_take(struct stays *stays, const struct item *item);

/* NULL if nothing is known of it. Valid until the next call. */
const struct stay *stays_at(struct stays *stays, uint32_t request);

#endif
