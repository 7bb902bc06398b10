/* stream_order.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stream_order.h"

#include "connection.h"

/* What the segment says of the other end's bytes, and of its own last one. */
inline void
stream_note_header(struct stream *stream, uint8_t sender, const struct segment *segment)
{
    struct direction *direction = &stream->direction[sender], *other = &stream->direction[!sender];
    const struct sequence *sent = &stream->connection->tcp->sender[sender].sequence;
    const struct sequence *received = &stream->connection->tcp->sender[!sender].sequence;
    stream->segments++;
    direction->seen = true;
    if (sent->known && connection_is_finished_by(stream->connection, segment)) {
        direction->fin = sequence_offset(sent, segment_first_seq(segment) + segment->payload_bytes);
        direction->fin_frame = segment->frame;
        direction->fin_ns = segment->time_ns;
    }
    if (!(segment->flags & SEGMENT_ACK))
        return;
    if (received->known) {
        other->acked = MAX(other->acked, MIN(sequence_offset(received, segment->ack), other->fin));
    } else if (!other->has_first_ack) {
        other->first_ack = segment->ack;
        other->has_first_ack = true;
    }
}

/* Without a handshake the other end's first acknowledgement says where the stream begins, if the capture has what
 * follows that out of order. */
inline void
stream_begin(struct stream *stream, const struct payload *payload)
{
    struct direction *direction = &stream->direction[payload->sender];
    const struct sequence *sequence = &stream->connection->tcp->sender[payload->sender].sequence;
    if (payload->packet.fresh == 0 || direction->first > INT64_MIN || held_count(&direction->held) > 0)
        return;
    if (direction->has_first_ack) {
        int64_t first = sequence_offset(sequence, direction->first_ack);
        if (first < direction->next && direction->next - first <= STREAM_HELD_BYTES)
            direction->next = first;
        direction->has_first_ack = false;
    } else if (payload->packet.start < direction->next && direction->next == SEQUENCE_FIRST) {
        direction->next = payload->packet.start;
    }
}

/* The offset up to which a segment says that its sender has the other end's stream; INT64_MIN for nothing. */
static inline int64_t
needed(const struct stream *stream, uint8_t sender, const struct segment *segment)
{
    const struct sequence *received = &stream->connection->tcp->sender[!sender].sequence;
    if (!(segment->flags & SEGMENT_ACK) || !received->known)
        return INT64_MIN;
    return MIN(sequence_offset(received, segment->ack), stream->direction[!sender].fin);
}

/* Whether bytes are missing that the segment says its sender has. */
inline bool
stream_is_early(const struct stream *stream, uint8_t sender, const struct segment *segment)
{
    const struct direction *received = &stream->direction[!sender];
    return needed(stream, sender, segment) > MAX(received->next, received->excused);
}

/* The first held part of a side, if it follows what has been delivered of that side; else NULL. */
static const struct held *
follower(const struct stream *stream, uint8_t side)
{
    const struct direction *direction = &stream->direction[side];
    const struct held *held = held_count(&direction->held) > 0 ? held_at(&direction->held, 0) : NULL;
    return held && held->start <= MAX(direction->next, direction->excused) ? held : NULL;
}

/* The side whose part comes next; -1 for none. If each side's part waits for the other's, the one that was captured
 * last has been sent again: it acknowledges more than when it was sent first. */
int
stream_next_side(const struct stream *stream)
{
    const struct held *of[2] = { follower(stream, 0), follower(stream, 1) };
    bool goes[2];
    for (uint8_t side = 0; side < 2; side++)
        goes[side] = of[side] && !stream_is_early(stream, side, &of[side]->segment);
    bool is_first = of[0] && of[1] && of[0]->segment.frame < of[1]->segment.frame;
    if (of[0] && of[1] && goes[0] == goes[1])
        return goes[0] ? !is_first : is_first;
    return goes[0] ? 0 : goes[1] ? 1 : -1;
}

/* What is missing before the first held part of this direction, or before a part of the other one: the end of the hole
 * at `next`; `next` if there is none. */
int64_t
stream_hole_end(const struct stream *stream, uint8_t side)
{
    const struct direction *direction = &stream->direction[side], *other = &stream->direction[!side];
    int64_t end = direction->next;
    if (held_count(&direction->held) > 0)
        return MAX(end, held_at(&direction->held, 0)->start);
    if (held_count(&other->held) > 0 && stream_is_early(stream, !side, &held_at(&other->held, 0)->segment))
        end = needed(stream, !side, &held_at(&other->held, 0)->segment);
    return end;
}

/* The part of the hole that the capture will not have. */
int64_t
stream_gap_end(const struct stream *stream, uint8_t side)
{
    const struct direction *direction = &stream->direction[side];
    int64_t end = stream_hole_end(stream, side);
    return stream->direction[!side].seen ? MIN(end, direction->acked) : end;
}
