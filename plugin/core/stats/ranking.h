/* ranking.h
 * Many numbers in ascending order, 4 bytes each, or 8 where they are wide.
 *
 * They stay sorted but for a short tail, so that looking at them after every addition is cheap, and once at the end
 * costs one sort. Many are sorted in place, for there may be more of them than memory has room for twice; a few, and
 * parts of many, with a copy.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_RANKING_H
#define LATENCY_RANKING_H

#include <stdbool.h>
#include <stdint.h>

/* All zero for none, but for `is_wide`. */
struct ranking {
    void *data; /* of uint32_t, or of int64_t: those that are sorted, then the tail */
    uint32_t n, room;
    uint32_t sorted;      /* so many */
    uint32_t tail_sorted; /* of the tail */
    bool is_wide;
};

/* Call ranking_clear() when done with them. One that is not wide is at least 0 and less than 2^32. */
void ranking_add(struct ranking *ranking, int64_t value);
void ranking_clear(struct ranking *ranking);

/* The i-th, in whatever order they are. */
int64_t ranking_unordered(const struct ranking *ranking, uint32_t i);

/* Sorts what was added since the last call; before ranking_at(). */
void ranking_sort(struct ranking *ranking);

/* The one of rank `k`, from 0. */
int64_t ranking_at(const struct ranking *ranking, uint32_t k);

/* Takes out those that are among the `n` of `removed`, ascending; each once. */
void ranking_remove(struct ranking *ranking, const int64_t *removed, uint32_t n);

#endif
