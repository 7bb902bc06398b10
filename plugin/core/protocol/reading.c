/* reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include <string.h>

#include "reading_parts.h"
#include "../request/turns.h"

static const struct parser *const parsers[] = { &parser_http,      &parser_redis,
                                                &parser_memcached, &parser_memcached_binary,
                                                &parser_dns,       &parser_http2,
                                                &parser_postgresql };

void
reading_bind(struct reading *reading, struct requests *requests, struct connection *connection)
{
    reading->requests = requests;
    reading->connection = connection;
}

struct reading *
reading_of(struct requests *requests, struct connection *connection)
{
    if (!connection->reading)
        connection->reading = wmem_new0(requests->scope, struct reading);
    reading_bind(connection->reading, requests, connection);
    return connection->reading;
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
    if (!reading->parser->has_ids && segment->flags & SEGMENT_ACK && sent->known &&
        sequence_offset(sent, segment->ack) > end)
        resync_open_gap(reading->resync, end + 1);
}

/* The capture does not have the bytes up to `start`: the place in them is lost, or the message's last bytes. */
static void
pass_hole(struct reading *reading, bool from_client, int64_t start)
{
    struct flow *flow = &reading->flow[from_client];
    if (flow->skip == 0 && flow->held > 0)
        reading_takes_cut(reading, from_client, true);
    if (flow->ends && flow->skip < (uint64_t)(start - flow->at) && !flow->may_end) {
        flow->missing += flow->skip;
        reading_pass(flow, flow->skip);
        reading_end_message(reading, from_client);
    }
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

const struct parser *
reading_recognise(const uint8_t *bytes, size_t length)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(parsers); i++)
        if (parsers[i]->recognise(bytes, length))
            return parsers[i];
    return NULL;
}

bool
reading_recognise_greeting(const uint8_t *bytes, size_t length)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(parsers); i++)
        if (parsers[i]->recognise_greeting && parsers[i]->recognise_greeting(bytes, length))
            return true;
    return false;
}

bool
reading_may_begin(const struct requests *requests, const struct connection *connection, const uint8_t *bytes,
                  size_t length)
{
    bool may_begin = false;
    if (requests->settings->by_turns || connection->framing.claimed ||
        (connection->reading && connection->reading->over) || length == 0)
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(parsers); i++)
        may_begin |= parsers[i]->may_begin(bytes, length);
    return may_begin && !reading_recognise(bytes, length);
}

void
reading_drop_own(struct reading *reading)
{
    if (reading->own)
        reading->last_parser->forget(reading);
    reading->own = NULL;
}

void
reading_begin(struct reading *reading, const struct parser *parser, int64_t now_ns)
{
    const bool makes_sense = reading->makes_sense && reading->last_parser == parser;
    resync_free(reading->resync);
    reading_drop_own(reading);
    *reading = (struct reading){
        .parser = parser,
        .last_parser = parser,
        .resync = resync_new(reading->requests->scope, parser->has_parts),
        .makes_sense = makes_sense,
        .flow = { { .piece = reading->flow[0].piece }, { .piece = reading->flow[1].piece } },
        .last_ns = now_ns,
        .is_greeted = reading->is_greeted,
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

/* Whether the capture does not have all that was sent before that offset, since its sender began. */
static bool
lacks_bytes(const struct sequence *sequence, int64_t offset)
{
    bool lacks = false;
    for (unsigned i = 0; i < sequence->n_holes; i++)
        lacks |= sequence->holes[i].start >= SEQUENCE_FIRST && sequence->holes[i].start < offset;
    return lacks;
}

static bool
tells_client(const struct parser *parser, const struct segment *segment)
{
    bool from_client = false;
    return parser->tells_client(segment->payload, segment->captured_bytes, &from_client) && from_client;
}

/* Whether the segment is the client's, where both sides may say the same. */
static bool
knows_roles(const struct requests *requests, const struct connection *connection, const struct parser *parser,
            const struct segment *segment)
{
    const struct settings *settings = requests->settings;
    return !parser->tells_client || connection->role_certain || tells_client(parser, segment) ||
           settings->port_kind(connection_server(connection)->port) >
               settings->port_kind(connection_client(connection)->port);
}

/* A client's piece that would begin a turn, of a connection of which nothing is known; `is_other`: it was taken for the
 * server's. */
static void
claim(struct requests *requests, struct connection *connection, const struct piece *piece, bool is_other)
{
    struct reading *reading = connection->reading;
    const struct segment *segment = &piece->segment;
    if (requests->settings->by_turns || (reading && reading->over) || segment->captured_bytes == 0 ||
        piece->fresh < segment->payload_bytes || (!is_other && !turns_begin(requests, connection, piece)))
        return;
    const struct parser *parser = reading_recognise(segment->payload, MAX(segment->captured_bytes, piece->known_bytes));
    if (!parser || !knows_roles(requests, connection, parser, segment))
        return;
    reading = reading_of(requests, connection);
    reading_begin(reading, parser, segment->time_ns);
    /* The capture has the connection's beginning, and there nobody had asked, and the server answered; or bytes that
     * asked are missing. */
    bool missed = connection->connect.number && ((connection->greeting.frame && !parser->recognise_greeting) ||
                                                 lacks_bytes(reading_sequence(reading, true), piece->start));
    reading->flow[false].placed = segment->flags & SEGMENT_ACK;
    if (piece->after_gap || missed || !is_alone(connection, segment)) {
        reading->flow[false].placed = false;
        reading->has_gap = true;
        resync_open_gap(reading->resync, INT64_MIN);
        reading->flow[true].unread = INT64_MAX;
    }
    reading->flow[false].at = reading_end(reading, false);
    reading->first_ack = segment->ack;
    reading->flow[true].at = piece->start;
    reading->flow[true].placed = true;
    reading_tell(reading, (struct message){ .kind = MESSAGE_CLAIM, .from_client = true, .key = parser->kind });
}

/* Without a handshake the roles are guessed, by ports: what the side says that was taken for the server may tell. */
static void
claim_other(struct requests *requests, struct connection *connection, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    if (requests->settings->by_turns || connection->role_certain || segment->captured_bytes == 0 ||
        !tells_client(&parser_http2, segment))
        return;
    connection->client = piece->payload->sender;
    claim(requests, connection, piece, true);
    if (!connection->framing.claimed)
        connection->client = !piece->payload->sender;
}

void
reading_claim(struct requests *requests, const struct parser *parser, const struct piece *piece, bool from_client)
{
    struct connection *connection = piece->payload->connection;
    const struct connect *connect = &connection->connect;
    struct reading *reading = reading_of(requests, connection);
    reading_begin(reading, parser, piece->segment.time_ns);
    reading->first_ack = piece->segment.ack;
    reading->has_gap = true;
    reading_tell(reading, (struct message){ .kind = MESSAGE_CLAIM, .from_client = from_client, .key = parser->kind });
    for (unsigned side = 0; side < 2; side++) {
        struct flow *flow = &reading->flow[side];
        flow->at = side == from_client ? piece->start : reading_end(reading, side);
        flow->placed = flow->at == SEQUENCE_FIRST && (side ? connect->number != 0 : connect->syn_ack_seen);
    }
}

int64_t
reading_place(const struct connection *connection, bool from_client)
{
    const struct reading *reading = connection->reading;
    const struct flow *flow = reading ? &reading->flow[from_client] : NULL;
    return flow && flow->placed ? flow->at - (int64_t)flow->bytes : -1;
}

void
reading_arrives(struct requests *requests, const struct piece *piece, const struct decrypted *decrypted)
{
    struct connection *connection = piece->payload->connection;
    bool from_client = piece->payload->sender == connection->client;
    if (decrypted)
        reading_arrives_decrypted(requests, piece, decrypted);
    else if (from_client && !connection->framing.claimed)
        claim(requests, connection, piece, false);
    else if (!connection->framing.claimed)
        claim_other(requests, connection, piece);
    from_client = piece->payload->sender == connection->client;
    struct reading *reading = connection->reading;
    if (!reading || !reading->parser || reading->decrypted || piece->fresh == 0)
        return;
    const struct segment *segment = &piece->segment;
    struct flow *flow = &reading->flow[from_client];
    int64_t start = piece->start;
    reading_bind(reading, requests, connection);
    if (flow->at < 0)
        flow->at = MIN(start, sequence_offset(reading_sequence(reading, from_client), reading->first_ack));
    if (start < flow->at)
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

/* The place is known. How many requests the bytes that were not read can have been is known by the shortest so far;
 * some may be half as long. */
static void
bound_unread(struct reading *reading, bool from_client, bool is_found)
{
    struct flow *flow = &reading->flow[from_client];
    if (from_client)
        resync_close_gap(reading->resync,
                         flow->unread / (reading->parser->has_short ? reading->parser->least
                                                                    : MAX(flow->least / 2, reading->parser->least)));
    else if (is_found)
        resync_miss(reading->resync);
    if (is_found && flow->unread > 0)
        reading_miss_answers(reading, from_client);
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
    if (is_found && !reading_find_place(reading, from_client, segment)) {
        reading_miss_answers(reading, from_client);
        return;
    }
    if (start > flow->at) {
        flow->missing += (uint64_t)(start - flow->at);
        reading_pass(flow, (uint64_t)(start - flow->at));
    }
    bound_unread(reading, from_client, is_found);
    /* behind a gap nobody knows when it began to ask */
    if (from_client && reading_is_between(flow) && reading->requests->taken.in_order) {
        reading_note_silence(reading, segment);
        /* not in the middle of what it asks together */
        if (reading->client_ack != segment->ack)
            reading_note_flight(reading, segment, false);
    }
    reading_segment(reading, from_client, segment, (size_t)(flow->at - start), (uint64_t)(end - flow->at));
}

void
reading_take(struct requests *requests, const struct piece *piece, const struct decrypted *decrypted)
{
    struct connection *connection = piece->payload->connection;
    const struct segment *segment = &piece->segment;
    bool from_client = piece->payload->sender == connection->client;
    struct reading *reading = connection->reading;
    if (!reading || piece->fresh == 0)
        return;
    reading_bind(reading, requests, connection);
    if (decrypted)
        reading_take_decrypted(reading, from_client, decrypted);
    if (decrypted || !reading->parser || reading->decrypted)
        return;
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
reading_shed(const struct requests *requests, struct connection *connection)
{
    for (unsigned side = 0; connection->reading && side < 2; side++) {
        struct flow *flow = &connection->reading->flow[side];
        if (flow->held > 0)
            continue;
        wmem_free(requests->scope, flow->piece);
        flow->piece = NULL;
    }
}

void
reading_forget(struct requests *requests, struct connection *connection)
{
    struct reading *reading = connection->reading;
    if (!reading)
        return;
    reading_bind(reading, requests, connection);
    reading_drop_own(reading);
    resync_free(reading->resync);
    wmem_free(requests->scope, reading->flow[false].piece);
    wmem_free(requests->scope, reading->flow[true].piece);
    wmem_free(requests->scope, reading);
    connection->reading = NULL;
}
