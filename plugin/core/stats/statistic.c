/* statistic.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "statistic.h"

#include <math.h>

void
statistic_clear(void *value)
{
    struct statistic *statistic = value;
    histogram_clear(&statistic->histogram);
    *statistic = (struct statistic){ 0 };
}

void
statistic_add(struct statistic *statistic, int64_t value_ns)
{
    moments_add(&statistic->moments, value_ns);
    histogram_add(&statistic->histogram, bucket_of(value_ns), 1);
}

void
statistic_merge(struct statistic *statistic, const struct statistic *other)
{
    moments_merge(&statistic->moments, &other->moments);
    histogram_merge(&statistic->histogram, &other->histogram);
}

double
statistic_value(const void *values, uint64_t k)
{
    const struct statistic *statistic = values;
    const struct moments *moments = &statistic->moments;
    if (k == 0)
        return (double)moments->min;
    if (k + 1 >= moments->count)
        return (double)moments->max;
    uint64_t below = 0;
    for (unsigned i = 0; i < histogram_length(&statistic->histogram); i++) {
        const struct bar *bar = histogram_bar(&statistic->histogram, i);
        below += bar->count;
        if (k < below)
            return CLAMP(bucket_middle(bar->bucket), (double)moments->min, (double)moments->max);
    }
    return (double)moments->max;
}

void
statistic_describe(const struct statistic *statistic, struct description *description)
{
    const struct moments *moments = &statistic->moments;
    *description = (struct description){ moments->count, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    if (moments->count == 0)
        return;
    description->mean = moments_mean(moments);
    description->std = moments_std(moments);
    description->min = (double)moments->min;
    description->max = (double)moments->max;
    description_percentiles(description, statistic_value, statistic);
}
