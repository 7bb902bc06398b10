/* ca_stream.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_stream.h"

#include <stddef.h>

static bool
is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

static struct ca_hole *
hole_at(struct ca_stream *stream, uint32_t at)
{
    for (unsigned i = 0; i < CA_STREAM_HOLES; i++) {
        struct ca_hole *hole = &stream->holes[i];
        if (is_before(hole->start, hole->end) && !is_before(at, hole->start) && is_before(at, hole->end))
            return hole;
    }
    return NULL;
}

enum ca_place
ca_stream_place(const struct ca_stream *stream, uint32_t at)
{
    if (!stream->begun)
        return CA_UNALIGNED;
    if (at == stream->next)
        return stream->aligned ? CA_ALIGNED : CA_UNALIGNED;
    for (unsigned i = 0; i < CA_STREAM_HOLES; i++) {
        const struct ca_hole *hole = &stream->holes[i];
        if (is_before(hole->start, hole->end) && hole->start == at)
            return hole->aligned ? CA_ALIGNED : CA_UNALIGNED;
    }
    return CA_UNALIGNED;
}

static void
leave_hole(struct ca_stream *stream, uint32_t end)
{
    stream->holes[stream->next_hole] = (struct ca_hole){ stream->next, end, stream->aligned };
    stream->next_hole = (uint8_t)((stream->next_hole + 1) % CA_STREAM_HOLES);
}

/* What is before `start` in the hole stays missing, and is given up. */
static void
fill_hole(struct ca_hole *hole, uint32_t end, bool aligned)
{
    hole->start = is_before(end, hole->end) ? end : hole->end;
    hole->aligned = aligned;
}

bool
ca_stream_take(struct ca_stream *stream, uint32_t start, uint32_t end, bool aligned)
{
    struct ca_hole *hole = stream->begun ? hole_at(stream, start) : NULL;
    if (hole) {
        fill_hole(hole, end, aligned);
        if (!is_before(stream->next, end))
            return true;
    } else if (stream->begun && is_before(start, stream->next)) {
        /* a repeated message may reach further than what was taken: its end is a boundary all the same */
        if (!is_before(stream->next, end))
            return false;
    } else if (stream->begun && start != stream->next) {
        leave_hole(stream, start);
    }
    stream->begun = true;
    stream->next = end;
    stream->aligned = aligned;
    return true;
}
