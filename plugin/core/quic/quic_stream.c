/* quic_stream.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic_stream.h"

struct held_bytes {
    uint64_t offset;
    size_t length;
    struct instant came;
    uint8_t bytes[];
};

/* Stands for bytes where there are none. */
static const uint8_t nothing[1];

static void
tell_end(struct quic_stream *stream, const struct instant *came, quic_stream_tell *tell, void *data)
{
    if (!stream->has_end || stream->is_over || stream->next < stream->end)
        return;
    stream->is_over = true;
    tell(data, nothing, 0, 0, true, came);
}

/* Tells what of these bytes is new. */
static void
tell_bytes(struct quic_stream *stream, uint64_t offset, const uint8_t *bytes, size_t length, const struct instant *came,
           quic_stream_tell *tell, void *data)
{
    if (stream->is_over || offset + length <= stream->next)
        return;
    const size_t known = (size_t)(stream->next - offset);
    stream->next = offset + length;
    stream->is_over = stream->has_end && stream->next >= stream->end;
    tell(data, bytes + known, length - known, 0, stream->is_over, came);
}

static void
drop_first(struct quic_stream *stream)
{
    struct held_bytes *first = stream->held->data;
    stream->n_held -= first->length;
    stream->n_pieces--;
    stream->held = g_slist_delete_link(stream->held, stream->held);
    g_free(first);
}

/* Tells what is held and follows: as of now if `came` is NULL, else as it came, but none before what it follows, which
 * came then. */
static void
tell_held(struct quic_stream *stream, struct instant *came, quic_stream_tell *tell, void *data)
{
    while (stream->held) {
        const struct held_bytes *first = stream->held->data;
        stream->held_ns = first->came.ns;
        if (first->offset > stream->next)
            return;
        if (came && first->came.ns > came->ns)
            *came = first->came;
        tell_bytes(stream, first->offset, first->bytes, first->length, came, tell, data);
        drop_first(stream);
    }
}

static int
compare_offsets(const void *a, const void *b)
{
    const struct held_bytes *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static void
hold(struct quic_stream *stream, uint64_t offset, const uint8_t *bytes, size_t length, struct instant now)
{
    struct held_bytes *held = g_malloc(sizeof *held + length);
    held->offset = offset;
    held->length = length;
    held->came = now;
    memcpy(held->bytes, bytes, length);
    if (!stream->held)
        stream->held_ns = now.ns;
    stream->held = g_slist_insert_sorted(stream->held, held, compare_offsets);
    stream->n_held += length;
    stream->n_pieces++;
}

/* The capture lacks the bytes before what is held. */
static void
give_up_hole(struct quic_stream *stream, quic_stream_tell *tell, void *data)
{
    const struct held_bytes *first = stream->held->data;
    const uint64_t gap = first->offset - stream->next;
    struct instant came = first->came;
    stream->next = first->offset;
    tell(data, nothing, 0, gap, false, &came);
    tell_held(stream, &came, tell, data);
    if (stream->has_end && stream->end_came.ns > came.ns)
        came = stream->end_came;
    tell_end(stream, &came, tell, data);
}

bool
quic_stream_give_up(struct quic_stream *stream, int64_t before_ns, quic_stream_tell *tell, void *data)
{
    bool any = false;
    for (; stream->held && stream->held_ns < before_ns; any = true)
        give_up_hole(stream, tell, data);
    return any;
}

void
quic_stream_take(struct quic_stream *stream, uint64_t offset, const uint8_t *bytes, size_t length, bool ends,
                 struct instant now, quic_stream_tell *tell, void *data)
{
    if (ends && !stream->has_end) {
        stream->has_end = true;
        stream->end = offset + length;
        stream->end_came = now;
    }
    if (offset > stream->next && length > 0) {
        hold(stream, offset, bytes, length, now);
    } else if (length > 0) {
        tell_bytes(stream, offset, bytes, length, NULL, tell, data);
        tell_held(stream, NULL, tell, data);
    }
    quic_stream_give_up(stream, now.ns - QUIC_HOLE_NS, tell, data);
    while (stream->n_held > QUIC_HELD_MOST || stream->n_pieces > QUIC_PIECES_MOST)
        give_up_hole(stream, tell, data);
    tell_end(stream, NULL, tell, data);
}

void
quic_stream_clear(struct quic_stream *stream)
{
    while (stream->held)
        drop_first(stream);
}
