/* still_awaited.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "still_awaited.h"

#include <glib.h>

/* With three times the longest latency, or from the first response on, some responses were given to a wrong request
 * (tests/bars, 300 connections of each kind). */
enum { AWAITED_TIMES = 8, KNOWN_LEAST = 16 };

void
still_awaited_note_known(struct still_awaited *awaited)
{
    awaited->known++;
}

int64_t
still_awaited_since(struct still_awaited *awaited, int64_t time_ns, int64_t longest_ns, int64_t youngest_ns)
{
    if (awaited->known < KNOWN_LEAST)
        return INT64_MIN;
    awaited->longest_ns =
        MAX(awaited->longest_ns, MAX(longest_ns, awaited->now_ns - MIN(youngest_ns, awaited->now_ns)));
    if (awaited->answered_ns)
        awaited->now_ns += CLAMP(time_ns - awaited->answered_ns, 0, awaited->longest_ns);
    awaited->answered_ns = time_ns;
    return awaited->longest_ns < awaited->now_ns / AWAITED_TIMES ? awaited->now_ns - AWAITED_TIMES * awaited->longest_ns
                                                                 : INT64_MIN;
}
