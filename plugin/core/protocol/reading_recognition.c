/* reading_recognition.c
 * How a connection begins to be read: its protocol, and who is its client, are recognised.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include "reading_parts.h"
#include "../request/turns.h"

/* The server greets without waiting for the client, whose first request may cross that on its way. */
static void
note_greeting(struct connection *connection, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    if (piece->fresh > 0)
        connection->has_greeted = piece->start == SEQUENCE_FIRST && connection->tcp->connect.syn_ack_seen &&
                                  segment->captured_bytes == segment->payload_bytes && !connection->request &&
                                  reading_greeting_ends(segment->payload, segment->captured_bytes);
}

/* Whether, before it sent this segment, the server had all that the client had said, and the client all answers. */
static bool
is_alone(const struct connection *connection, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    const struct tcp_sender *server = &connection->tcp->sender[!connection->client];
    if (piece->start == SEQUENCE_FIRST && connection->has_greeted)
        return true;
    if (server->has_acked && (int32_t)(segment->seq - server->ack) > 0)
        return false;
    const int64_t read = connection->sender[!connection->client].read, end = read ? read : SEQUENCE_FIRST;
    return !server->sequence.known || !(segment->flags & SEGMENT_ACK) ||
           sequence_offset(&server->sequence, segment->ack) == end;
}

/* Whether the capture does not have all that was sent before that offset, since its sender began. */
static bool
lacks_bytes(const struct sequence *sequence, int64_t offset)
{
    bool lacks = false;
    for (unsigned i = 0; i < sequence->n_holes; i++)
        lacks |= sequence->holes[i].start >= SEQUENCE_FIRST && sequence->holes[i].start < offset;
    return lacks;
}

/* Whether the segment is the client's, where both sides may say the same. */
static bool
knows_roles(const struct requests *requests, const struct connection *connection, const struct parser *parser,
            const struct segment *segment)
{
    const struct settings *settings = requests->settings;
    return !parser->tells_client || connection->role_certain || reading_tells_client(parser, segment) ||
           settings->port_kind(connection_server(connection)->port) >
               settings->port_kind(connection_client(connection)->port);
}

void
reading_recognise_client(struct requests *requests, struct carrier *carrier, bool is_other)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    struct reading *reading = connection->tcp->reading;
    const struct segment *segment = &piece->segment;
    if (requests->settings->by_turns || (reading && reading->over) || segment->captured_bytes == 0 ||
        piece->fresh < segment->payload_bytes ||
        (!is_other && !turns_begin(requests, connection, piece) && !reading_tells_client(NULL, segment)))
        return;
    const size_t known = MAX(segment->captured_bytes, piece->known_bytes);
    const struct parser *parser = reading_recognise(segment->payload, known, MAX(segment->payload_bytes, known));
    if (!parser || !knows_roles(requests, connection, parser, segment))
        return;
    /* What made no sense may have been several requests. */
    const bool was_lost = reading && reading->last_parser == parser;
    reading = reading_of(requests, carrier);
    reading_begin(reading, parser, segment->time_ns);
    /* The capture has the connection's beginning, and there nobody had asked, and the server answered; or bytes that
     * asked are missing. */
    bool missed = was_lost || (connection->tcp->connect.number &&
                               ((connection_greeting(connection) && !parser->recognise_greeting) ||
                                lacks_bytes(reading_sequence(reading, true), piece->start)));
    reading->work->flow[false].placed = segment->flags & SEGMENT_ACK;
    if (piece->after_gap || missed || !is_alone(connection, piece)) {
        reading->work->flow[false].placed = false;
        reading->has_gap = true;
        resync_open_gap(reading_resync(reading), INT64_MIN);
        reading->work->flow[true].unread = INT64_MAX;
    }
    reading->work->flow[false].at = reading_end(reading, false);
    reading->first_ack = segment->ack;
    reading->work->flow[true].at = piece->start;
    reading->work->flow[true].placed = true;
    reading_tell(reading, &(struct message){ .kind = MESSAGE_CLAIM, .from_client = true, .key = parser->kind });
}

void
reading_recognise_server(struct requests *requests, struct carrier *carrier)
{
    const struct payload *payload = carrier->piece->payload;
    struct connection *connection = payload->connection;
    const struct segment *segment = &carrier->piece->segment;
    if (payload->sender != connection->client)
        note_greeting(connection, carrier->piece);
    if (requests->settings->by_turns || connection->role_certain || segment->captured_bytes == 0 ||
        !reading_tells_client(NULL, segment))
        return;
    connection->client = payload->sender;
    reading_recognise_client(requests, carrier, true);
    if (!connection->framing.claimed)
        connection->client = !payload->sender;
}

void
reading_claim(struct requests *requests, const struct parser *parser, struct carrier *carrier, bool from_client)
{
    const struct piece *piece = carrier->piece;
    const struct connect *connect = &piece->payload->connection->tcp->connect;
    struct reading *reading = reading_of(requests, carrier);
    reading_begin(reading, parser, piece->segment.time_ns);
    reading->first_ack = piece->segment.ack;
    reading->has_gap = true;
    reading_tell(reading, &(struct message){ .kind = MESSAGE_CLAIM, .from_client = from_client, .key = parser->kind });
    for (unsigned side = 0; side < 2; side++) {
        struct flow *flow = &reading->work->flow[side];
        flow->at = side == from_client ? piece->start : reading_end(reading, side);
        flow->placed = flow->at == SEQUENCE_FIRST && (side ? connect->number != 0 : connect->syn_ack_seen);
    }
}
