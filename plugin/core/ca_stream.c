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
add_hole(struct ca_stream *stream, uint32_t start, uint32_t end, bool aligned)
{
    stream->holes[stream->next_hole] = (struct ca_hole){ start, end, aligned };
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
        add_hole(stream, stream->next, start, stream->aligned);
    }
    if (!stream->begun)
        stream->first = start;
    stream->begun = true;
    stream->next = end;
    stream->aligned = aligned;
    return true;
}

void
ca_stream_begin(struct ca_stream *stream, uint32_t start)
{
    if (!stream->begun) {
        stream->begun = stream->aligned = true;
        stream->first = stream->next = start;
    } else if (is_before(start, stream->first)) {
        add_hole(stream, start, stream->first, true);
        stream->first = start;
    }
}

bool
ca_stream_misses(const struct ca_stream *stream, uint32_t start, uint32_t end)
{
    if (start == end)
        return false;
    if (!stream->begun || is_before(stream->next, end))
        return true;
    for (unsigned i = 0; i < CA_STREAM_HOLES; i++) {
        const struct ca_hole *hole = &stream->holes[i];
        if (is_before(hole->start, hole->end) && is_before(start, hole->end) && is_before(hole->start, end))
            return true;
    }
    return false;
}

bool
ca_stream_fills(const struct ca_stream *stream, uint32_t at)
{
    return is_before(at, stream->next) && ca_stream_misses(stream, at, at + 1);
}

bool
ca_stream_may_wait(const struct ca_stream *stream, uint32_t at)
{
    return stream->begun ? stream->aligned && is_before(stream->next, at) : stream->has_isn;
}

unsigned
ca_stream_missed(const struct ca_stream *stream, struct ca_hole missed[CA_STREAM_HOLES + 1])
{
    unsigned n = 0;
    for (unsigned i = 0; i < CA_STREAM_HOLES; i++)
        if (stream->holes[i].aligned && is_before(stream->holes[i].start, stream->holes[i].end))
            missed[n++] = stream->holes[i];
    if (stream->begun && stream->aligned)
        missed[n++] = (struct ca_hole){ stream->next, stream->next + INT32_MAX, true };
    return n;
}
