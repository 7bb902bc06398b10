/* test-histogram.c
 * Buckets against the rule as docs/json.md has it, and histograms against the samples they stand for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include <glib.h>

#include "core/stats/sample.h"
#include "core/stats/statistic.h"

enum { ROUNDS = 200, VALUES_MOST = 300, PIECES = 4 };

/* Times of every size alike. */
static int64_t
random_time(void)
{
    return (int64_t)((uint64_t)g_test_rand_double_range(0, 1e18) >> g_test_rand_int_range(0, 60));
}

/* "e = floor(log2 value) - 7 and the bucket 128 e + floor(value / 2^e)" */
static uint32_t
naive_bucket(int64_t value)
{
    uint32_t exponent = 0;
    if (value < 128)
        return (uint32_t)value;
    while (value >> exponent >= 256)
        exponent++;
    return 128 * exponent + (uint32_t)(value >> exponent);
}

static void
test_buckets(void)
{
    for (unsigned i = 0; i < 100000; i++) {
        int64_t value = random_time();
        g_assert_cmpuint(bucket_of(value), ==, naive_bucket(value));
        g_assert_cmpfloat(fabs(bucket_middle(bucket_of(value)) - (double)value), <=, 0.004 * (double)value);
    }
    g_assert_cmpuint(bucket_of(0), ==, 0);
    g_assert_cmpuint(bucket_of(INT64_MAX) + 1, ==, HISTOGRAM_BUCKETS);
}

/* No gap and no overlap where the width changes. */
static void
test_edges(void)
{
    for (unsigned bit = 7; bit < 63; bit++) {
        int64_t edge = INT64_C(1) << bit;
        g_assert_cmpuint(bucket_of(edge), ==, bucket_of(edge - 1) + 1);
        g_assert_cmpuint(bucket_of(edge), ==, 128 * (bit - 7) + 128);
    }
}

static void
expect_near(double got, double exact)
{
    g_assert_cmpfloat(fabs(got - exact), <=, 0.004 * exact + 1e-9);
}

/* The statistic of a sample, in any number of pieces: exact but for percentiles. */
static void
test_statistic(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned n = (unsigned)g_test_rand_int_range(1, VALUES_MOST);
        struct statistic pieces[PIECES], whole = { 0 };
        struct sample sample = { 0 };
        struct description got, exact;
        memset(pieces, 0, sizeof pieces);
        for (unsigned i = 0; i < n; i++) {
            int64_t value = random_time() >> 10;
            sample_add(&sample, value);
            statistic_add(&pieces[g_test_rand_int_range(0, PIECES)], value);
        }
        for (unsigned i = 0; i < PIECES; i++) {
            statistic_merge(&whole, &pieces[i]);
            statistic_clear(&pieces[i]);
        }
        sample_describe(&sample, &exact);
        statistic_describe(&whole, &got);
        g_assert_cmpuint(got.count, ==, exact.count);
        g_assert_cmpfloat(got.mean, ==, exact.mean);
        g_assert_true(got.std == exact.std || n == 1);
        g_assert_cmpfloat(got.min, ==, exact.min);
        g_assert_cmpfloat(got.max, ==, exact.max);
        expect_near(got.p25, exact.p25);
        expect_near(got.p50, exact.p50);
        expect_near(got.p75, exact.p75);
        expect_near(got.p95, exact.p95);
        expect_near(got.p99, exact.p99);
        statistic_clear(&whole);
        sample_clear(&sample);
    }
}

static void
test_empty(void)
{
    struct statistic empty = { 0 };
    struct description description;
    statistic_describe(&empty, &description);
    g_assert_cmpuint(description.count, ==, 0);
    g_assert_true(isnan(description.mean) && isnan(description.p50) && isnan(description.max));
    statistic_clear(&empty);
}

void
histogram_tests_add(void)
{
    g_test_add_func("/histogram/buckets", test_buckets);
    g_test_add_func("/histogram/edges", test_edges);
    g_test_add_func("/histogram/statistic", test_statistic);
    g_test_add_func("/histogram/empty", test_empty);
}
