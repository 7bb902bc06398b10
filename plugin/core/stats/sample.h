/* sample.h
 * A sample of times, which tells percentiles: of all its values or, in outline, of a histogram.
 *
 * 4 bytes a value of less than 4.29 s (2^32 ns), 8 a longer one. In outline it does not grow with its values: these are
 * nowhere, or on disk.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SAMPLE_H
#define LATENCY_SAMPLE_H

#include <stdbool.h>

#include <glib.h>

#include "ranking.h"
#include "selection.h"
#include "statistic.h"
#include "values.h"

/* All zero for no values. */
struct sample {
    struct moments moments;
    bool is_outline;
    bool lacks_values; /* in outline: some are known from a histogram only */
    union {
        struct {
            struct ranking usual;  /* at least 0, and less than 2^32 */
            struct ranking others; /* below and above */
            GArray *removed;       /* of int64_t: still among the others; NULL if there are none */
        };
        struct {
            struct histogram histogram;
            struct values *values;       /* where they are kept; NULL: nowhere */
            uint32_t number;             /* of the sample, there */
            struct selection *selection; /* once they have been seen again; else NULL */
        };
    };
};

/* Call sample_clear() when done with it. */
void sample_add(struct sample *sample, int64_t value_ns);

/* Takes the other's values, too. One in outline is taken by one in outline alone. */
void sample_merge(struct sample *sample, const struct sample *other);

/* Takes back a value that was added; none is of a sample in outline. */
void sample_remove(struct sample *sample, int64_t value_ns);

/* Frees what the sample has allocated: it is empty then. */
void sample_clear(struct sample *sample);

unsigned sample_count(const struct sample *sample);

/* Not const: it sorts what was added since the last call. */
void sample_describe(struct sample *sample, struct description *description);

/* Returns the value of a rank, from 0, of a struct sample that is not in outline, and has been described since it got
 * its last value. */
double sample_value(const void *sample, uint64_t rank);

/* Keeps the sample, which has no values or is kept so already, in outline. `values`: where they go, from where
 * samples_select() has them again; NULL: nowhere. The sample must stay where it is. */
void sample_outline(struct sample *sample, struct values *values);

/* Sees the values again, so that percentiles are exact of all samples of which all values came. False if the disk
 * failed. */
bool samples_select(struct values *values);

/* The sample in outline that has what the statistic has, which it takes over. */
struct sample sample_of_statistic(const struct statistic *statistic);

/* The outline, borrowed. */
struct statistic sample_statistic(const struct sample *sample);

#endif
