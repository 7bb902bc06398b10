/* describe.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

inline void
moments_add(struct moments *moments, int64_t value_ns)
{
    moments->min = moments->count ? MIN(moments->min, value_ns) : value_ns;
    moments->max = moments->count ? MAX(moments->max, value_ns) : value_ns;
    moments->count++;
    wide_add_int(&moments->sum, value_ns);
    unsigned_wide_add(&moments->squares, wide_square(value_ns));
}

void
moments_merge(struct moments *moments, const struct moments *other)
{
    if (other->count == 0)
        return;
    moments->min = moments->count ? MIN(moments->min, other->min) : other->min;
    moments->max = moments->count ? MAX(moments->max, other->max) : other->max;
    moments->count += other->count;
    wide_add(&moments->sum, other->sum);
    unsigned_wide_add(&moments->squares, other->squares);
}

double
wide_mean(wide sum, uint64_t count)
{
    const long double size = unsigned_wide_long_double(wide_size(sum));
    return count ? (double)((wide_is_negative(sum) ? -size : size) / (long double)count) : NAN;
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
    const unsigned_wide low = wide_multiply(a.low, b.low);
    unsigned_wide middle = wide_multiply(a.high, b.low), other = wide_multiply(a.low, b.high);
    unsigned_wide high = wide_multiply(a.high, b.high);
    wide_add(&middle, (wide){ low.high, 0 }); /* cannot overflow, nor can the next */
    wide_add(&other, (wide){ middle.low, 0 });
    wide_add(&high, (wide){ middle.high, 0 });
    wide_add(&high, (wide){ other.high, 0 });
    return (struct product){ high, { low.low, other.low } };
}

/* The sum of squared distances to the mean is (n * squares - sum^2) / n: taken in integers, nothing cancels. */
double
moments_std(const struct moments *moments)
{
    const unsigned_wide sum = wide_size(moments->sum);
    struct product scaled = multiply((wide){ moments->count, 0 }, moments->squares);
    const struct product squared = multiply(sum, sum);
    long double n = (long double)moments->count;
    if (moments->count < 2)
        return NAN;
    const unsigned_wide borrow = { scaled.low.high < squared.low.high ||
                                       (scaled.low.high == squared.low.high && scaled.low.low < squared.low.low),
                                   0 };
    wide_subtract(&scaled.low, squared.low);
    wide_subtract(&scaled.high, squared.high);
    wide_subtract(&scaled.high, borrow);
    const long double high = ldexpl(unsigned_wide_long_double(scaled.high), 128);
    return (double)sqrtl((high + unsigned_wide_long_double(scaled.low)) / n / (n - 1));
}

double
description_percentile(double share, uint64_t count, double (*value_at_rank)(const void *values, uint64_t rank),
                       const void *values)
{
    const double rank = share * (double)(count - 1);
    const uint64_t below = (uint64_t)rank;
    const double value = value_at_rank(values, below);
    return rank > (double)below ? value + (rank - (double)below) * (value_at_rank(values, below + 1) - value) : value;
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
    for (unsigned i = 0; i < G_N_ELEMENTS(percentiles); i++)
        *percentiles[i].value =
            description_percentile(percentiles[i].fraction, description->count, value_at_rank, values);
}
