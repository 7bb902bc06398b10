/* time_axis.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "time_axis.h"

#include <math.h>

#include <glib.h>

enum { NS_PER_MS = 1000000 };

/* As long as there are no more of them than MOMENTS_MOST: 1, 2 or 5 times a power of ten. */
static int64_t
moment_of(int64_t duration_ns)
{
    static const int64_t steps[] = { 1, 2, 5 };
    for (int64_t unit = NS_PER_MS; unit < INT64_MAX / 100; unit *= 10)
        for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++)
            if (duration_ns / (steps[i] * unit) < MOMENTS_MOST)
                return steps[i] * unit;
    return INT64_MAX;
}

void
time_axis_init(struct time_axis *time, int64_t first_ns, int64_t last_ns)
{
    if (first_ns < 0)
        last_ns = MIN(last_ns, first_ns + INT64_MAX);
    *time = (struct time_axis){ first_ns, last_ns, moment_of(last_ns - first_ns), 0, NULL };
    time->n = (unsigned)((last_ns - first_ns) / time->moment_ns) + 1;
    time->moments = g_new0(struct moment, time->n);
}

void
time_axis_clear(struct time_axis *time)
{
    g_free(time->moments);
}

unsigned
time_axis_find(const struct time_axis *time, int64_t time_ns)
{
    return (unsigned)((CLAMP(time_ns, time->first_ns, time->last_ns) - time->first_ns) / time->moment_ns);
}

unsigned
time_axis_bucket(int64_t ns)
{
    return ns < 1 ? 0 : MIN((unsigned)(log10((double)ns) * BUCKETS_OF_TEN), BUCKETS - 1);
}
