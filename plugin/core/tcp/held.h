/* held.h
 * Parts of segments that wait for what comes before them in their stream, in its order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HELD_H
#define LATENCY_HELD_H

#include <glib.h>

#include "payload.h"

/* A part of a segment that waits for what comes before it. */
struct held {
    struct payload payload; /* its segment is the part alone: */
    struct segment segment; /* the bytes stand behind this */
    int64_t start, end;     /* of one that was only sent again: both where the part ends that it repeats */
    bool again;
    uint8_t bytes[]; /* and the text of its operation, if it has one */
};

/* Of one direction. */
struct held_parts {
    GPtrArray *array; /* of struct held, by start; NULL before the first */
    uint32_t bytes;   /* of memory: of STREAM_HELD_BYTES, and the segment that was too much */
};

unsigned held_count(const struct held_parts *parts);
struct held *held_at(const struct held_parts *parts, unsigned i);

/* Holds what of the segment is neither before `next` nor held already; what is only sent again stands behind what it
 * repeats. `total`: the bytes of all directions. */
void held_add(struct held_parts *parts, const struct payload *payload, int64_t next, uint64_t *total);

/* The caller's to g_free(). */
struct held *held_remove_first(struct held_parts *parts, uint64_t *total);

/* Frees all, and the memory to hold more. */
void held_clear(struct held_parts *parts, uint64_t *total);

/* `bytes` of a segment, `from` on. */
struct segment segment_part(const struct segment *segment, uint32_t from, uint32_t bytes);

#endif
