/* wide.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "wide.h"

#include <math.h>

int
wide_compare(wide a, wide b)
{
    const int64_t high_a = (int64_t)a.high, high_b = (int64_t)b.high;
    if (high_a != high_b)
        return high_a < high_b ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

int64_t
wide_clip(wide number)
{
    return wide_compare(number, wide_of(INT64_MAX)) > 0 ? INT64_MAX : (int64_t)number.low;
}

unsigned_wide
wide_size(wide number)
{
    unsigned_wide size = { 0 };
    if (!wide_is_negative(number))
        return number;
    wide_subtract(&size, number);
    return size;
}

long double
unsigned_wide_long_double(unsigned_wide number)
{
    return ldexpl((long double)number.high, 64) + (long double)number.low;
}

double
wide_double(wide number)
{
    const long double size = unsigned_wide_long_double(wide_size(number));
    return (double)(wide_is_negative(number) ? -size : size);
}

bool
unsigned_wide_append(unsigned_wide *number, unsigned digit)
{
    const unsigned_wide high = wide_multiply(number->high, 10);
    const unsigned_wide before = { 0, high.low };
    *number = wide_multiply(number->low, 10);
    wide_add(number, (unsigned_wide){ digit, 0 });
    wide_add(number, before);
    return high.high == 0 && number->high >= before.high;
}

unsigned
unsigned_wide_take_digit(unsigned_wide *number)
{
    uint64_t words[] = { number->high >> 32, number->high & UINT32_MAX, number->low >> 32, number->low & UINT32_MAX };
    uint64_t rest = 0;
    for (unsigned i = 0; i < 4; i++) {
        rest = rest << 32 | words[i];
        words[i] = rest / 10;
        rest %= 10;
    }
    *number = (unsigned_wide){ words[2] << 32 | words[3], words[0] << 32 | words[1] };
    return (unsigned)rest;
}
