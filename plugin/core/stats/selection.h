/* selection.h
 * Exact percentiles of any number of values in bounded memory: the histogram tells which buckets hold them, and of
 * these buckets each different value is counted when all values are seen again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SELECTION_H
#define LATENCY_SELECTION_H

#include "describe.h"
#include "histogram.h"

struct selection;

/* Returns a selection from `count` values, whose histogram is borrowed. */
struct selection *selection_new(const struct histogram *histogram, uint64_t count);
void selection_free(struct selection *selection);

/* To be called for each of the values. */
void selection_take(struct selection *selection, int64_t value_ns);

/* Fills in the percentiles, once all values have been taken. */
void selection_describe(struct selection *selection, struct description *description);

#endif
