/* quic_stream.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic_stream.h"

struct held_bytes {
    uint64_t offset;
    size_t length;
    uint8_t bytes[];
};

/* Stands for bytes where there are none. */
static const uint8_t nothing[1];

static void
tell_end(struct quic_stream *stream, quic_stream_tell *tell, void *data)
{
    if (!stream->has_end || stream->is_over || stream->next < stream->end)
        return;
    stream->is_over = true;
    tell(data, nothing, 0, 0, true);
}

/* Tells what of these bytes is new. */
static void
tell_bytes(struct quic_stream *stream, uint64_t offset, const uint8_t *bytes, size_t length, quic_stream_tell *tell,
           void *data)
{
    if (stream->is_over || offset + length <= stream->next)
        return;
    const size_t known = (size_t)(stream->next - offset);
    stream->next = offset + length;
    stream->is_over = stream->has_end && stream->next >= stream->end;
    tell(data, bytes + known, length - known, 0, stream->is_over);
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

/* Tells what is held and follows. */
static void
tell_held(struct quic_stream *stream, quic_stream_tell *tell, void *data)
{
    while (stream->held) {
        const struct held_bytes *first = stream->held->data;
        if (first->offset > stream->next)
            return;
        tell_bytes(stream, first->offset, first->bytes, first->length, tell, data);
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
hold(struct quic_stream *stream, uint64_t offset, const uint8_t *bytes, size_t length, int64_t now_ns)
{
    struct held_bytes *held = g_malloc(sizeof *held + length);
    held->offset = offset;
    held->length = length;
    memcpy(held->bytes, bytes, length);
    if (!stream->held)
        stream->held_ns = now_ns;
    stream->held = g_slist_insert_sorted(stream->held, held, compare_offsets);
    stream->n_held += length;
    stream->n_pieces++;
}

/* The capture lacks the bytes before what is held. */
static void
give_up_hole(struct quic_stream *stream, int64_t now_ns, quic_stream_tell *tell, void *data)
{
    const struct held_bytes *first = stream->held->data;
    const uint64_t gap = first->offset - stream->next;
    stream->next = first->offset;
    stream->held_ns = now_ns;
    tell(data, nothing, 0, gap, false);
    tell_held(stream, tell, data);
}

void
quic_stream_take(struct quic_stream *stream, uint64_t offset, const uint8_t *bytes, size_t length, bool ends,
                 int64_t now_ns, quic_stream_tell *tell, void *data)
{
    if (ends && !stream->has_end) {
        stream->has_end = true;
        stream->end = offset + length;
    }
    if (offset > stream->next && length > 0) {
        hold(stream, offset, bytes, length, now_ns);
    } else if (length > 0) {
        tell_bytes(stream, offset, bytes, length, tell, data);
        tell_held(stream, tell, data);
    }
    while (stream->held && (stream->n_held > QUIC_HELD_MOST || stream->n_pieces > QUIC_PIECES_MOST ||
                            now_ns - stream->held_ns > QUIC_HOLE_NS))
        give_up_hole(stream, now_ns, tell, data);
    tell_end(stream, tell, data);
}

void
quic_stream_clear(struct quic_stream *stream)
{
    while (stream->held)
        drop_first(stream);
}
