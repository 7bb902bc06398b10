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
