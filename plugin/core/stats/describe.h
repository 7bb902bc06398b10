/* describe.h
 * The statistics of a sample of times: those of pandas' describe(), with the 95 % and 99 % percentiles.
 *
 * Sums are exact: the order of additions, and how many samples they were spread over, change no digit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DESCRIBE_H
#define LATENCY_DESCRIBE_H

#include <stdint.h>

#include <glib.h>

#include "../util/wide.h"

/* What can be added up, and merged by adding. All zero for no values. */
struct moments {
    uint64_t count;
    wide sum;
    unsigned_wide squares; /* of the values; at most 2^128 - 1, far above any capture's */
    int64_t min, max;
};

/* In nanoseconds. Percentiles are interpolated linearly between the closest ranks (pandas' default).
 * NAN where there is nothing to say: all of them for an empty sample, `std` (n - 1) for one value. */
struct description {
    uint64_t count;
    double mean, std, min, p25, p50, p75, p95, p99, max;
};

/* Returns the value below which this share of `count` values lies, at least one, from the value of each rank, from 0.
 */
double description_percentile(double share, uint64_t count, double (*value_at_rank)(const void *values, uint64_t rank),
                              const void *values);

/* Fills in the percentiles from description->count and the value of each rank, from 0. */
void description_percentiles(struct description *description,
                             double (*value_at_rank)(const void *values, uint64_t rank), const void *values);

void moments_add(struct moments *moments, int64_t value_ns);
void moments_merge(struct moments *moments, const struct moments *other);

/* NAN if there is nothing to divide by. */
double wide_mean(wide sum, uint64_t count);

/* NAN without values; moments_std() also with one. */
double moments_mean(const struct moments *moments);
double moments_std(const struct moments *moments);

#endif
