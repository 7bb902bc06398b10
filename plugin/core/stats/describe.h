/* describe.h
 * A sample of times and its statistics: those of pandas' describe(), with the 95 % and 99 % percentiles.
 *
 * 4 bytes a value of less than 4.29 s (2^32 ns), 8 a longer one. Sums are exact: the order of additions, and how many
 * samples they were spread over, change no digit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DESCRIBE_H
#define LATENCY_DESCRIBE_H

#include <stdint.h>

#include <glib.h>

#include "ranking.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* What can be added up, and merged by adding. All zero for no values. */
struct moments {
    uint64_t count;
    wide sum;
    unsigned_wide squares; /* of the values; at most 2^128 - 1, far above any capture's */
    int64_t min, max;
};

/* All zero for no values. */
struct sample {
    struct ranking usual;  /* at least 0, and less than 2^32 */
    struct ranking others; /* below and above */
    GArray *removed;       /* of int64_t: still among the others; NULL if there are none */
    struct moments moments;
};

/* In nanoseconds. Percentiles are interpolated linearly between the closest ranks (pandas' default).
 * NAN where there is nothing to say: all of them for an empty sample, `std` (n - 1) for one value. */
struct description {
    uint64_t count;
    double mean, std, min, p25, p50, p75, p95, p99, max;
};

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

/* Call sample_clear() when done with it. */
void sample_add(struct sample *sample, int64_t value_ns);

/* Takes the other's values, too. */
void sample_merge(struct sample *sample, const struct sample *other);

/* Takes back a value that was added. */
void sample_remove(struct sample *sample, int64_t value_ns);

/* Frees what the sample has allocated: it is empty then. */
void sample_clear(struct sample *sample);

unsigned sample_count(const struct sample *sample);

/* Not const: it sorts what was added since the last call. */
void sample_describe(struct sample *sample, struct description *description);

#endif
