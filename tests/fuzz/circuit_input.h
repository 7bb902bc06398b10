/* circuit_input.h
 * Inputs of circuits and datagrams of Channel Access and pvAccess: for each segment a byte of flags, two of length, and
 * the segment's bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CIRCUIT_INPUT_H
#define LATENCY_CIRCUIT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

enum {
    FROM_CLIENT = 0x01,
    DATAGRAM = 0x02,
    SECOND_CIRCUIT = 0x04,
    AFTER_GAP = 0x08,
    AGAIN = 0x10, /* bytes that were there before */
    LAST = 0x20,  /* the circuit ends */
    PVA = 0x40,   /* of pvAccess */
    CUT = 0x80,   /* the capture has half of it */
    HEAD_BYTES = 3
};

struct input_segment {
    unsigned flags;
    const uint8_t *bytes;
    size_t n;
};

/* Takes the next of the input's segments from its beginning; false if there is none. */
static inline bool
input_next(const uint8_t **data, size_t *size, struct input_segment *segment)
{
    if (*size <= HEAD_BYTES)
        return false;
    const uint8_t *head = *data;
    segment->flags = head[0];
    segment->bytes = head + HEAD_BYTES;
    segment->n = MIN((size_t)head[1] << 8 | head[2], *size - HEAD_BYTES);
    *data += HEAD_BYTES + segment->n;
    *size -= HEAD_BYTES + segment->n;
    return true;
}

/* Of the four: two of each protocol. */
static inline unsigned
input_circuit(unsigned flags)
{
    return ((flags & SECOND_CIRCUIT) != 0) + (flags & PVA ? 2 : 0);
}

#endif
