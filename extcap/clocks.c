/* clocks.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "clocks.h"

enum { OFFSET_TRIES = 20 };

uint64_t
now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

uint64_t
clock_offset_ns(void)
{
    uint64_t best = UINT64_MAX, offset = 0;
    for (int i = 0; i < OFFSET_TRIES; i++) {
        const uint64_t before = now_ns(CLOCK_MONOTONIC), real = now_ns(CLOCK_REALTIME), after = now_ns(CLOCK_MONOTONIC);
        if (after - before < best) {
            best = after - before;
            offset = real - (before + best / 2);
        }
    }
    return offset;
}
