/* nearest.h
 * Which of the names that there are somebody may have meant who wrote one that there is not.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_NEAREST_H
#define LATENCY_NEAREST_H

/* No name of ours is as long. */
enum { NEAREST_ROOM = 64 };

/* `written` is borrowed. */
struct nearest {
    const char *written;
    unsigned distance;
    /* With the nearest of the names offered; "": none is near. */
    char question[NEAREST_ROOM + sizeof " Did you mean ?"];
};

/* Returns the search for a name near to this one, before any is offered. */
struct nearest nearest_to(const char *written);

/* Offers a name that there is. It is near if a third of the letters behind what both begin with, up to a comma, a
 * point, a colon or a hyphen, are left out, added, others or swapped, or fewer. Of equally near ones the first counts.
 * What is written as the name is asks for nothing: something else was wrong. */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
