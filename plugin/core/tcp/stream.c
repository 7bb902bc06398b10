/* stream.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stream.h"

#include "connection.h"
#include "held.h"

struct direction {
    int64_t next;    /* offset after what has been delivered */
    int64_t acked;   /* up to which the other end has acknowledged */
    int64_t excused; /* up to which nobody waits */
    int64_t fin;     /* offset of the FIN, which counts as a byte; INT64_MAX before one */
    uint32_t fin_frame;
    struct held_parts held;
    bool waits; /* for an acknowledged hole at `next`, since */
    int64_t since_ns;
    uint32_t since_segment;
    uint32_t first_ack; /* of the other end, before anything of this one; meaningful if has_first_ack */
    bool has_first_ack;
    int64_t first; /* offset of what was delivered first; meaningful if begun */
    bool begun;
    bool seen;  /* the capture has segments of this end */
    bool ended; /* and that has been delivered */
};

struct stream {
    struct connection *connection;
    struct direction direction[2]; /* by the index of their endpoints */
    uint32_t segments;
    GList waiting; /* link in the queue of the capture; in it if it has data */
};

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
drop_held(struct stream *stream)
{
    held_clear(&stream->direction[0].held);
    held_clear(&stream->direction[1].held);
}

/* Whether the stream is in the capture's queue. */
static void
set_waiting(struct streams *streams, struct stream *stream, bool waits)
{
    if (waits && !stream->waiting.data)
        g_queue_push_tail_link(&streams->waiting, &stream->waiting);
    else if (!waits && stream->waiting.data)
        g_queue_unlink(&streams->waiting, &stream->waiting);
    stream->waiting.data = waits ? stream : NULL;
}

void
stream_forget(struct streams *streams, struct connection *connection)
{
    struct stream *stream = connection->stream;
    if (!stream)
        return;
    drop_held(stream);
    set_waiting(streams, stream, false);
    wmem_free(streams->scope, stream);
    connection->stream = NULL;
}

void
streams_free(struct streams *streams)
{
    for (const GList *link = streams->waiting.head; link; link = link->next)
        drop_held(link->data);
    g_free(streams);
}

static bool
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
    return connection->stream && is_waiting(connection->stream);
}

/* The queue is as the stream is now. */
static void
note_waiting(struct streams *streams, struct stream *stream)
{
    set_waiting(streams, stream, is_waiting(stream));
    if (!has_held(stream))
        drop_held(stream);
}

/* The offset up to which a segment says that its sender has the other end's stream; INT64_MIN for nothing. */
static int64_t
needed(const struct stream *stream, uint8_t sender, const struct segment *segment)
{
    const struct sequence *received = &stream->connection->sender[!sender].sequence;
    if (!(segment->flags & SEGMENT_ACK) || !received->known)
        return INT64_MIN;
    return MIN(sequence_offset(received, segment->ack), stream->direction[!sender].fin);
}

/* Whether bytes are missing that the segment says its sender has. */
static bool
is_early(const struct stream *stream, uint8_t sender, const struct segment *segment)
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
static int
next_side(const struct stream *stream)
{
    const struct held *of[2] = { follower(stream, 0), follower(stream, 1) };
    bool goes[2];
    for (uint8_t side = 0; side < 2; side++)
        goes[side] = of[side] && !is_early(stream, side, &of[side]->payload.segment);
    bool is_first = of[0] && of[1] && of[0]->payload.segment.frame < of[1]->payload.segment.frame;
    if (of[0] && of[1] && goes[0] == goes[1])
        return goes[0] ? !is_first : is_first;
    return goes[0] ? 0 : goes[1] ? 1 : -1;
}

static void
note_begun(struct direction *direction, int64_t start)
{
    if (!direction->begun)
        direction->first = start;
    direction->begun = true;
}

/* The direction ends with this segment, after its last byte or where it is cut off. */
static void
deliver_end(struct streams *streams, struct stream *stream, uint8_t side, const struct segment *segment)
{
    struct direction *direction = &stream->direction[side];
    if (direction->ended)
        return;
    direction->ended = true;
    const struct payload payload = { .connection = stream->connection, .segment = *segment, .sender = side };
    struct piece piece = { .payload = &payload, .segment = *segment, .start = direction->next, .ends = true };
    piece.segment.payload_bytes = piece.segment.captured_bytes = 0;
    piece.after_gap = direction->acked > direction->next && direction->acked <= direction->fin;
    streams->deliver(streams->data, &piece);
}

static void
deliver(struct streams *streams, struct direction *direction, const struct payload *payload, struct piece *piece)
{
    if (piece->segment.payload_bytes > 0 && piece->start >= direction->next) {
        piece->after_gap = piece->start > direction->next;
        note_begun(direction, piece->start);
        direction->waits = false;
        direction->next = piece->start + piece->segment.payload_bytes;
    }
    piece->payload = payload;
    piece->fresh = piece->segment.payload_bytes;
    streams->deliver(streams->data, piece);
    if (direction->next >= direction->fin)
        deliver_end(streams, payload->connection->stream, payload->sender, &payload->segment);
}

static void
deliver_first(struct streams *streams, struct direction *direction)
{
    struct held *held = held_remove_first(&direction->held);
    struct piece piece = { .segment = held->payload.segment, .start = held->start, .again = held->again };
    if (held->end == held->start)
        piece.start = held->payload.place.start;
    deliver(streams, direction, &held->payload, &piece);
    g_free(held);
}

static void
deliver_all(struct streams *streams, struct stream *stream)
{
    int side;
    while ((side = next_side(stream)) >= 0)
        deliver_first(streams, &stream->direction[side]);
}

/* What is missing before the first held part of this direction, or before a part of the other one: the end of the hole
 * at `next`; `next` if there is none. */
static int64_t
hole_end(const struct stream *stream, uint8_t side)
{
    const struct direction *direction = &stream->direction[side], *other = &stream->direction[!side];
    int64_t end = direction->next;
    if (held_count(&direction->held) > 0)
        return MAX(end, held_at(&direction->held, 0)->start);
    if (held_count(&other->held) > 0 && is_early(stream, !side, &held_at(&other->held, 0)->payload.segment))
        end = needed(stream, !side, &held_at(&other->held, 0)->payload.segment);
    return end;
}

/* The part of the hole that the capture will not have. */
static int64_t
gap_end(const struct stream *stream, uint8_t side)
{
    const struct direction *direction = &stream->direction[side];
    int64_t end = hole_end(stream, side);
    return stream->direction[!side].seen ? MIN(end, direction->acked) : end;
}

/* Nobody waits for the bytes before `end` any more. Where nothing follows them yet they may still come. */
static void
excuse(struct direction *direction, int64_t end)
{
    direction->excused = MAX(direction->excused, end);
    direction->waits = false;
}

static void
give_up_waiting(struct streams *streams, struct stream *stream, int64_t now_ns)
{
    for (unsigned side = 0; side < 2; side++) {
        struct direction *direction = &stream->direction[side];
        int64_t end = gap_end(stream, (uint8_t)side);
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
static void
skip_hole(struct streams *streams, struct stream *stream)
{
    uint8_t client = stream->connection->client;
    for (unsigned i = 0; i < 2; i++) {
        uint8_t side = i == 0 ? client : !client;
        int64_t end = hole_end(stream, side);
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
    struct stream *stream = connection->stream;
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
    for (uint8_t side = 0; connection->stream && side < 2; side++)
        deliver_end(streams, connection->stream, side, segment);
}

void
streams_end(struct streams *streams)
{
    const GList *first;
    while ((first = streams->waiting.head))
        stream_end(streams, ((struct stream *)first->data)->connection);
}

static void
bound(struct streams *streams, struct stream *stream)
{
    while (stream->direction[0].held.bytes > STREAM_HELD_BYTES || stream->direction[1].held.bytes > STREAM_HELD_BYTES)
        skip_hole(streams, stream);
    note_waiting(streams, stream);
    while (streams->held_bytes > STREAMS_HELD_BYTES)
        stream_end(streams, ((struct stream *)streams->waiting.head->data)->connection);
}

static struct stream *
stream_of(struct streams *streams, struct connection *connection)
{
    struct stream *stream = connection->stream;
    if (stream)
        return stream;
    stream = connection->stream = wmem_new0(streams->scope, struct stream);
    stream->connection = connection;
    for (unsigned side = 0; side < 2; side++) {
        stream->direction[side].next = stream->direction[side].acked = SEQUENCE_FIRST;
        stream->direction[side].excused = INT64_MIN;
        stream->direction[side].fin = INT64_MAX;
        stream->direction[side].held.total = &streams->held_bytes;
    }
    stream->direction[connection->client].seen = connection->connect.number > 0;
    return stream;
}

/* A SYN alone needs no stream: floods of them are many connections. */
static bool
is_first_syn(const struct connection *connection, const struct segment *segment)
{
    return !connection->stream && (segment->flags & (SEGMENT_SYN | SEGMENT_ACK | SEGMENT_FIN)) == SEGMENT_SYN &&
           connection->connect.number > 0 && connection_sender(connection, segment) == connection->client;
}

/* What the segment says of the other end's bytes, and of its own last one. */
static void
note_header(struct stream *stream, uint8_t sender, const struct segment *segment)
{
    struct direction *direction = &stream->direction[sender], *other = &stream->direction[!sender];
    const struct sequence *sent = &stream->connection->sender[sender].sequence;
    const struct sequence *received = &stream->connection->sender[!sender].sequence;
    stream->segments++;
    direction->seen = true;
    if (segment->flags & SEGMENT_FIN && sent->known) {
        direction->fin = sequence_offset(sent, segment->seq + segment->payload_bytes);
        direction->fin_frame = segment->frame;
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
static void
begin(const struct stream *stream, const struct payload *payload, struct direction *direction)
{
    const struct sequence *sequence = &stream->connection->sender[payload->sender].sequence;
    if (payload->place.fresh == 0 || direction->begun || held_count(&direction->held) > 0)
        return;
    if (direction->has_first_ack) {
        int64_t first = sequence_offset(sequence, direction->first_ack);
        if (first < direction->next && direction->next - first <= STREAM_HELD_BYTES)
            direction->next = first;
        direction->has_first_ack = false;
    } else if (payload->place.start < direction->next && direction->next == SEQUENCE_FIRST) {
        direction->next = payload->place.start;
    }
}

static void
pass_time(struct streams *streams, struct stream *stream, int64_t now_ns)
{
    if (!has_held(stream))
        return;
    give_up_waiting(streams, stream, now_ns);
    note_waiting(streams, stream);
}

void
stream_pass(struct streams *streams, struct connection *connection, const struct segment *segment)
{
    if (is_first_syn(connection, segment))
        return;
    struct stream *stream = stream_of(streams, connection);
    pass_time(streams, stream, segment->time_ns);
    const uint8_t sender = connection_sender(connection, segment);
    const struct direction *direction = &stream->direction[sender];
    note_header(stream, sender, segment);
    pass_time(streams, stream, segment->time_ns);
    if (segment->flags & SEGMENT_FIN && direction->next >= direction->fin)
        deliver_end(streams, stream, sender, segment);
    note_waiting(streams, stream);
}

static void
deliver_as_captured(struct streams *streams, struct stream *stream, const struct payload *payload)
{
    struct direction *direction = &stream->direction[payload->sender];
    stream_end(streams, payload->connection);
    note_begun(direction, payload->place.start);
    direction->next = MAX(direction->next, payload->place.end);
    const struct piece piece = {
        .payload = payload,
        .segment = payload->segment,
        .start = payload->place.start,
        .fresh = payload->place.fresh,
        .after_gap = !payload->place.in_order,
    };
    streams->deliver(streams->data, &piece);
}

void
stream_take(struct streams *streams, const struct payload *payload)
{
    struct stream *stream = stream_of(streams, payload->connection);
    struct direction *direction = &stream->direction[payload->sender];
    pass_time(streams, stream, payload->segment.time_ns);
    note_header(stream, payload->sender, &payload->segment);
    begin(stream, payload, direction);
    if (payload->after_fragment)
        excuse(direction, payload->place.start);
    if (payload->connection->framing.claimed && payload->connection->framing.hidden) {
        deliver_as_captured(streams, stream, payload);
        return;
    }
    bool is_old = payload->place.end <= direction->next;
    bool follows = payload->place.start <= direction->next && !is_early(stream, payload->sender, &payload->segment);
    if (is_old || (follows && !has_held(stream))) {
        /* The capture begins within the connection: what lies before its first segment is new, if out of order. */
        bool is_before = payload->place.fresh > 0 && direction->begun && payload->place.end <= direction->first;
        int64_t start = is_before ? payload->place.start
                        : is_old  ? payload->place.end
                                  : MAX(payload->place.start, direction->next);
        struct piece piece = {
            .segment = segment_part(&payload->segment, (uint32_t)(start - payload->place.start),
                                    (uint32_t)(payload->place.end - start)),
            .start = is_old ? payload->place.start : start,
        };
        deliver(streams, direction, payload, &piece);
        return;
    }
    held_add(&direction->held, payload, direction->next);
    deliver_all(streams, stream);
    give_up_waiting(streams, stream, payload->segment.time_ns);
    bound(streams, stream);
}
