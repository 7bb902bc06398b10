/* wide.h
 * Integers of 128 bits, for sums of times and of their squares that are exact: two words, for compilers for 32 bits and
 * Microsoft's have no such type.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WIDE_H
#define LATENCY_WIDE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t low, high; /* two's complement */
} wide;

/* Never negative. */
typedef wide unsigned_wide;

static inline wide
wide_of(int64_t value)
{
    return (wide){ (uint64_t)value, value < 0 ? UINT64_MAX : 0 };
}

/* Adds, modulo 2^128. */
static inline void
wide_add(wide *sum, wide other)
{
    sum->low += other.low;
    sum->high += other.high + (sum->low < other.low);
}

static inline void
wide_subtract(wide *sum, wide other)
{
    const bool borrows = sum->low < other.low;
    sum->low -= other.low;
    sum->high -= other.high + borrows;
}

static inline void
wide_add_int(wide *sum, int64_t value)
{
    wide_add(sum, wide_of(value));
}

/* Adds; what would be more than 2^128 - 1 is that. */
static inline void
unsigned_wide_add(unsigned_wide *sum, unsigned_wide other)
{
    wide_add(sum, other);
    if (sum->high < other.high || (sum->high == other.high && sum->low < other.low))
        *sum = (unsigned_wide){ UINT64_MAX, UINT64_MAX };
}

/* Multiplies where the compiler has no type for the product, by halves of the words. */
static inline unsigned_wide
wide_multiply_by_halves(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    const uint64_t low = (a & half) * (b & half);
    const uint64_t middle = (a >> 32) * (b & half) + (low >> 32); /* cannot overflow, nor can the next */
    const uint64_t other = (a & half) * (b >> 32) + (middle & half);
    return (unsigned_wide){ other << 32 | (low & half), (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32) };
}

static inline unsigned_wide
wide_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ const unsigned __int128 product = (unsigned __int128)a * b;
    return (unsigned_wide){ (uint64_t)product, (uint64_t)(product >> 64) };
#else
    return wide_multiply_by_halves(a, b);
#endif
}

static inline unsigned_wide
wide_square(int64_t value)
{
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    return wide_multiply(size, size);
}

static inline bool
wide_is_negative(wide number)
{
    return number.high >> 63;
}

/* Returns a number below, at or above 0 as `a` is less than, as much as, or more than `b`. */
int wide_compare(wide a, wide b);

/* Returns the number as an int64_t, or INT64_MAX if it is more. */
int64_t wide_clip(wide number);

double wide_double(wide number);
unsigned_wide wide_size(wide number); /* without its sign */
long double unsigned_wide_long_double(unsigned_wide number);

/* Appends a decimal digit. Returns false, with some number, if that would be more than 2^128 - 1. */
bool unsigned_wide_append(unsigned_wide *number, unsigned digit);

/* Takes the last decimal digit off, and returns it. */
unsigned unsigned_wide_take_digit(unsigned_wide *number);

#endif
