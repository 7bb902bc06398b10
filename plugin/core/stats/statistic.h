/* statistic.h
 * A sample of times without its values: what adds up exactly, and a histogram for the percentiles.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STATISTIC_H
#define LATENCY_STATISTIC_H

#include "describe.h"
#include "histogram.h"

/* All zero when empty. Call statistic_clear() when done with it. */
struct statistic {
    struct moments moments;
    struct histogram histogram;
};

void statistic_clear(void *statistic);
void statistic_add(struct statistic *statistic, int64_t value_ns);
void statistic_merge(struct statistic *statistic, const struct statistic *other);

/* Returns the value of a rank, from 0, of a struct statistic: within 0.4 %. */
double statistic_value(const void *statistic, uint64_t rank);

/* Percentiles are read from the histogram: within 0.4 %. The rest is exact. */
void statistic_describe(const struct statistic *statistic, struct description *description);

#endif
