/* histogram.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "histogram.h"

#include <stdbool.h>

enum { SMALL = 1 << HISTOGRAM_BITS };

uint32_t
bucket_of(int64_t value_ns)
{
    uint64_t value = (uint64_t)value_ns;
    if (value < SMALL)
        return (uint32_t)value;
    uint32_t exponent = 63 - (uint32_t)__builtin_clzll(value) - HISTOGRAM_BITS;
    return SMALL * exponent + (uint32_t)(value >> exponent);
}

double
bucket_middle(uint32_t bucket)
{
    if (bucket < SMALL)
        return bucket;
    uint32_t exponent = bucket / SMALL - 1;
    uint64_t low = (uint64_t)(bucket - SMALL * exponent) << exponent;
    return (double)low + (double)((UINT64_C(1) << exponent) - 1) / 2;
}

void
histogram_clear(struct histogram *histogram)
{
    if (histogram->bars)
        g_array_free(histogram->bars, TRUE);
    histogram->bars = NULL;
}

unsigned
histogram_length(const struct histogram *histogram)
{
    return histogram->bars ? histogram->bars->len : 0;
}

const struct bar *
histogram_bar(const struct histogram *histogram, unsigned i)
{
    return &g_array_index(histogram->bars, struct bar, i);
}

/* Returns where the bucket is, or would be. */
static unsigned
find(const struct histogram *histogram, uint32_t bucket)
{
    unsigned low = 0;
    for (unsigned high = histogram_length(histogram); low < high;) {
        unsigned middle = low + (high - low) / 2;
        if (histogram_bar(histogram, middle)->bucket < bucket)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
has(const struct histogram *histogram, unsigned at, uint32_t bucket)
{
    return at < histogram_length(histogram) && histogram_bar(histogram, at)->bucket == bucket;
}

void
histogram_add(struct histogram *histogram, uint32_t bucket, uint64_t count)
{
    const unsigned at = find(histogram, bucket);
    const struct bar bar = { bucket, count };
    if (!histogram->bars)
        histogram->bars = g_array_new(FALSE, FALSE, sizeof(struct bar));
    if (has(histogram, at, bucket))
        g_array_index(histogram->bars, struct bar, at).count += count;
    else
        g_array_insert_val(histogram->bars, at, bar);
}

void
histogram_remove(struct histogram *histogram, uint32_t bucket)
{
    const unsigned at = find(histogram, bucket);
    if (has(histogram, at, bucket) && --g_array_index(histogram->bars, struct bar, at).count == 0)
        g_array_remove_index(histogram->bars, at);
}

void
histogram_merge(struct histogram *histogram, const struct histogram *other)
{
    for (unsigned i = 0; i < histogram_length(other); i++)
        histogram_add(histogram, histogram_bar(other, i)->bucket, histogram_bar(other, i)->count);
}
