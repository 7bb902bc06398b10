/* sample.h
 * A sample of times, which tells percentiles: exact ones of up to SAMPLE_EXACT_MOST values, from a histogram's buckets
 * of more.
 *
 * 4 bytes a value of less than 4.29 s (2^32 ns), 8 a longer one; of more values 16 bytes a bucket that holds some: 20
 * kB for times that differ by a factor of a thousand, however many there are.
 *
 * What it tells depends on which values it has, not on their order, nor on how many samples they were in before these
 * were merged. Two things depend on which were taken back: with SAMPLE_KEPT_MORE fewer values than there once were
 * percentiles may not be exact any more, and of a histogram, nor may an extreme that was taken back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SAMPLE_H
#define LATENCY_SAMPLE_H

#include <stdbool.h>

#include <glib.h>

#include "ranking.h"
#include "statistic.h"

/* About as many values take as much memory as their histogram. More are kept, in case that some are taken back. */
enum { SAMPLE_EXACT_MOST = 4096, SAMPLE_KEPT_MORE = 512 };

/* All zero for no values. */
struct sample {
    struct moments moments; /* their extremes are those of values taken back, too */
    bool is_outline;        /* a histogram */
    bool has_removed;       /* values were taken back: between these extremes */
    int64_t removed_min, removed_max;
    union {
        struct {
            struct ranking usual;     /* at least 0, and less than 2^32 */
            struct ranking others;    /* below and above */
            GArray *removed_of_these; /* of int64_t: still among the others; NULL if there are none */
        };
        struct histogram histogram;
    };
};

/* Call sample_clear() when done with it. */
void sample_add(struct sample *sample, int64_t value_ns);

/* Takes the other's values, too. */
void sample_merge(struct sample *sample, const struct sample *other);

/* Takes back a value that was added. */
void sample_remove(struct sample *sample, int64_t value_ns);

/* Frees what the sample has allocated: it is empty then. */
void sample_clear(struct sample *sample);

unsigned sample_count(const struct sample *sample);

/* Not const: it sorts what was added since the last call, and makes a histogram of too many values. Percentiles of that
 * are within 0.4 %, and so are extremes if others were taken back. */
void sample_describe(struct sample *sample, struct description *description);

/* Returns the value of a rank, from 0, of a struct sample that has been described since it got its last value. */
double sample_value(const void *sample, uint64_t rank);

/* Tells of all values of a sample that has been described since it got its last one, those of a bucket as one that came
 * `count` times. */
void sample_each(const struct sample *sample, void (*take)(void *data, double value_ns, uint64_t count), void *data);

/* Keeps the sample as a histogram, be there few values. */
void sample_outline(struct sample *sample);

/* The sample in outline that has what the statistic has, which it takes over. */
struct sample sample_of_statistic(const struct statistic *statistic);

/* That of a sample in outline: its histogram is borrowed. */
struct statistic sample_statistic(const struct sample *sample);

#endif
