/* test-wide.c
 * Integers of two words against the compiler's own of 128 bits, where it has one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <glib.h>

#include "core/util/wide.h"

#ifdef __SIZEOF_INT128__

__extension__ typedef __int128 native;
__extension__ typedef unsigned __int128 unsigned_native;

enum { ROUNDS = 200000, DIGITS_MOST = 39 };

/* Numbers of every size, and those around where a word ends. */
static uint64_t
random_word(void)
{
    static const uint64_t edges[] = { 0,         1, 9, 10, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_C(1) << 63,
                                      UINT64_MAX };
    const uint64_t word = (uint64_t)g_test_rand_int() << 32 | (uint32_t)g_test_rand_int();
    if (g_test_rand_int_range(0, 4) == 0)
        return edges[g_test_rand_int_range(0, G_N_ELEMENTS(edges))];
    return word >> g_test_rand_int_range(0, 64);
}

static wide
random_wide(void)
{
    return (wide){ random_word(), random_word() };
}

static unsigned_native
native_of(wide number)
{
    return (unsigned_native)number.high << 64 | number.low;
}

static void
check_same(wide is, unsigned_native expected)
{
    g_assert_cmphex(is.low, ==, (uint64_t)expected);
    g_assert_cmphex(is.high, ==, (uint64_t)(expected >> 64));
}

static void
test_sums(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        const wide a = random_wide(), b = random_wide();
        const int64_t value = (int64_t)random_word();
        wide sum = a, difference = a, with_int = a, saturated = a;
        unsigned_native expected;
        wide_add(&sum, b);
        check_same(sum, native_of(a) + native_of(b));
        wide_subtract(&difference, b);
        check_same(difference, native_of(a) - native_of(b));
        wide_add_int(&with_int, value);
        check_same(with_int, native_of(a) + (unsigned_native)(native)value);
        unsigned_wide_add(&saturated, b);
        check_same(saturated,
                   __builtin_add_overflow(native_of(a), native_of(b), &expected) ? ~(unsigned_native)0 : expected);
    }
}

static void
test_products(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t a = random_word(), b = random_word();
        check_same(wide_multiply(a, b), (unsigned_native)a * b);
        check_same(wide_multiply_by_halves(a, b), (unsigned_native)a * b);
        check_same(wide_square((int64_t)a), (unsigned_native)((native)(int64_t)a * (int64_t)a));
    }
}

static void
test_comparisons(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        const wide a = random_wide(), b = g_test_rand_int_range(0, 4) == 0 ? a : random_wide();
        const native x = (native)native_of(a), y = (native)native_of(b);
        g_assert_cmpint(wide_compare(a, b), ==, (x > y) - (x < y));
        g_assert_cmpint(wide_clip(a), ==, (int64_t)MIN(x, INT64_MAX));
        check_same(wide_size(a), x < 0 ? -(unsigned_native)x : (unsigned_native)x);
        g_assert_true(unsigned_wide_long_double(a) == (long double)native_of(a));
        /* a long double has as many bits as a word: above, it is rounded twice */
        if (wide_size(a).high == 0)
            g_assert_cmpfloat(wide_double(a), ==, (double)x);
        else
            g_assert_cmpfloat(wide_double(a), ==, (double)(long double)x);
    }
}

static void
test_digits(void)
{
    for (unsigned i = 0; i < ROUNDS / 10; i++) {
        const unsigned_wide number = random_wide();
        unsigned_wide rest = number, again = { 0 };
        unsigned_native expected = native_of(number);
        unsigned digits[DIGITS_MOST], n = 0;
        for (; n < DIGITS_MOST && (rest.low || rest.high); n++) {
            digits[n] = unsigned_wide_take_digit(&rest);
            g_assert_cmpuint(digits[n], ==, (unsigned)(expected % 10));
            check_same(rest, expected /= 10);
        }
        g_assert_cmpuint(rest.low | rest.high, ==, 0);
        while (n > 0)
            g_assert_true(unsigned_wide_append(&again, digits[--n]));
        check_same(again, native_of(number));
        const unsigned digit = (unsigned)g_test_rand_int_range(0, 10);
        const bool overflows = __builtin_mul_overflow(native_of(number), 10, &expected) ||
                               __builtin_add_overflow(expected, digit, &expected);
        again = number;
        g_assert_cmpint(unsigned_wide_append(&again, digit), ==, !overflows);
        if (!overflows)
            check_same(again, expected);
    }
    unsigned_wide most = { UINT64_MAX, UINT64_MAX };
    const unsigned last = unsigned_wide_take_digit(&most);
    unsigned_wide beyond = most;
    g_assert_true(unsigned_wide_append(&most, last)); /* 2^128 - 1 ends in 5 */
    g_assert_false(unsigned_wide_append(&beyond, last + 1));
}

void
wide_tests_add(void)
{
    g_test_add_func("/wide/sums", test_sums);
    g_test_add_func("/wide/products", test_products);
    g_test_add_func("/wide/comparisons", test_comparisons);
    g_test_add_func("/wide/digits", test_digits);
}

#else

void
wide_tests_add(void)
{
}

#endif
