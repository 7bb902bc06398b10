/* habit.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "habit.h"

#include <glib.h>

/* On 400 conversations of each kind with 2 % of the packets missing, with 4 the first responses were given to a wrong
 * request (tests/bars). */
enum { HABIT_TIMES = 5 };

void
habit_note(struct habit *habit, uint64_t outstanding, uint64_t asked, bool known, bool confirms)
{
    const bool is_new = asked != habit->asked;
    if (outstanding > habit->most)
        *habit = (struct habit){ .most = known ? (uint32_t)MIN(outstanding, UINT32_MAX) : 0 };
    habit->times += outstanding == habit->most && confirms && is_new;
    habit->asked = asked;
}

bool
habit_holds(const struct habit *habit)
{
    return habit->times >= HABIT_TIMES;
}
