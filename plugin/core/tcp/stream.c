/* stream.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stream.h"

#include "connection.h"
#include "stream_order.h"
#include "../util/seldom.h"

struct streams {
    stream_deliver deliver;
    void *data;
    wmem_allocator_t *scope;
    GQueue waiting; /* of struct stream with something held, by when that began */
    uint64_t held_bytes;
};

struct streams *
streams_new(stream_deliver deliver, void *data, wmem_allocator_t *scope)
{
    struct streams *streams = g_new0(struct streams, 1);
    streams->scope = scope;
    streams->deliver = deliver;
    streams->data = data;
    return streams;
}

/* Frees what both directions hold, and the memory to hold more. */
static void
drop_held(struct streams *streams, struct stream *stream)
{
    held_clear(&stream->direction[0].held, &streams->held_bytes);
    held_clear(&stream->direction[1].held, &streams->held_bytes);
}

/* Puts the stream into the capture's queue, or takes it out. */
static void
set_waiting(struct streams *streams, struct stream *stream, bool waits)
{
    if (waits && !stream->waiting) {
        g_queue_push_tail(&streams->waiting, stream);
        stream->waiting = streams->waiting.tail;
    } else if (!waits && stream->waiting) {
        g_queue_delete_link(&streams->waiting, stream->waiting);
        stream->waiting = NULL;
    }
}

void
stream_forget(struct streams *streams, struct connection *connection)
{
    struct stream *stream = connection->tcp->stream;
    if (!stream)
        return;
    drop_held(streams, stream);
    set_waiting(streams, stream, false);
    wmem_free(streams->scope, stream);
    connection->tcp->stream = NULL;
}

void
streams_free(struct streams *streams)
{
    for (const GList *link = streams->waiting.head; link; link = link->next)
        drop_held(streams, link->data);
    g_queue_clear(&streams->waiting);
    g_free(streams);
}

static inline bool
has_held(const struct stream *stream)
{
    return held_count(&stream->direction[0].held) + held_count(&stream->direction[1].held) > 0;
}

/* For its last bytes, which its FIN says that there are. */
static bool
awaits_end(const struct direction *direction)
{
    return direction->fin < INT64_MAX && !direction->ended;
}

static bool
is_waiting(const struct stream *stream)
{
    return has_held(stream) || awaits_end(&stream->direction[0]) || awaits_end(&stream->direction[1]);
}

bool
stream_is_waiting(const struct connection *connection)
{
    return connection->tcp->stream && is_waiting(connection->tcp->stream);
}

/* The queue is as the stream is now. */
static void
note_waiting(struct streams *streams, struct stream *stream)
{
    set_waiting(streams, stream, is_waiting(stream));
    if (!has_held(stream))
        drop_held(streams, stream);
}

/* The direction ends with this segment, after its last byte or where it is cut off. */
static SELDOM void
deliver_end(struct streams *streams, struct stream *stream, uint8_t side, const struct segment *segment)
{
    struct direction *direction = &stream->direction[side];
    if (direction->ended)
        return;
    direction->ended = true;
    const struct payload payload = { .connection = stream->connection, .segment = segment, .sender = side };
    struct piece piece = { .payload = &payload, .segment = *segment, .start = direction->next, .ends = true };
    piece.segment.payload_bytes = piece.segment.captured_bytes = 0;
    if (direction->fin < INT64_MAX)
        piece.segment.time_ns = direction->fin_ns; /* whatever was held until now */
    piece.after_gap = direction->acked > direction->next && direction->acked <= direction->fin;
    streams->deliver(streams->data, &piece);
}

static inline void
deliver(struct streams *streams, struct direction *direction, const struct payload *payload, struct piece *piece)
{
    if (piece->segment.payload_bytes > 0 && piece->start >= direction->next) {
        piece->after_gap = piece->start > direction->next;
        if (direction->first == INT64_MIN)
            direction->first = piece->start;
        direction->waits = false;
        direction->next = piece->start + piece->segment.payload_bytes;
    }
    piece->payload = payload;
    piece->fresh = piece->segment.payload_bytes;
    streams->deliver(streams->data, piece);
    if (direction->next >= direction->fin)
        deliver_end(streams, payload->connection->tcp->stream, payload->sender, payload->segment);
}

static SELDOM void
deliver_first(struct streams *streams, struct direction *direction)
{
    struct held *held = held_remove_first(&direction->held, &streams->held_bytes);
    struct piece piece = { .segment = held->segment, .start = held->start, .again = held->again };
    if (held->end == held->start)
        piece.start = held->payload.packet.start;
    deliver(streams, direction, &held->payload, &piece);
    g_free(held);
}

static void
deliver_all(struct streams *streams, struct stream *stream)
{
    int side;
    while ((side = stream_next_side(stream)) >= 0)
        deliver_first(streams, &stream->direction[side]);
}

/* Nobody waits for the bytes before `end` any more. Where nothing follows them yet they may still come. */
static void
excuse(struct direction *direction, int64_t end)
{
    direction->excused = MAX(direction->excused, end);
    direction->waits = false;
}

static SELDOM void
give_up_waiting(struct streams *streams, struct stream *stream, int64_t now_ns)
{
    for (unsigned side = 0; side < 2; side++) {
        struct direction *direction = &stream->direction[side];
        int64_t end = stream_gap_end(stream, (uint8_t)side);
        if (end <= MAX(direction->next, direction->excused)) {
            direction->waits = false;
        } else if (!direction->waits) {
            direction->waits = true;
            direction->since_ns = now_ns;
            direction->since_segment = stream->segments;
        } else if (now_ns - direction->since_ns >= STREAM_WAIT_NS ||
                   stream->segments - direction->since_segment >= STREAM_WAIT_SEGMENTS) {
            excuse(direction, end);
            deliver_all(streams, stream);
        }
    }
}

/* The hole before the first part that is held, whichever side it is on. */
static SELDOM void
skip_hole(struct streams *streams, struct stream *stream)
{
    uint8_t client = stream->connection->client;
    for (unsigned i = 0; i < 2; i++) {
        uint8_t side = i == 0 ? client : !client;
        int64_t end = stream_hole_end(stream, side);
        if (end > MAX(stream->direction[side].next, stream->direction[side].excused)) {
            excuse(&stream->direction[side], end);
            break;
        }
    }
    deliver_all(streams, stream);
}

void
stream_end(struct streams *streams, struct connection *connection)
{
    struct stream *stream = connection->tcp->stream;
    if (!stream)
        return;
    while (has_held(stream))
        skip_hole(streams, stream);
    for (uint8_t side = 0; side < 2; side++) {
        const struct segment fin = { .frame = stream->direction[side].fin_frame };
        if (awaits_end(&stream->direction[side]))
            deliver_end(streams, stream, side, &fin);
    }
    note_waiting(streams, stream);
}

void
stream_reset(struct streams *streams, struct connection *connection, const struct segment *segment)
{
    stream_end(streams, connection);
    for (uint8_t side = 0; connection->tcp->stream && side < 2; side++)
        deliver_end(streams, connection->tcp->stream, side, segment);
}

void
streams_add_waiting(const struct streams *streams, GPtrArray *connections)
{
    for (const GList *link = streams->waiting.head; link; link = link->next)
        g_ptr_array_add(connections, ((const struct stream *)link->data)->connection);
}

static SELDOM void
bound(struct streams *streams, struct stream *stream)
{
    while (stream->direction[0].held.bytes > STREAM_HELD_BYTES || stream->direction[1].held.bytes > STREAM_HELD_BYTES)
        skip_hole(streams, stream);
    note_waiting(streams, stream);
    while (streams->held_bytes > STREAMS_HELD_BYTES)
        stream_end(streams, ((struct stream *)streams->waiting.head->data)->connection);
}

static SELDOM struct stream *
begin(struct streams *streams, struct connection *connection)
{
    struct stream *stream = connection->tcp->stream = wmem_new0(streams->scope, struct stream);
    stream->connection = connection;
    for (unsigned side = 0; side < 2; side++) {
        struct direction *direction = &stream->direction[side];
        direction->next = SEQUENCE_FIRST;
        direction->acked = direction->excused = direction->first = INT64_MIN;
        direction->fin = INT64_MAX;
    }
    stream->direction[connection->client].seen = connection->tcp->connect.number > 0;
    return stream;
}

static inline struct stream *
stream_of(struct streams *streams, struct connection *connection)
{
    struct stream *stream = connection->tcp->stream;
    return stream ? stream : begin(streams, connection);
}

/* A SYN alone needs no stream: floods of them are many connections. */
static bool
is_first_syn(const struct connection *connection, const struct segment *segment)
{
    return !connection->tcp->stream && (segment->flags & (SEGMENT_SYN | SEGMENT_ACK | SEGMENT_FIN)) == SEGMENT_SYN &&
           connection->tcp->connect.number > 0 && connection_sender(connection, segment) == connection->client;
}

static inline void
pass_time(struct streams *streams, struct stream *stream, int64_t now_ns)
{
    if (!has_held(stream))
        return;
    give_up_waiting(streams, stream, now_ns);
    note_waiting(streams, stream);
}

inline void
stream_pass(struct streams *streams, struct connection *connection, const struct segment *segment)
{
    if (is_first_syn(connection, segment))
        return;
    struct stream *stream = stream_of(streams, connection);
    pass_time(streams, stream, segment->time_ns);
    const uint8_t sender = connection_sender(connection, segment);
    const struct direction *direction = &stream->direction[sender];
    stream_note_header(stream, sender, segment);
    pass_time(streams, stream, segment->time_ns);
    if (segment->flags & SEGMENT_FIN && direction->next >= direction->fin)
        deliver_end(streams, stream, sender, segment);
    note_waiting(streams, stream);
}

inline void
stream_take(struct streams *streams, const struct payload *payload)
{
    struct stream *stream = stream_of(streams, payload->connection);
    struct direction *direction = &stream->direction[payload->sender];
    pass_time(streams, stream, payload->segment->time_ns);
    stream_note_header(stream, payload->sender, payload->segment);
    stream_begin(stream, payload);
    if (payload->after_fragment)
        excuse(direction, payload->packet.start);
    bool is_old = payload->packet.end <= direction->next;
    bool follows =
        payload->packet.start <= direction->next && !stream_is_early(stream, payload->sender, payload->segment);
    if (is_old || (follows && !has_held(stream))) {
        /* The capture begins within the connection: what lies before its first segment is new, if out of order. */
        bool is_before = payload->packet.fresh > 0 && payload->packet.end <= direction->first;
        int64_t start = is_before ? payload->packet.start
                        : is_old  ? payload->packet.end
                                  : MAX(payload->packet.start, direction->next);
        const bool is_whole = start == payload->packet.start && !(payload->segment->flags & SEGMENT_SYN);
        struct piece piece;
        piece.segment = is_whole ? *payload->segment
                                 : segment_part(payload->segment, (uint32_t)(start - payload->packet.start),
                                                (uint32_t)(payload->packet.end - start));
        piece.start = is_old ? payload->packet.start : start;
        piece.standing = NULL;
        piece.known_bytes = 0;
        piece.again = piece.after_gap = piece.ends = false;
        deliver(streams, direction, payload, &piece);
        return;
    }
    held_add(&direction->held, payload, direction->next, &streams->held_bytes);
    deliver_all(streams, stream);
    give_up_waiting(streams, stream, payload->segment->time_ns);
    bound(streams, stream);
}
