/* test-describe.c
 * Statistics against an independent, naive computation: all values sorted anew, sums in extended precision.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <glib.h>

#include "core/stats/sample.h"

static int
compare_values(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* pandas: linear interpolation at rank p (n - 1), from 0. */
static double
naive_percentile(const int64_t *sorted, size_t n, unsigned percent)
{
    long double rank = (long double)percent * (long double)(n - 1) / 100;
    size_t below = (size_t)rank;
    size_t above = below + 1 < n ? below + 1 : below;
    long double low = (long double)sorted[below], high = (long double)sorted[above];
    return (double)(low + (high - low) * (rank - (long double)below));
}

/* Of at least one value; sorts them. */
static struct description
naive_describe(int64_t *values, size_t n)
{
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)values[i];
    long double mean = sum / (long double)n;
    for (size_t i = 0; i < n; i++)
        squares += ((long double)values[i] - mean) * ((long double)values[i] - mean);
    qsort(values, n, sizeof *values, compare_values);
    return (struct description){
        .count = n,
        .mean = (double)mean,
        .std = n < 2 ? NAN : (double)sqrtl(squares / (long double)(n - 1)),
        .min = (double)values[0],
        .p25 = naive_percentile(values, n, 25),
        .p50 = naive_percentile(values, n, 50),
        .p75 = naive_percentile(values, n, 75),
        .p95 = naive_percentile(values, n, 95),
        .p99 = naive_percentile(values, n, 99),
        .max = (double)values[n - 1],
    };
}

/* What double precision allows: relative to the value, and to the size of the numbers that it is a difference of. */
static void
check_close(double actual, double expected, double size)
{
    if (!(fabs(actual - expected) <= 1e-9 * fabs(expected) + 16 * DBL_EPSILON * size)) /* so that NAN fails */
        g_assert_cmpfloat(actual, ==, expected);
}

static void
check_empty(struct sample *sample)
{
    struct description is;
    sample_describe(sample, &is);
    g_assert_cmpuint(is.count, ==, 0);
    const double values[] = { is.mean, is.std, is.min, is.p25, is.p50, is.p75, is.p95, is.p99, is.max };
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        g_assert_true(isnan(values[i]));
}

/* Compares with what the naive way makes of the first n values. */
static void
check(struct sample *sample, const int64_t *values, size_t n)
{
    if (n == 0) {
        check_empty(sample);
        return;
    }
    struct description is;
    int64_t *copy = g_memdup2(values, n * sizeof *values);
    struct description expected = naive_describe(copy, n);
    g_free(copy);
    sample_describe(sample, &is);
    double size = MAX(fabs(expected.min), fabs(expected.max));
    g_assert_cmpuint(is.count, ==, n);
    check_close(is.mean, expected.mean, size);
    if (n < 2)
        g_assert_true(isnan(is.std));
    else
        check_close(is.std, expected.std, size);
    g_assert_cmpfloat(is.min, ==, expected.min);
    g_assert_cmpfloat(is.max, ==, expected.max);
    check_close(is.p25, expected.p25, 0);
    check_close(is.p50, expected.p50, 0);
    check_close(is.p75, expected.p75, 0);
    check_close(is.p95, expected.p95, 0);
    check_close(is.p99, expected.p99, 0);
}

/* The i-th of n values, in an order that may be awkward for a sorted list with a tail. */
static int64_t
value_of(unsigned order, size_t i, size_t n, GRand *random)
{
    const int64_t second = 1000000000;
    int64_t at = (int64_t)i, count = (int64_t)n;
    switch (order) {
    case 0:
        return g_rand_int_range(random, 0, INT32_MAX);
    case 1: /* few different ones */
        return g_rand_int_range(random, 0, 5) * second;
    case 2:
        return at * 1000;
    case 3:
        return (count - at) * 1000;
    case 4:
        return 7 * second;
    case 5: /* from both ends to the middle */
        return i % 2 == 0 ? at : 2 * count - at;
    case 6: /* a long time, and differences far below it */
        return 1000000 * second + g_rand_int_range(random, 0, 1000);
    case 7: /* a heavy tail, ns to hours */
        return (int64_t)exp(g_rand_double_range(random, 0, 30));
    case 8: /* each a little below all before, but the first half */
        return at < count / 2 ? at * second : -at + count;
    default: /* zeros, and a last one */
        return i + 1 == n ? second : 0;
    }
}

enum { ORDERS = 10 };

static int64_t *
values_of(unsigned order, size_t n)
{
    GRand *random = g_rand_new_with_seed((guint32)(order * 100003 + n));
    int64_t *values = g_new(int64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        values[i] = value_of(order, i, n, random);
    g_rand_free(random);
    return values;
}

static void
test_sizes(void)
{
    static const size_t sizes[] = { 0,    1,    2,    3,    4,    5,     7,     10,    20,    21,    31,
                                    32,   33,   63,   64,   65,   100,   101,   127,   128,   129,   255,
                                    256,  257,  511,  512,  513,  1000,  1023,  1024,  1025,  2047,  2048,
                                    2049, 4095, 4096, 4097, 9999, 16385, 20000, 65536, 65537, 200000 };
    for (unsigned order = 0; order < ORDERS; order++) {
        for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
            struct sample sample = { 0 };
            int64_t *values = values_of(order, sizes[s]);
            for (size_t i = 0; i < sizes[s]; i++)
                sample_add(&sample, values[i]);
            check(&sample, values, sizes[s]);
            check(&sample, values, sizes[s]); /* describing changes nothing */
            sample_clear(&sample);
            g_free(values);
        }
    }
}

/* As a live capture's table is redrawn: after each of the first values, later ever more seldom. */
static void
test_while_growing(void)
{
    enum { EACH = 600, N = 20000 };
    for (unsigned order = 0; order < ORDERS; order++) {
        struct sample sample = { 0 };
        int64_t *values = values_of(order, N);
        size_t next = EACH;
        check(&sample, values, 0);
        for (size_t i = 0; i < N; i++) {
            sample_add(&sample, values[i]);
            if (i < EACH || i == next) {
                check(&sample, values, i + 1);
                next = i < EACH ? EACH : next + next / 3;
            }
        }
        check(&sample, values, N);
        sample_clear(&sample);
        g_free(values);
    }
}

/* What is taken back, the newest or older ones, while the sample is looked at or not, was never there. */
static void
test_taken_back(void)
{
    enum { N = 500 };
    for (unsigned order = 0; order < ORDERS; order++) {
        struct sample sample = { 0 };
        int64_t *values = values_of(order, N), *left = g_new(int64_t, N);
        size_t n = 0;
        for (size_t i = 0; i < N; i++) {
            sample_add(&sample, values[i]);
            if (i % 7 == 0)
                check(&sample, values, i + 1);
        }
        for (size_t i = N; i-- > 0;) {
            if (i % 3 != 0) {
                left[n++] = values[i];
                continue;
            }
            sample_remove(&sample, values[i]);
        }
        check(&sample, left, n);
        while (n > 0)
            sample_remove(&sample, left[--n]);
        check(&sample, left, 0);
        sample_clear(&sample);
        g_free(values);
        g_free(left);
    }
}

/* By hand, for 1 2 3 4 in the order 3 1 4 2: the mean is 10 / 4; squared distances 2.25 + 0.25 + 0.25 + 2.25 = 5, over
 * n - 1 = 3, of which the root. Percentiles are at ranks 0.75, 1.5, 2.25, 2.85, 2.97 of 0 to 3; at rank r is 1 + r. */
static void
test_by_hand(void)
{
    static const int64_t values[] = { 3, 1, 4, 2 };
    struct sample sample = { 0 };
    struct description is;
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        sample_add(&sample, values[i]);
    sample_describe(&sample, &is);
    sample_clear(&sample);
    g_assert_cmpuint(is.count, ==, 4);
    check_close(is.mean, 2.5, 0);
    check_close(is.std, 1.2909944487358056, 0);
    check_close(is.min, 1, 0);
    check_close(is.p25, 1.75, 0);
    check_close(is.p50, 2.5, 0);
    check_close(is.p75, 3.25, 0);
    check_close(is.p95, 3.85, 0);
    check_close(is.p99, 3.97, 0);
    check_close(is.max, 4, 0);
}

/* Samples whose values are on disk, one among another's. Until they are seen again, and of one of which some are not
 * there, percentiles are those of a histogram. */
static void
test_outline(void)
{
    enum { VALUES = 3000 };
    struct values *values = values_new();
    struct sample samples[ORDERS] = { 0 };
    struct statistic elsewhere = { 0 };
    struct description is;
    int64_t *of[ORDERS];
    for (unsigned order = 0; order < ORDERS; order++) {
        of[order] = values_of(order, VALUES);
        sample_outline(&samples[order], values);
    }
    for (size_t i = 0; i < VALUES; i++)
        for (unsigned order = 0; order < ORDERS; order++)
            sample_add(&samples[order], of[order][i]);
    statistic_add(&elsewhere, 1000);
    struct sample other = sample_of_statistic(&elsewhere);
    sample_merge(&samples[2], &other);
    g_assert_true(samples_select(values));
    for (unsigned order = 0; order < ORDERS; order++)
        if (order != 2)
            check(&samples[order], of[order], VALUES);
    sample_describe(&samples[2], &is);
    g_assert_cmpuint(is.count, ==, VALUES + 1);
    g_assert_cmpfloat(fabs(is.p50 - 1499000), >, 0);
    g_assert_cmpfloat(fabs(is.p50 - 1499000), <=, 0.004 * 1499000);
    for (unsigned order = 0; order < ORDERS; order++) {
        sample_clear(&samples[order]);
        g_free(of[order]);
    }
    sample_clear(&other);
    values_free(values);
}

void
describe_tests_add(void)
{
    g_test_add_func("/describe/by-hand", test_by_hand);
    g_test_add_func("/describe/sizes", test_sizes);
    g_test_add_func("/describe/while-growing", test_while_growing);
    g_test_add_func("/describe/taken-back", test_taken_back);
    g_test_add_func("/describe/outline", test_outline);
}
