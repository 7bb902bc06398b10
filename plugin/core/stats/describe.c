/* describe.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
moments_add(struct moments *moments, int64_t value_ns)
{
    unsigned_wide size = (unsigned_wide)(value_ns < 0 ? -(wide)value_ns : (wide)value_ns);
    moments->min = moments->count ? MIN(moments->min, value_ns) : value_ns;
    moments->max = moments->count ? MAX(moments->max, value_ns) : value_ns;
    moments->count++;
    moments->sum += value_ns;
    if (__builtin_add_overflow(moments->squares, size * size, &moments->squares))
        moments->squares = ~(unsigned_wide)0;
}

void
moments_merge(struct moments *moments, const struct moments *other)
{
    if (other->count == 0)
        return;
    moments->min = moments->count ? MIN(moments->min, other->min) : other->min;
    moments->max = moments->count ? MAX(moments->max, other->max) : other->max;
    moments->count += other->count;
    moments->sum += other->sum;
    if (__builtin_add_overflow(moments->squares, other->squares, &moments->squares))
        moments->squares = ~(unsigned_wide)0;
}

double
wide_mean(wide sum, uint64_t count)
{
    return count ? (double)((long double)sum / (long double)count) : NAN;
}

double
moments_mean(const struct moments *moments)
{
    return wide_mean(moments->sum, moments->count);
}

/* The product's 256 bits. */
struct product {
    unsigned_wide high, low;
};

static struct product
multiply(unsigned_wide a, unsigned_wide b)
{
    const unsigned_wide half = UINT64_MAX;
    unsigned_wide low = (a & half) * (b & half);
    unsigned_wide middle = (a >> 64) * (b & half) + (low >> 64); /* cannot overflow, nor can the next */
    unsigned_wide other = (a & half) * (b >> 64) + (middle & half);
    return (struct product){ (a >> 64) * (b >> 64) + (middle >> 64) + (other >> 64), other << 64 | (low & half) };
}

/* The sum of squared distances to the mean is (n * squares - sum^2) / n: taken in integers, nothing cancels. */
double
moments_std(const struct moments *moments)
{
    unsigned_wide sum = (unsigned_wide)(moments->sum < 0 ? -moments->sum : moments->sum);
    struct product scaled = multiply(moments->count, moments->squares);
    struct product squared = multiply(sum, sum);
    long double n = (long double)moments->count;
    if (moments->count < 2)
        return NAN;
    unsigned_wide low = scaled.low - squared.low;
    unsigned_wide high = scaled.high - squared.high - (scaled.low < squared.low);
    return (double)sqrtl((ldexpl((long double)high, 128) + (long double)low) / n / (n - 1));
}

void
sample_clear(struct sample *sample)
{
    ranking_clear(&sample->usual);
    ranking_clear(&sample->others);
    if (sample->removed)
        g_array_free(sample->removed, TRUE);
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

void
sample_add(struct sample *sample, int64_t value_ns)
{
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
    sample->moments.sum -= value_ns;
    sample->moments.squares -= (unsigned_wide)((wide)value_ns * value_ns);
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

static double
value_at(const void *values, uint64_t rank)
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

void
sample_merge(struct sample *sample, const struct sample *other)
{
    for (uint32_t i = 0; i < other->usual.n; i++)
        keep(sample, ranking_unordered(&other->usual, i));
    for (uint32_t i = 0; i < other->others.n; i++)
        keep(sample, ranking_unordered(&other->others, i));
    for (uint32_t i = 0; other->removed && i < other->removed->len; i++)
        note_removed(sample, g_array_index(other->removed, int64_t, i));
    moments_merge(&sample->moments, &other->moments);
}

void
description_percentiles(struct description *description, double (*value_at_rank)(const void *values, uint64_t rank),
                        const void *values)
{
    const struct {
        double fraction;
        double *value;
    } percentiles[] = {
        { 0.25, &description->p25 }, { 0.50, &description->p50 }, { 0.75, &description->p75 },
        { 0.95, &description->p95 }, { 0.99, &description->p99 },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(percentiles); i++) {
        double rank = percentiles[i].fraction * (double)(description->count - 1);
        uint64_t below = (uint64_t)rank;
        double value = value_at_rank(values, below);
        if (rank > (double)below)
            value += (rank - (double)below) * (value_at_rank(values, below + 1) - value);
        *percentiles[i].value = value;
    }
}

void
sample_describe(struct sample *sample, struct description *description)
{
    unsigned n = sample_count(sample);
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
    description_percentiles(description, value_at, sample);
}
