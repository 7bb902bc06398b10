/* sighting.h
 * Sightings: one packet at one capture point. Which of them are one packet.
 *
 * The first that applies:
 * 1. the same packet id in the same section, and the same sequence, length and IP ID;
 * 2. the same tracking id of retis;
 * 3. the same content within a second, unless both have ids;
 * 4. the bytes of one contain those of the other, within a second, and the IP IDs fit: offload has cut or merged.
 *
 * Remembers so many packets as may still be seen again; what a packet's sightings are stays known as long as frames are
 * kept.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SIGHTING_H
#define LATENCY_SIGHTING_H

#include "path.h"

struct sightings;

/* Lives in `scope`. */
struct sightings *sightings_new(wmem_allocator_t *scope);

/* A new sighting, in the path of its packet: `seen` says when, where and for whom it was. `keep`: frames are visited
 * again; otherwise the sighting lives as long as its packet may be seen again. */
struct sighting *sightings_take(struct sightings *sightings, const struct fingerprint *fingerprint,
                                const struct sighting *seen, bool keep);

#endif
