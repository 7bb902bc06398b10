/* test-describe.c
 * Statistics against an independent, naive computation: all values sorted anew, sums in extended precision.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Percentiles of more values than SAMPLE_EXACT_MOST are in a bucket with the right one. */
static void
check_percentiles(const struct description *is, const struct description *expected, bool is_exact)
{
    const double pairs[][2] = {
        { is->p25, expected->p25 }, { is->p50, expected->p50 }, { is->p75, expected->p75 },
        { is->p95, expected->p95 }, { is->p99, expected->p99 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
        if (is_exact)
            check_close(pairs[i][0], pairs[i][1], 0);
        else
            g_assert_cmpfloat(fabs(pairs[i][0] - pairs[i][1]), <=, 0.004 * fabs(pairs[i][1]));
    }
}

/* Compares with what the naive way makes of the first n values, to which `removed` more had been added before they were
 * taken back. */
static void
check_less(struct sample *sample, const int64_t *values, size_t n, size_t removed)
{
    const bool is_exact = n <= SAMPLE_EXACT_MOST && n + removed <= SAMPLE_EXACT_MOST + SAMPLE_KEPT_MORE;
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
    const double off = is_exact || removed == 0 ? 0 : 0.004;
    g_assert_cmpfloat(fabs(is.min - expected.min), <=, off * expected.min);
    g_assert_cmpfloat(fabs(is.max - expected.max), <=, off * expected.max);
    check_percentiles(&is, &expected, is_exact);
}

static void
check(struct sample *sample, const int64_t *values, size_t n)
{
    check_less(sample, values, n, 0);
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
    static const size_t sizes[] = { 500, SAMPLE_EXACT_MOST + SAMPLE_KEPT_MORE, SAMPLE_EXACT_MOST + SAMPLE_KEPT_MORE + 1,
                                    9000 };
    for (unsigned each = 0; each < ORDERS * G_N_ELEMENTS(sizes); each++) {
        const size_t size = sizes[each / ORDERS];
        struct sample sample = { 0 };
        int64_t *values = values_of(each % ORDERS, size), *left = g_new(int64_t, size);
        size_t n = 0;
        for (size_t i = 0; i < size; i++) {
            sample_add(&sample, values[i]);
            if (i % 7 == 0 && i < 500)
                check(&sample, values, i + 1);
        }
        for (size_t i = size; i-- > 0;) {
            if (i % 3 != 0) {
                left[n++] = values[i];
                continue;
            }
            sample_remove(&sample, values[i]);
        }
        check_less(&sample, left, n, size - n);
        while (n > 0)
            sample_remove(&sample, left[--n]);
        check(&sample, left, 0);
        sample_clear(&sample);
        g_free(values);
        g_free(left);
    }
}

/* Adds the values to some samples, in any order, where some are taken back, and merges these in any order. */
static struct sample
merged_of(const int64_t *values, size_t n, GRand *random)
{
    enum { PARTS = 5 };
    struct sample parts[PARTS] = { 0 }, whole = { 0 };
    struct description unused;
    const unsigned n_parts = (unsigned)g_rand_int_range(random, 1, PARTS + 1);
    const size_t first = (size_t)g_rand_int_range(random, 0, (gint32)n);
    for (size_t i = 0; i < n; i++) {
        const int64_t value = values[(first + i) % n];
        struct sample *part = &parts[g_rand_int_range(random, 0, (gint32)n_parts)];
        sample_add(part, value);
        if (value % 11 == 0)
            sample_remove(part, value);
        if (value % 997 == 0)
            sample_describe(part, &unused);
    }
    for (unsigned i = 0; i < n_parts; i++) {
        sample_merge(&whole, &parts[i]);
        sample_clear(&parts[i]);
    }
    return whole;
}

/* Which values there were decides, not how they came: every figure is the same to the last bit. */
static void
test_merged(void)
{
    static const size_t sizes[] = { 1, 100, SAMPLE_EXACT_MOST - 1, SAMPLE_EXACT_MOST, SAMPLE_EXACT_MOST + 1, 30000 };
    GRand *random = g_rand_new_with_seed(41);
    for (unsigned each = 0; each < ORDERS * G_N_ELEMENTS(sizes); each++) {
        const size_t size = sizes[each / ORDERS];
        int64_t *values = values_of(each % ORDERS, size);
        struct description first, other;
        for (unsigned way = 0; way < 6; way++) {
            struct sample sample = merged_of(values, size, random);
            memset(way ? &other : &first, 0, sizeof first);
            sample_describe(&sample, way ? &other : &first);
            g_assert_true(sample.is_outline == (sample_count(&sample) > SAMPLE_EXACT_MOST));
            if (way)
                g_assert_cmpmem(&first, sizeof first, &other, sizeof other);
            sample_clear(&sample);
        }
        g_free(values);
    }
    g_rand_free(random);
}

/* Corrected again and again, as many values as are exact stay so, in bounded memory, and extremes that are none any more
 * do not stay; a minimum is never above the mean, nor a maximum below it. */
static void
test_corrected(void)
{
    enum { ROUNDS = 20 };
    int64_t *values = values_of(7, SAMPLE_EXACT_MOST);
    struct sample sample = { 0 }, few = { 0 };
    struct description is;
    for (size_t i = 0; i < ROUNDS * SAMPLE_EXACT_MOST; i++) {
        const int64_t value = values[i % SAMPLE_EXACT_MOST];
        if (i >= SAMPLE_EXACT_MOST)
            sample_remove(&sample, value);
        sample_add(&sample, value);
        g_assert_cmpuint(sample.usual.n, <=, 2 * SAMPLE_EXACT_MOST + 2);
    }
    check(&sample, values, SAMPLE_EXACT_MOST);
    sample_clear(&sample);
    sample_outline(&few);
    for (int64_t value = 1000000; value < 1000005; value++)
        sample_add(&few, value);
    sample_remove(&few, 1000000);
    sample_describe(&few, &is);
    g_assert_cmpfloat(is.min, <=, is.mean);
    g_assert_cmpfloat(is.min, >=, 996000);
    g_assert_cmpfloat(is.max, ==, 1000004);
    sample_clear(&few);
    g_free(values);
}

/* Of hundreds of thousands of values a sample takes no more memory than of a few thousand. */
static void
test_bounded(void)
{
    struct sample sample = { 0 };
    for (size_t i = 0; i < 1000000; i++)
        sample_add(&sample, (int64_t)(i * 7919 % 1000003) * 1000);
    g_assert_true(sample.is_outline);
    g_assert_cmpuint(histogram_length(&sample.histogram), <, 2000);
    sample_clear(&sample);
}

static void
count_one(void *data, double value_ns G_GNUC_UNUSED, uint64_t count)
{
    *(uint64_t *)data += count;
}

/* All are told of, once each; ranks and what they are called agree. */
static void
test_each(void)
{
    static const size_t sizes[] = { 0, 1, SAMPLE_EXACT_MOST, 20000 };
    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct sample sample = { 0 };
        struct description is;
        int64_t *values = values_of(7, sizes[i]);
        uint64_t count = 0;
        for (size_t j = 0; j < sizes[i]; j++)
            sample_add(&sample, values[j]);
        sample_describe(&sample, &is);
        sample_each(&sample, count_one, &count);
        g_assert_cmpuint(count, ==, sizes[i]);
        for (size_t j = 1; j < sizes[i]; j += 97)
            g_assert_cmpfloat(sample_value(&sample, j - 1), <=, sample_value(&sample, j));
        sample_clear(&sample);
        g_free(values);
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

/* What comes from a file is a histogram, be there few values, and so is what it is merged with. */
static void
test_outline(void)
{
    enum { VALUES = 3000 };
    struct sample samples[2] = { 0 };
    struct statistic elsewhere = { 0 };
    struct description is[2];
    int64_t *values = values_of(2, VALUES);
    for (size_t i = 0; i < VALUES; i++) {
        sample_add(&samples[0], values[i]);
        statistic_add(&elsewhere, values[i]);
    }
    struct sample other = sample_of_statistic(&elsewhere), empty = sample_of_statistic(&(struct statistic){ 0 });
    sample_merge(&samples[0], &empty);
    check(&samples[0], values, VALUES);
    sample_merge(&samples[1], &other);
    sample_merge(&samples[1], &samples[0]);
    sample_merge(&samples[0], &other);
    for (unsigned i = 0; i < 2; i++) {
        memset(&is[i], 0, sizeof is[i]);
        sample_describe(&samples[i], &is[i]);
        sample_clear(&samples[i]);
    }
    g_assert_cmpmem(&is[0], sizeof is[0], &is[1], sizeof is[1]);
    g_assert_cmpuint(is[0].count, ==, 2 * VALUES);
    g_assert_cmpfloat(fabs(is[0].p50 - 1499500), >, 0);
    g_assert_cmpfloat(fabs(is[0].p50 - 1499500), <=, 0.004 * 1499500);
    sample_clear(&other);
    g_free(values);
}

void
describe_tests_add(void)
{
    g_test_add_func("/describe/by-hand", test_by_hand);
    g_test_add_func("/describe/sizes", test_sizes);
    g_test_add_func("/describe/while-growing", test_while_growing);
    g_test_add_func("/describe/taken-back", test_taken_back);
    g_test_add_func("/describe/merged", test_merged);
    g_test_add_func("/describe/corrected", test_corrected);
    g_test_add_func("/describe/bounded", test_bounded);
    g_test_add_func("/describe/each", test_each);
    g_test_add_func("/describe/outline", test_outline);
}
