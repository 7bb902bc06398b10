/* describe.h
 * A sample of times and its statistics: those of pandas' describe(), with the 95 % and 99 % percentiles.
 *
 * Values stay sorted but for a short tail, so that describing after every addition is cheap, and describing once
 * at the end costs one sort. 8 bytes a value, at most twice that while growing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DESCRIBE_H
#define LATENCY_DESCRIBE_H

#include <stdint.h>

#include <glib.h>

struct sample {
    GArray *sorted; /* of int64_t, ascending */
    GArray *tail;   /* of int64_t; its first tail_sorted ascending */
    unsigned tail_sorted;
    double mean;
    double squares; /* sum of squared distances to the mean (Welford 1962) */
};

/* In nanoseconds. Percentiles are interpolated linearly between the closest ranks (pandas' default).
 * NAN where there is nothing to say: all of them for an empty sample, `std` (n - 1) for one value. */
struct description {
    uint64_t count;
    double mean, std, min, p25, p50, p75, p95, p99, max;
};

/* Call sample_clear() when done with it. */
void sample_init(struct sample *sample);
void sample_clear(struct sample *sample);

void sample_add(struct sample *sample, int64_t value_ns);

unsigned sample_count(const struct sample *sample);

/* Not const: it sorts what was added since the last call. */
void sample_describe(struct sample *sample, struct description *description);

#endif
