/* selection.h
 * Exact percentiles of any number of values in bounded memory: the histogram tells which buckets hold them, and of
 * these buckets each different value is counted when all values are seen again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_SELECTION_H
#define LATENCY_MERGE_SELECTION_H

#include "core/stats/statistic.h"

struct selection;

/* Of the sample that the statistic, which is borrowed, stands for. */
struct selection *selection_new(const struct statistic *statistic);
void selection_free(struct selection *selection);

/* To be called for each value of the sample. */
void selection_take(struct selection *selection, int64_t value_ns);

/* As sample_describe() has it. */
void selection_describe(struct selection *selection, struct description *description);

#endif
