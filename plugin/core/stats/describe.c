/* describe.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tail this short is merged by moving, a longer one by a merge of the whole. */
enum { TAIL_LONGEST = 4096, INSERTIONS = 16 };

#define VALUE(array, i) g_array_index(array, int64_t, i)

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
    GArray *arrays[] = { sample->sorted, sample->tail, sample->removed };
    for (unsigned i = 0; i < G_N_ELEMENTS(arrays); i++)
        if (arrays[i])
            g_array_free(arrays[i], TRUE);
    *sample = (struct sample){ 0 };
}

unsigned
sample_count(const struct sample *sample)
{
    return (unsigned)sample->moments.count;
}

void
sample_add(struct sample *sample, int64_t value_ns)
{
    if (!sample->tail) {
        sample->sorted = g_array_new(FALSE, FALSE, sizeof(int64_t));
        sample->tail = g_array_new(FALSE, FALSE, sizeof(int64_t));
    }
    g_array_append_val(sample->tail, value_ns);
    moments_add(&sample->moments, value_ns);
}

void
sample_remove(struct sample *sample, int64_t value_ns)
{
    if (!sample->removed)
        sample->removed = g_array_new(FALSE, FALSE, sizeof(int64_t));
    g_array_append_val(sample->removed, value_ns);
    sample->moments.count--;
    sample->moments.sum -= value_ns;
    sample->moments.squares -= (unsigned_wide)((wide)value_ns * value_ns);
}

static void
add_all(struct sample *sample, GArray *values, void (*add)(struct sample *sample, int64_t value_ns))
{
    for (unsigned i = 0; values && i < values->len; i++)
        add(sample, VALUE(values, i));
}

void
sample_merge(struct sample *sample, const struct sample *other)
{
    add_all(sample, other->sorted, sample_add);
    add_all(sample, other->tail, sample_add);
    add_all(sample, other->removed, sample_remove);
}

static int
compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* How many of the first `n` values are at most `value`. */
static unsigned
rank_of(GArray *array, unsigned n, int64_t value)
{
    unsigned low = 0;
    while (low < n) {
        unsigned middle = low + (n - low) / 2;
        if (VALUE(array, middle) <= value)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static void
sort_tail(struct sample *sample)
{
    GArray *tail = sample->tail;
    if (tail->len - sample->tail_sorted > INSERTIONS) {
        qsort(tail->data, tail->len, sizeof(int64_t), compare_values);
    } else {
        for (unsigned i = sample->tail_sorted; i < tail->len; i++) {
            int64_t value = VALUE(tail, i);
            unsigned at = rank_of(tail, i, value);
            memmove(&VALUE(tail, at + 1), &VALUE(tail, at), (i - at) * sizeof(int64_t));
            VALUE(tail, at) = value;
        }
    }
    sample->tail_sorted = tail->len;
}

static void
merge_tail(struct sample *sample)
{
    unsigned from = sample->sorted->len;
    unsigned tail = sample->tail->len;
    sample->tail_sorted = 0;
    if (from == 0) {
        GArray *empty = sample->sorted;
        sample->sorted = sample->tail;
        sample->tail = empty;
        return;
    }
    g_array_set_size(sample->sorted, from + tail);
    for (unsigned to = from + tail; tail > 0;) {
        if (from > 0 && VALUE(sample->sorted, from - 1) > VALUE(sample->tail, tail - 1))
            VALUE(sample->sorted, --to) = VALUE(sample->sorted, --from);
        else
            VALUE(sample->sorted, --to) = VALUE(sample->tail, --tail);
    }
    g_array_set_size(sample->tail, 0);
}

/* Takes what is removed out of the others, with everything sorted. */
static void
take_removed_out(struct sample *sample)
{
    sort_tail(sample);
    merge_tail(sample);
    GArray *sorted = sample->sorted;
    GArray *removed = sample->removed;
    unsigned kept = 0, taken = 0;
    qsort(removed->data, removed->len, sizeof(int64_t), compare_values);
    for (unsigned i = 0; i < sorted->len; i++) {
        if (taken < removed->len && VALUE(sorted, i) == VALUE(removed, taken))
            taken++;
        else
            VALUE(sorted, kept++) = VALUE(sorted, i);
    }
    g_array_set_size(sorted, kept);
    g_array_free(removed, TRUE);
    sample->removed = NULL;
    sample->moments.min = kept ? VALUE(sorted, 0) : 0;
    sample->moments.max = kept ? VALUE(sorted, kept - 1) : 0;
}

/* The value of rank `k`, from 0, over both sorted arrays: bisects how many of them come from `sorted`. */
static double
value_at(const void *values, uint64_t rank)
{
    const struct sample *sample = values;
    unsigned k = (unsigned)rank;
    GArray *a = sample->sorted;
    GArray *b = sample->tail;
    unsigned low = k > b->len ? k - b->len : 0;
    unsigned high = MIN(k, a->len);
    while (low < high) {
        unsigned i = low + (high - low) / 2;
        if (VALUE(b, k - i - 1) > VALUE(a, i))
            low = i + 1;
        else
            high = i;
    }
    if (low == a->len)
        return (double)VALUE(b, k - low);
    if (k - low == b->len)
        return (double)VALUE(a, low);
    return (double)MIN(VALUE(a, low), VALUE(b, k - low));
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
    sort_tail(sample);
    if (sample->tail->len > TAIL_LONGEST)
        merge_tail(sample);
    if (sample->removed)
        take_removed_out(sample);
    description->mean = moments_mean(&sample->moments);
    description->std = moments_std(&sample->moments);
    description->min = (double)sample->moments.min;
    description->max = (double)sample->moments.max;
    description_percentiles(description, value_at, sample);
}
