/* slow.h
 * A line for each request for whose response its client waited so long, as soon as it has ended (ended.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_SLOW_H
#define SCAN_SLOW_H

#include "scan.h"

struct slow;

/* Returns what will print requests whose client waited `least_ns` or longer, to be freed with slow_free(). */
struct slow *slow_new(int64_t least_ns);
void slow_free(struct slow *slow);

/* From now on it takes what the scan tells, and prints: first the headings. */
void slow_begin(struct slow *slow, struct scan *scan);

/* The capture has been read: prints the rest, and below a text how many there are. */
void slow_finish(struct slow *slow);

/* Forgets what the scan's records are needed for: to be called before it is freed. */
void slow_end(struct slow *slow);

#endif
