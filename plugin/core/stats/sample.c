/* sample.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sample.h"

#include <math.h>

void
sample_clear(struct sample *sample)
{
    if (sample->is_outline) {
        histogram_clear(&sample->histogram);
    } else {
        ranking_clear(&sample->usual);
        ranking_clear(&sample->others);
        if (sample->removed_of_these)
            g_array_free(sample->removed_of_these, TRUE);
    }
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

/* A bucket has no room for what is negative. */
static uint32_t
bucket_for(int64_t value_ns)
{
    return bucket_of(MAX(value_ns, 0));
}

static void
count_ranking(struct histogram *histogram, const struct ranking *ranking)
{
    for (uint32_t i = 0; i < ranking->n; i++)
        histogram_add(histogram, bucket_for(ranking_unordered(ranking, i)), 1);
}

static void
count_values(struct histogram *histogram, const struct sample *sample)
{
    const GArray *removed = sample->removed_of_these;
    count_ranking(histogram, &sample->usual);
    count_ranking(histogram, &sample->others);
    for (unsigned i = 0; removed && i < removed->len; i++)
        histogram_remove(histogram, bucket_for(g_array_index(removed, int64_t, i)));
}

void
sample_outline(struct sample *sample)
{
    struct histogram histogram = { 0 };
    if (sample->is_outline)
        return;
    count_values(&histogram, sample);
    struct sample outline = *sample;
    outline.is_outline = true;
    outline.histogram = histogram;
    sample_clear(sample);
    *sample = outline;
}

/* Gives up the values of a sample that is not likely to have few again. */
static inline void
outline_many(struct sample *sample)
{
    if (sample->moments.count > SAMPLE_EXACT_MOST + SAMPLE_KEPT_MORE)
        sample_outline(sample);
}

inline void
sample_add(struct sample *sample, int64_t value_ns)
{
    if (sample->is_outline)
        histogram_add(&sample->histogram, bucket_for(value_ns), 1);
    else
        keep(sample, value_ns);
    moments_add(&sample->moments, value_ns);
    outline_many(sample);
}

static int
compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the values, of which those that were taken back are gone then. */
static void
settle_values(struct sample *sample)
{
    GArray *removed = sample->removed_of_these;
    ranking_sort(&sample->usual);
    ranking_sort(&sample->others);
    if (!removed)
        return;
    g_array_sort(removed, compare_values);
    ranking_remove(&sample->usual, (const int64_t *)(void *)removed->data, removed->len);
    ranking_remove(&sample->others, (const int64_t *)(void *)removed->data, removed->len);
    g_array_free(removed, TRUE);
    sample->removed_of_these = NULL;
}

static void
note_removed(struct sample *sample, int64_t value_ns)
{
    if (!sample->removed_of_these)
        sample->removed_of_these = g_array_new(FALSE, FALSE, sizeof(int64_t));
    g_array_append_val(sample->removed_of_these, value_ns);
    if (sample->removed_of_these->len > SAMPLE_EXACT_MOST)
        settle_values(sample);
}

static void
widen_removed(struct sample *sample, int64_t min, int64_t max)
{
    sample->removed_min = sample->has_removed ? MIN(sample->removed_min, min) : min;
    sample->removed_max = sample->has_removed ? MAX(sample->removed_max, max) : max;
    sample->has_removed = true;
}

void
sample_remove(struct sample *sample, int64_t value_ns)
{
    if (sample->is_outline)
        histogram_remove(&sample->histogram, bucket_for(value_ns));
    else
        note_removed(sample, value_ns);
    widen_removed(sample, value_ns, value_ns);
    sample->moments.count--;
    wide_subtract(&sample->moments.sum, wide_of(value_ns));
    wide_subtract(&sample->moments.squares, wide_square(value_ns));
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
    if (!sample->is_outline)
        return (double)at(sample, count_negative(sample), (uint32_t)rank);
    const struct statistic statistic = sample_statistic(sample);
    return statistic_value(&statistic, rank);
}

static void
merge_values(struct sample *sample, const struct sample *other)
{
    for (uint32_t i = 0; i < other->usual.n; i++)
        keep(sample, ranking_unordered(&other->usual, i));
    for (uint32_t i = 0; i < other->others.n; i++)
        keep(sample, ranking_unordered(&other->others, i));
    for (uint32_t i = 0; other->removed_of_these && i < other->removed_of_these->len; i++)
        note_removed(sample, g_array_index(other->removed_of_these, int64_t, i));
}

void
sample_merge(struct sample *sample, const struct sample *other)
{
    /* Of no values it is of no matter how they would be kept. */
    if (other->moments.count == 0 && !other->has_removed)
        return;
    if (other->is_outline)
        sample_outline(sample);
    if (other->is_outline)
        histogram_merge(&sample->histogram, &other->histogram);
    else if (sample->is_outline)
        count_values(&sample->histogram, other);
    else
        merge_values(sample, other);
    if (other->has_removed)
        widen_removed(sample, other->removed_min, other->removed_max);
    moments_merge(&sample->moments, &other->moments);
    outline_many(sample);
}

void
sample_describe(struct sample *sample, struct description *description)
{
    const unsigned n = sample_count(sample);
    if (n > SAMPLE_EXACT_MOST)
        sample_outline(sample);
    if (sample->is_outline) {
        const struct statistic statistic = sample_statistic(sample);
        statistic_describe(&statistic, description);
        return;
    }
    *description = (struct description){ n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    if (n == 0)
        return;
    settle_values(sample);
    description->mean = moments_mean(&sample->moments);
    description->std = moments_std(&sample->moments);
    description->min = sample_value(sample, 0);
    description->max = sample_value(sample, n - 1);
    description_percentiles(description, sample_value, sample);
}

void
sample_each(const struct sample *sample, void (*take)(void *data, double value_ns, uint64_t count), void *data)
{
    for (unsigned i = 0; !sample->is_outline && i < sample_count(sample); i++)
        take(data, sample_value(sample, i), 1);
    for (unsigned i = 0; sample->is_outline && i < histogram_length(&sample->histogram); i++) {
        const struct bar *bar = histogram_bar(&sample->histogram, i);
        take(data, bucket_middle(bar->bucket), bar->count);
    }
}

struct sample
sample_of_statistic(const struct statistic *statistic)
{
    return (struct sample){ .moments = statistic->moments, .is_outline = true, .histogram = statistic->histogram };
}

/* An extreme as low, or as high, as a value that was taken back need not be one any more: another of its bucket stands
 * for it. */
struct statistic
sample_statistic(const struct sample *sample)
{
    struct statistic statistic = { sample->moments, sample->histogram };
    struct moments *moments = &statistic.moments;
    const unsigned bars = histogram_length(&statistic.histogram);
    if (!sample->has_removed || bars == 0)
        return statistic;
    const double mean = moments_mean(moments);
    if (sample->removed_min <= moments->min)
        moments->min = (int64_t)MIN(bucket_middle(histogram_bar(&statistic.histogram, 0)->bucket), mean);
    if (sample->removed_max >= moments->max)
        moments->max = (int64_t)MAX(bucket_middle(histogram_bar(&statistic.histogram, bars - 1)->bucket), mean);
    return statistic;
}
