/* sighting_tally.h
 * How much of what passed its capture points a recording has: sightings seen, sightings that the recorder lost, and
 * the share of connections that it recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SIGHTING_TALLY_H
#define LATENCY_SIGHTING_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

struct sighting;

/* All zero at first. */
struct sighting_tally {
    uint64_t seen, lost;
    uint32_t fewest, most; /* one connection in so many was recorded; 0 before the first sighting */
};

void sighting_tally_take(struct sighting_tally *tally, const struct sighting *sighting);
void sighting_tally_merge(struct sighting_tally *tally, const struct sighting_tally *other);

/* Whether not all that passed is there. */
bool sighting_tally_lacks(const struct sighting_tally *tally);

/* A line. */
void sighting_tally_write(const struct sighting_tally *tally, GString *text);

#endif
