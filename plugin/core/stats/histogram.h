/* histogram.h
 * Times counted in buckets by a fixed rule, so that histograms of any captures merge by adding: docs/json-internal.md,
 * "Statistics".
 *
 * A bucket is at most 1/128 of its values wide. 16 bytes a bucket that holds something.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HISTOGRAM_H
#define LATENCY_HISTOGRAM_H

#include <stdint.h>

#include <glib.h>

enum { HISTOGRAM_BITS = 7, HISTOGRAM_BUCKETS = (63 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS };

struct bar {
    uint32_t bucket;
    uint64_t count;
};

/* All zero when empty. Call histogram_clear() when done with it. */
struct histogram {
    GArray *bars; /* of struct bar, ascending; NULL if empty */
};

void histogram_clear(struct histogram *histogram);

/* `bucket` below HISTOGRAM_BUCKETS. */
void histogram_add(struct histogram *histogram, uint32_t bucket, uint64_t count);

/* Takes back a time that was added to the bucket, which is none any more where it was its last. */
void histogram_remove(struct histogram *histogram, uint32_t bucket);
void histogram_merge(struct histogram *histogram, const struct histogram *other);

unsigned histogram_length(const struct histogram *histogram);
const struct bar *histogram_bar(const struct histogram *histogram, unsigned i);

/* The bucket of a time, which is not negative. */
uint32_t bucket_of(int64_t value_ns);

/* The middle of a bucket, from which none of its values is further than 0.4 %. */
double bucket_middle(uint32_t bucket);

#endif
