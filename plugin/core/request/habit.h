/* habit.h
 * How many requests of a client are outstanding at most. For resync.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HABIT_H
#define LATENCY_HABIT_H

#include <stdbool.h>
#include <stdint.h>

struct habit {
    uint64_t asked; /* requests, when it was noted last */
    uint32_t most;
    uint32_t times; /* that there were so many */
};

/* Of `asked` requests so many are outstanding; `known`: not more. What is not known exactly confirms nothing, nor does
 * another segment of the request that was asked last. */
void habit_note(struct habit *habit, uint64_t outstanding, uint64_t asked, bool known, bool confirms);

/* Whether the client has kept to it often enough to be relied on. */
bool habit_holds(const struct habit *habit);

#endif
