/* time_axis.h
 * The time of a report, in equal stretches: requests by when they began.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_TIME_AXIS_H
#define REPORT_TIME_AXIS_H

#include <stdint.h>

/* Latencies are counted in BUCKETS_OF_TEN buckets from each power of ten (of ns) to the next. */
enum { MOMENTS_MOST = 120, BUCKETS_OF_TEN = 10, BUCKETS = 13 * BUCKETS_OF_TEN };

struct moment {
    uint64_t requests, errors, unanswered, bytes;
    uint64_t buckets[BUCKETS]; /* of the answered */
};

struct time_axis {
    int64_t first_ns, last_ns;
    int64_t moment_ns; /* how long one is */
    unsigned n;
    struct moment *moments;
};

void time_axis_init(struct time_axis *time, int64_t first_ns, int64_t last_ns);
void time_axis_clear(struct time_axis *time);

/* The number of the one in which a time since 1970 lies; the first or last of one before or after all. */
unsigned time_axis_find(const struct time_axis *time, int64_t time_ns);

/* The bucket of a latency. */
unsigned time_axis_bucket(int64_t ns);

#endif
