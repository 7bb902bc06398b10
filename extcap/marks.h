/* marks.h
 * What the recorder says of itself, until the record is written that shows it: sightings lost, connections left out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef MARKS_H
#define MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel-stages.h"

enum { MARKS = 64 };

struct mark {
    uint64_t time_ns; /* of CLOCK_MONOTONIC */
    uint64_t lost[STAGE_COUNT];
    uint32_t one_in; /* from then on one connection in this many is recorded; 0: as before */
};

/* In the order of time. All zero is empty. */
struct marks {
    struct mark marks[MARKS];
    size_t begin, count;
};

/* Adds a mark; to the last one, if there are too many. */
void marks_add(struct marks *marks, const struct mark *mark);

/* Takes all up to this time into one. False if there are none. */
bool marks_take(struct marks *marks, uint64_t until_ns, struct mark *sum);

/* "Lost: 12 at rx:driver, 3 at rx:ip", cut to `size`; "" for none. */
void mark_text(const struct mark *mark, char *text, size_t size);

#endif
