/* reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include <string.h>

#include "reading_parts.h"

static const struct parser *const parsers[] = { &parser_http, &parser_redis, &parser_memcached,
                                                &parser_memcached_binary };

void
reading_bind(struct reading *reading, struct requests *requests, struct connection *connection)
{
    reading->requests = requests;
    reading->connection = connection;
}

int64_t
reading_end(const struct reading *reading, bool from_client)
{
    const struct connection *connection = reading->connection;
    const struct sender *sender = &connection->sender[from_client ? connection->client : !connection->client];
    return sender->read ? sender->read : sender->sequence.known ? SEQUENCE_FIRST : -1;
}

const struct sequence *
reading_sequence(const struct reading *reading, bool from_client)
{
    const struct connection *connection = reading->connection;
    return &connection->sender[from_client ? connection->client : !connection->client].sequence;
}

/* A server that acknowledges what the capture does not have may answer that. */
static void
note_acknowledged(struct reading *reading, const struct segment *segment)
{
    const struct sequence *sent = reading_sequence(reading, true);
    const struct flow *asked = &reading->flow[true];
    const int64_t end = asked->is_open_ended ? asked->at : asked->at + (int64_t)asked->skip;
    if (segment->flags & SEGMENT_ACK && sent->known && sequence_offset(sent, segment->ack) > end)
        resync_open_gap(reading->resync, end + 1);
}

/* The capture does not have the bytes up to `start`: the place in them is lost, or the message's last bytes. */
static void
pass_hole(struct reading *reading, bool from_client, int64_t start)
{
    struct flow *flow = &reading->flow[from_client];
    uint64_t missing = (uint64_t)(start - flow->at);
    if (flow->skip < missing || flow->may_end) {
        flow->unread += missing;
        flow->before = missing;
        flow->at = start;
        reading_lose_place(reading, from_client);
    } else if (flow->skip == missing && flow->ends) {
        flow->missing += missing;
        reading_pass(flow, missing);
        reading_end_message(reading, from_client);
    }
}

/* Where the head of an answer was cut, what the server says is all of it until it begins to answer the next request. */
static void
end_open(struct reading *reading, const struct segment *segment, int64_t start)
{
    struct flow *flow = &reading->flow[false];
    if (!(segment->flags & SEGMENT_ACK) || segment->captured_bytes == 0 ||
        sequence_offset(reading_sequence(reading, true), segment->ack) <= reading->open_from ||
        (start == flow->at && !reading->parser->recognise_answer(segment->payload, segment->captured_bytes)))
        return;
    /* also where bytes are missing: an answer may be */
    reading_end_message(reading, false);
}

void
reading_arrives(struct requests *requests, const struct piece *piece)
{
    struct connection *connection = piece->payload->connection;
    struct reading *reading = connection->reading;
    bool from_client = piece->payload->sender == connection->client;
    if (!reading || piece->fresh == 0)
        return;
    const struct segment *segment = &piece->segment;
    struct flow *flow = &reading->flow[from_client];
    int64_t start = piece->start;
    reading_bind(reading, requests, connection);
    if (flow->at < 0)
        flow->at = MIN(start, sequence_offset(reading_sequence(reading, from_client), reading->first_ack));
    if (start < flow->at && !reading->decrypted && !reading->awaits)
        return;
    if (reading->decrypted || reading->awaits)
        reading_follow_records(reading, segment, from_client);
    if (!reading->parser || reading->decrypted)
        return;
    if (!from_client)
        note_acknowledged(reading, segment);
    if (!flow->placed)
        return;
    if (!from_client && flow->is_open_ended)
        end_open(reading, segment, start);
    if (from_client)
        reading_see_turn(reading, segment);
    if (start > flow->at)
        pass_hole(reading, from_client, start);
    else if (!from_client)
        reading_see_end(reading, segment->payload, segment->captured_bytes);
}

const struct parser *
reading_recognise(const uint8_t *bytes, size_t length)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(parsers); i++)
        if (parsers[i]->recognise(bytes, length))
            return parsers[i];
    return NULL;
}

void
reading_begin(struct reading *reading, const struct parser *parser, int64_t now_ns)
{
    const bool makes_sense = reading->makes_sense && reading->last_parser == parser;
    resync_free(reading->resync);
    *reading = (struct reading){
        .parser = parser,
        .last_parser = parser,
        .resync = resync_new(reading->requests->scope),
        .makes_sense = makes_sense,
        .last_ns = now_ns,
        .is_cut = reading->is_cut && reading->last_parser == parser,
        .requests = reading->requests,
        .connection = reading->connection,
    };
    reading_reset(reading, false);
    reading_reset(reading, true);
}

/* Whether, before it sent this segment, the server had all that the client had said, and the client all answers. */
static bool
is_alone(const struct connection *connection, const struct segment *segment)
{
    const struct sender *server = &connection->sender[!connection->client];
    if (server->has_acked && (int32_t)(segment->seq - server->ack) > 0)
        return false;
    int64_t end = server->read ? server->read : SEQUENCE_FIRST;
    return !server->sequence.known || !(segment->flags & SEGMENT_ACK) ||
           sequence_offset(&server->sequence, segment->ack) == end;
}

/* The capture has the handshake, nothing of the server, and of the client nothing before this segment. */
static bool
lacks_beginning(const struct connection *connection)
{
    const struct sender *client = &connection->sender[connection->client],
                        *server = &connection->sender[!connection->client];
    return connection->connect.number && client->read == 0 && server->sequence.known && server->read == 0;
}

/* A client's segment that begins a turn, of a connection of which nothing is known. */
static void
claim(struct requests *requests, struct connection *connection, const struct segment *segment)
{
    struct reading *reading = connection->reading;
    const struct item *item = items_at(requests->items, requests->taken.position);
    const struct request *request = item_request(item);
    const struct parser *parser = NULL;
    if ((reading && reading->over) || segment->captured_bytes == 0 || requests->taken.fresh < segment->payload_bytes ||
        !request || request->q0_frame != segment->frame || request->p0_frame)
        return;
    parser = reading_recognise(segment->payload, segment->captured_bytes);
    if (!parser)
        return;
    if (!reading)
        reading = connection->reading = wmem_new0(requests->scope, struct reading);
    reading_bind(reading, requests, connection);
    reading_begin(reading, parser, segment->time_ns);
    /* From its beginning on nobody had asked, and the server answered. */
    bool missed = connection->greeting.frame && connection->connect.number;
    reading->flow[false].placed = segment->flags & SEGMENT_ACK;
    if (!requests->taken.in_order || missed || !is_alone(connection, segment)) {
        reading->flow[false].placed = lacks_beginning(connection);
        reading->has_gap = true;
        resync_open_gap(reading->resync, INT64_MIN);
        reading->flow[true].unread = INT64_MAX;
    }
    reading->flow[false].at = reading_end(reading, false);
    reading->first_ack = segment->ack;
    reading->flow[true].at = requests->taken.start;
    reading->flow[true].placed = true;
    reading_tell(reading, (struct message){ .kind = MESSAGE_CLAIM, .from_client = true, .key = parser->kind });
}

/* Whether the client, when it asked last, had all that the server had sent before this segment, and the server then had
 * all that the client had asked: answers do not wait for each other here. */
static bool
answers_at_once(const struct reading *reading, const struct segment *segment)
{
    const struct connection *connection = reading->connection;
    const struct sender *client = &connection->sender[connection->client];
    return reading->client_ack == segment->seq && client->sequence.known && segment->flags & SEGMENT_ACK &&
           sequence_offset(&client->sequence, segment->ack) == client->read;
}

/* Where no message can be known to begin, one does with a segment that looks so. In the middle of a long answer another
 * may seem to begin, but not after the end of what was sent at once: that is no full segment. Nor where the client asks
 * only when it has been answered. */
static bool
is_recognised(const struct reading *reading, bool from_client, const struct segment *segment)
{
    enum { LEAST_FULL = 536 }; /* RFC 9293 §3.7.1 */
    const struct parser *parser = reading->parser;
    const struct flow *flow = &reading->flow[from_client];
    if (segment->captured_bytes == 0)
        return false;
    if (from_client)
        return parser->recognise(segment->payload, segment->captured_bytes);
    bool is_whole = parser->block > 0 || memchr(segment->payload, '\n', segment->captured_bytes);
    bool is_after_end = flow->before < MAX(flow->largest, LEAST_FULL) || answers_at_once(reading, segment);
    return is_whole && is_after_end && parser->recognise_answer(segment->payload, segment->captured_bytes);
}

/* Whether the rest of the segment makes sense as requests from that byte on. Nothing of it is told. */
static bool
is_readable(struct reading *reading, const struct segment *segment, size_t offset)
{
    const struct reading before = *reading;
    struct flow *flow = &reading->flow[true];
    reading->is_mute = flow->placed = true;
    flow->at = reading->requests->taken.start + (int64_t)offset;
    reading_segment(reading, true, segment, offset, segment->payload_bytes - offset);
    bool is_readable = reading->parser && flow->placed;
    *reading = before;
    return is_readable;
}

/* A client's segment begins with the rest of a message that was lost: the offset of the next one, 0 if there is none.
 */
static size_t
find_request(struct reading *reading, const struct segment *segment)
{
    enum { TRIED_MOST = 4 };
    const struct parser *parser = reading->parser;
    const uint8_t *begin = segment->payload, *end = begin + segment->captured_bytes;
    const int64_t read = reading->flow[true].at - reading->requests->taken.start;
    const uint8_t *at = begin + CLAMP(read, 0, (int64_t)segment->captured_bytes);
    unsigned tried = 0;
    while (parser->block == 0 && tried < TRIED_MOST && at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        if (!parser->recognise(at, (size_t)(end - at)))
            continue;
        if (is_readable(reading, segment, (size_t)(at - begin)))
            return (size_t)(at - begin);
        tried++;
    }
    return 0;
}

/* The place is known. How many requests the bytes that were not read can have been is known by the shortest so far;
 * some may be half as long. */
static void
bound_unread(struct reading *reading, bool from_client, bool is_found)
{
    struct flow *flow = &reading->flow[from_client];
    if (from_client)
        resync_close_gap(reading->resync, flow->unread / MAX(flow->least / 2, reading->parser->least));
    else if (is_found)
        resync_miss(reading->resync, reading->is_misplaced);
    flow->unread = 0;
    reading_settle(reading);
}

static void
feed(struct reading *reading, const struct segment *segment, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    int64_t start = reading->requests->taken.start, end = start + segment->payload_bytes;
    flow->largest = MAX(flow->largest, segment->payload_bytes);
    if (start > flow->at)
        flow->before = (uint64_t)(start - flow->at);
    bool is_found = !flow->placed;
    reading->is_fresh &= from_client;
    if (!flow->placed) {
        flow->placed = is_recognised(reading, from_client, segment);
        bool is_searched = from_client && !flow->placed && segment->captured_bytes > 0;
        size_t rest = is_searched ? find_request(reading, segment) : 0;
        flow->placed |= rest > 0;
        int64_t next = flow->placed ? MAX(start + (int64_t)rest, flow->at) : end;
        flow->unread += (uint64_t)(next - flow->at);
        flow->at = next;
    }
    if (!flow->placed)
        return;
    if (start > flow->at) {
        flow->missing += (uint64_t)(start - flow->at);
        reading_pass(flow, (uint64_t)(start - flow->at));
    }
    bound_unread(reading, from_client, is_found);
    if (is_found && !from_client) {
        reading->is_fresh = true;
        reading->is_misplaced = false;
    }
    if (from_client && reading_is_between(flow))
        reading_note_silence(reading, segment);
    /* not in the middle of what it asks together */
    if (from_client && reading_is_between(flow) && reading->requests->taken.in_order &&
        reading->client_ack != segment->ack)
        reading_note_flight(reading, segment, false);
    reading_segment(reading, from_client, segment, (size_t)(flow->at - start), (uint64_t)(end - flow->at));
}

void
reading_take(struct requests *requests, const struct segment *segment)
{
    struct connection *connection = requests->taken.connection;
    if (!connection || requests->settings->by_turns || requests->taken.fresh == 0)
        return;
    bool from_client = connection_sender(connection, segment) == connection->client;
    if (from_client && !connection->framing.claimed && requests->taken.has_item)
        claim(requests, connection, segment);
    struct reading *reading = connection->reading;
    if (!reading || !reading->parser || reading->decrypted)
        return;
    reading_bind(reading, requests, connection);
    struct flow *flow = &reading->flow[from_client];
    if (reading->parser && requests->taken.start + segment->payload_bytes > flow->at) {
        feed(reading, segment, from_client);
        flow->before = segment->payload_bytes;
    }
    if (from_client && reading->parser)
        reading_note_flight(reading, segment, true);
    if (from_client)
        reading->client_ack = segment->ack;
    reading->last_ns = segment->time_ns;
}

void
reading_forget(struct requests *requests, struct connection *connection)
{
    if (connection->reading)
        resync_free(connection->reading->resync);
    wmem_free(requests->scope, connection->reading);
    connection->reading = NULL;
}
