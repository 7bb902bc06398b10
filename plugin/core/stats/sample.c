/* sample.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sample.h"

#include <math.h>

static void
clear_outline(struct sample *sample)
{
    histogram_clear(&sample->histogram);
    if (sample->selection)
        selection_free(sample->selection);
}

static void
clear_values(struct sample *sample)
{
    ranking_clear(&sample->usual);
    ranking_clear(&sample->others);
    if (sample->removed)
        g_array_free(sample->removed, TRUE);
}

void
sample_clear(struct sample *sample)
{
    if (sample->is_outline)
        clear_outline(sample);
    else
        clear_values(sample);
    *sample = (struct sample){ 0 };
}

unsigned
sample_count(const struct sample *sample)
{
    return (unsigned)sample->moments.count;
}

static void
keep(struct sample *sample, int64_t value_ns)
{
    sample->others.is_wide = true;
    ranking_add(value_ns >= 0 && value_ns <= UINT32_MAX ? &sample->usual : &sample->others, value_ns);
}

static void
add_to_outline(struct sample *sample, int64_t value_ns)
{
    histogram_add(&sample->histogram, bucket_of(value_ns), 1);
    if (sample->values)
        values_add(sample->values, sample->number, value_ns);
}

inline void
sample_add(struct sample *sample, int64_t value_ns)
{
    if (sample->is_outline)
        add_to_outline(sample, value_ns);
    else
        keep(sample, value_ns);
    moments_add(&sample->moments, value_ns);
}

static void
note_removed(struct sample *sample, int64_t value_ns)
{
    if (!sample->removed)
        sample->removed = g_array_new(FALSE, FALSE, sizeof(int64_t));
    g_array_append_val(sample->removed, value_ns);
}

void
sample_remove(struct sample *sample, int64_t value_ns)
{
    note_removed(sample, value_ns);
    sample->moments.count--;
    wide_subtract(&sample->moments.sum, wide_of(value_ns));
    wide_subtract(&sample->moments.squares, wide_square(value_ns));
}

static int
compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* With everything sorted; `others` of which `below` are negative. */
static int64_t
at(const struct sample *sample, uint32_t below, uint32_t rank)
{
    const uint32_t usual = sample->usual.n;
    if (rank < below)
        return ranking_at(&sample->others, rank);
    return rank - below < usual ? ranking_at(&sample->usual, rank - below) : ranking_at(&sample->others, rank - usual);
}

static uint32_t
count_negative(const struct sample *sample)
{
    uint32_t low = 0;
    for (uint32_t high = sample->others.n; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (ranking_at(&sample->others, middle) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double
sample_value(const void *values, uint64_t rank)
{
    const struct sample *sample = values;
    return (double)at(sample, count_negative(sample), (uint32_t)rank);
}

static void
take_removed_out(struct sample *sample)
{
    GArray *removed = sample->removed;
    g_array_sort(removed, compare_values);
    ranking_remove(&sample->usual, (const int64_t *)(void *)removed->data, removed->len);
    ranking_remove(&sample->others, (const int64_t *)(void *)removed->data, removed->len);
    g_array_free(removed, TRUE);
    sample->removed = NULL;
    const uint32_t kept = sample_count(sample);
    sample->moments.min = kept ? at(sample, count_negative(sample), 0) : 0;
    sample->moments.max = kept ? at(sample, count_negative(sample), kept - 1) : 0;
}

static void
merge_outline(struct sample *sample, const struct sample *other)
{
    histogram_merge(&sample->histogram, &other->histogram);
    sample->lacks_values |= other->moments.count > 0;
}

static void
merge_values(struct sample *sample, const struct sample *other)
{
    for (uint32_t i = 0; i < other->usual.n; i++)
        keep(sample, ranking_unordered(&other->usual, i));
    for (uint32_t i = 0; i < other->others.n; i++)
        keep(sample, ranking_unordered(&other->others, i));
    for (uint32_t i = 0; other->removed && i < other->removed->len; i++)
        note_removed(sample, g_array_index(other->removed, int64_t, i));
}

void
sample_merge(struct sample *sample, const struct sample *other)
{
    if (other->is_outline)
        merge_outline(sample, other);
    else
        merge_values(sample, other);
    moments_merge(&sample->moments, &other->moments);
}

static void
describe_outline(const struct sample *sample, struct description *description)
{
    const struct statistic statistic = sample_statistic(sample);
    statistic_describe(&statistic, description);
    if (sample->selection)
        selection_describe(sample->selection, description);
}

void
sample_describe(struct sample *sample, struct description *description)
{
    unsigned n = sample_count(sample);
    if (sample->is_outline) {
        describe_outline(sample, description);
        return;
    }
    *description = (struct description){ n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    if (n == 0)
        return;
    ranking_sort(&sample->usual);
    ranking_sort(&sample->others);
    if (sample->removed)
        take_removed_out(sample);
    description->mean = moments_mean(&sample->moments);
    description->std = moments_std(&sample->moments);
    description->min = (double)sample->moments.min;
    description->max = (double)sample->moments.max;
    description_percentiles(description, sample_value, sample);
}

void
sample_outline(struct sample *sample, struct values *values)
{
    if (sample->is_outline)
        return;
    sample->is_outline = true;
    sample->values = values;
    sample->number = values ? values_begin(values, sample) : 0;
}

static void
select_value(void *data, int64_t value_ns)
{
    struct sample *sample = data;
    if (sample->lacks_values)
        return;
    if (!sample->selection)
        sample->selection = selection_new(&sample->histogram, sample->moments.count);
    selection_take(sample->selection, value_ns);
}

bool
samples_select(struct values *values)
{
    return values_each(values, select_value);
}

struct sample
sample_of_statistic(const struct statistic *statistic)
{
    return (struct sample){ .moments = statistic->moments, .is_outline = true, .histogram = statistic->histogram };
}

struct statistic
sample_statistic(const struct sample *sample)
{
    return (struct statistic){ sample->moments, sample->histogram };
}
