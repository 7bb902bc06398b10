/* reading_recognition.c
 * How a connection begins to be read: its protocol, and who is its client, are recognised.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include "parsers.h"
#include "reading_parts.h"
#include "../request/exchanges.h"
#include "../request/turns.h"

/* Counts a turn that may have begun with the rest of a request, and notes the protocol that it looks like (NULL: none).
 * After a long silence the client waits for nothing, and turns begin with requests. */
static void
count_turn(struct connection *connection, const struct parser *parser, const struct segment *segment)
{
    struct exchanges *exchanges = &connection->exchanges;
    const struct request *last = connection->request;
    const bool was_quiet =
        last && segment->time_ns - MAX(last->asking.last_ns, last->response.last_ns) >= CONNECTION_LINGERS_NS;
    if (connection->tcp->connect.number || exchanges->turns_within > TURNS_WITHIN_MOST)
        return;
    exchanges->turns_within = was_quiet ? TURNS_WITHIN_MOST + 1 : exchanges->turns_within + 1;
    exchanges->looks_like |= parser ? 1U << parser->protocol : 0;
}

/* Returns how many turns lose their answers where a protocol shows: none if one of them looked like its request. */
static unsigned
end_turns(struct connection *connection, const struct parser *parser, bool decrypted)
{
    struct exchanges *exchanges = &connection->exchanges;
    const unsigned turns = exchanges->turns_within;
    exchanges->turns_within = TURNS_WITHIN_MOST + 1;
    return decrypted || turns > TURNS_WITHIN_MOST || exchanges->looks_like & 1U << parser->protocol ? 0 : turns;
}

void
reading_begin(struct reading *reading, const struct parser *parser, bool from_client, bool decrypted)
{
    const bool is_same = reading->last_parser == parser;
    struct decryption *decryption = reading->decryption;
    if (decryption && decryption->state == DECRYPTION_AWAITED)
        reading_tell(reading, &(struct event){ .kind = EVENT_RELEASE });
    resync_free(reading->resync);
    reading_drop_own(reading);
    *reading = (struct reading){
        .parser = parser,
        .last_parser = parser,
        .makes_sense = reading->makes_sense && is_same,
        .is_cut = reading->is_cut && is_same,
        .flow = { { .unit = reading->flow[0].unit, .placed = decrypted },
                  { .unit = reading->flow[1].unit, .placed = decrypted } },
        .last_ns = reading->carrier->piece->segment.time_ns,
        .decryption = decryption,
        .requests = reading->requests,
        .carrier = reading->carrier,
        .connection = reading->connection,
    };
    if (decryption)
        *decryption = (struct decryption){ .state = decrypted ? DECRYPTION_READ : DECRYPTION_SOUGHT,
                                           .is_greeted = decryption->is_greeted,
                                           .followed = { decryption->followed[0], decryption->followed[1] } };
    reading_reset(reading, false);
    reading_reset(reading, true);
    reading_tell(reading, &(struct event){ .kind = EVENT_CLAIM,
                                           .claim = { parser->protocol, from_client, decrypted,
                                                      end_turns(reading->connection, parser, decrypted) } });
}

/* Returns whether nobody knows what the connection speaks, and a protocol may show. */
static bool
is_sought(const struct requests *requests, const struct connection *connection)
{
    return !requests->settings->by_turns &&
           (connection->session == SESSION_TURNS || connection->session == SESSION_OPENING);
}

const struct parser *
reading_recognise(const uint8_t *bytes, size_t length, uint64_t whole)
{
    for (unsigned i = 0; i < PARSERS; i++)
        if (length < whole && parsers[i]->recognise_cut ? parsers[i]->recognise_cut(bytes, length, whole)
                                                        : parsers[i]->recognise(bytes, length))
            return parsers[i];
    return NULL;
}

const struct parser *
reading_greeter(const uint8_t *bytes, size_t length)
{
    for (unsigned i = 0; i < PARSERS; i++)
        if (parsers[i]->recognise_greeting && parsers[i]->recognise_greeting(bytes, length))
            return parsers[i];
    return NULL;
}

static bool
tells_client(const struct parser *parser, const struct segment *segment, bool *from_client)
{
    return parser->tells_client &&
           parser->tells_client(segment->payload, segment->captured_bytes, segment->payload_bytes, from_client);
}

/* Whether the segment is certainly a client's, of a protocol whose clients ask while they wait. */
static bool
is_clients(const struct segment *segment)
{
    bool is_one = false, from_client;
    for (unsigned i = 0; i < PARSERS && !is_one; i++)
        is_one = parsers[i]->interleaves && tells_client(parsers[i], segment, &from_client) && from_client;
    return is_one;
}

/* Whether the piece's bytes say which side's they are, where no handshake does, and nothing has yet. What could be both
 * sides' says nothing, nor do protocols that contradict each other. Once a request has begun it has its row: then only
 * who asks without waiting, by fields, is believed. */
static inline bool
tells_roles(const struct requests *requests, const struct piece *piece, bool *from_client)
{
    const struct connection *connection = piece->payload->connection;
    bool side[2] = { false, false };
    if (connection->roles == ROLES_CERTAIN || !is_sought(requests, connection) || piece->segment.captured_bytes == 0 ||
        piece->fresh < piece->segment.payload_bytes)
        return false;
    *from_client = true;
    if (connection->request)
        return is_clients(&piece->segment);
    for (unsigned i = 0; i < PARSERS; i++)
        if (tells_client(parsers[i], &piece->segment, from_client))
            side[*from_client] = true;
    *from_client = side[true];
    return side[false] != side[true];
}

inline bool
reading_reverses_roles(const struct requests *requests, const struct piece *piece)
{
    struct connection *connection = piece->payload->connection;
    bool from_client;
    if (!piece->ends && tells_roles(requests, piece, &from_client) &&
        from_client != (piece->payload->sender == connection->client))
        connection->roles = ROLES_REVERSED;
    return connection->roles == ROLES_REVERSED;
}

/* Takes what the carrier's bytes say of who asks, or what those say before which they were held. */
static void
note_roles(struct requests *requests, struct carrier *carrier)
{
    const struct payload *payload = carrier->piece->payload;
    struct connection *connection = payload->connection;
    bool from_client;
    if (connection->roles == ROLES_CERTAIN)
        return;
    if (connection->roles == ROLES_REVERSED)
        exchanges_tell(
            requests, carrier,
            &(struct event){ .kind = EVENT_ROLES, .roles.from_client = payload->sender != connection->client });
    else if (tells_roles(requests, carrier->piece, &from_client))
        connection->roles = ROLES_CERTAIN;
}

bool
reading_may_begin(const struct requests *requests, const struct connection *connection, const uint8_t *bytes,
                  size_t length)
{
    /* many begin with a length, whose low bytes may be any: nobody has asked yet */
    enum { LENGTH_BYTES = 4 };
    bool may_begin = length < LENGTH_BYTES && !connection->request;
    if (!is_sought(requests, connection) || connection->tcp->tls || length == 0)
        return false;
    for (unsigned i = 0; i < PARSERS; i++)
        may_begin |= parsers[i]->may_begin(bytes, length);
    return may_begin;
}

/* Whether recognise() alone says it, or has been right before in this connection. */
static bool
is_believed(const struct connection *connection, const struct parser *parser, const uint8_t *bytes, size_t length,
            uint64_t whole)
{
    return !parser->agrees || connection->tcp->believed == parser ||
           (parser->is_certain && parser->is_certain(bytes, length, whole));
}

/* Returns the parser's bit in `refused`. */
static unsigned
bit_of(const struct parser *parser)
{
    _Static_assert(PARSERS <= 16, "struct tcp_part has room for the bit of each");
    unsigned i = 0;
    while (parsers[i] != parser)
        i++;
    return 1U << i;
}

const struct parser *
reading_looks_like(const struct requests *requests, const struct connection *connection, const uint8_t *bytes,
                   size_t length, uint64_t whole, bool *is_known)
{
    *is_known = false;
    if (!is_sought(requests, connection) || connection->tcp->tls || length == 0)
        return NULL;
    const struct parser *parser = reading_recognise(bytes, length, whole);
    *is_known = parser;
    if (!parser || is_believed(connection, parser, bytes, length, whole) || connection->tcp->refused & bit_of(parser))
        return NULL;
    return parser;
}

void
reading_note_agreement(struct connection *connection, const struct parser *parser, bool agrees)
{
    if (agrees)
        connection->tcp->believed = parser;
    else
        connection->tcp->refused |= (uint16_t)bit_of(parser);
}

/* The server greets without waiting for the client, whose first request may cross that on its way. */
static void
note_greeting(struct connection *connection, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    if (piece->fresh == 0)
        return;
    const bool is_first = piece->start == SEQUENCE_FIRST && connection->tcp->connect.syn_ack_seen &&
                          segment->captured_bytes == segment->payload_bytes && !connection->request;
    const struct parser *parser = is_first ? reading_greeter(segment->payload, segment->captured_bytes) : NULL;
    connection->has_greeted =
        parser && parser->greeting_ends && parser->greeting_ends(segment->payload, segment->captured_bytes);
}

/* Whether nothing but a prelude is before what the client says. */
static bool
is_behind_prelude(const struct connection *connection, const struct piece *piece)
{
    return connection->tcp->proxied && connection->tcp->proxied->end == piece->start;
}

/* Whether, before it sent this segment, the server had all that the client had said, and the client all answers. */
static bool
is_alone(const struct connection *connection, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    const struct tcp_sender *server = &connection->tcp->sender[!connection->client];
    if (piece->start == SEQUENCE_FIRST && connection->has_greeted)
        return true;
    if (server->has_acked && (int32_t)(segment->seq - server->ack) > 0 && !is_behind_prelude(connection, piece))
        return false;
    const int64_t read = connection->sender[!connection->client].read, end = read ? read : SEQUENCE_FIRST;
    return !server->sequence.known || !(segment->flags & SEGMENT_ACK) ||
           sequence_offset(&server->sequence, segment->ack) == end;
}

struct standing
reading_standing(struct connection *connection, const struct piece *piece)
{
    const struct reading reading = { .connection = connection };
    return (struct standing){ .is_alone = is_alone(connection, piece), .server_read = reading_end(&reading, false) };
}

/* Whether it is known who is the client, where both sides may say the same. */
static bool
knows_roles(const struct requests *requests, const struct connection *connection, const struct parser *parser)
{
    const struct settings *settings = requests->settings;
    return !parser->interleaves || connection->roles == ROLES_CERTAIN ||
           settings->port_kind(connection_server(connection)->port) >
               settings->port_kind(connection_client(connection)->port);
}

/* Returns whose request certainly stands behind the rest of another one, in the first bytes that the capture has of a
 * connection which began before it. Only protocols with ids are
 * looked for: in others, answers come in the order of requests, and nobody knows how many of these are in the rest. */
static const struct parser *
recognise_behind_rest(const struct connection *connection, const struct segment *segment)
{
    const struct parser *found = NULL;
    const uint8_t *bytes = segment->payload;
    const size_t length = segment->captured_bytes;
    if (connection->tcp->connect.number || connection->request || connection->sender[connection->client].read > 0)
        return NULL;
    for (unsigned i = 0; i < PARSERS && !found; i++) {
        const struct parser *parser = parsers[i];
        const size_t rest = parser->has_ids && parser->find ? parser->find(bytes, length) : 0;
        if (rest > 0 && is_believed(connection, parser, bytes + rest, length - rest, segment->payload_bytes - rest))
            found = parser;
    }
    return found;
}

/* A piece of which nothing is known yet, if it is its client's and begins a turn: a protocol may show. */
static void
recognise_client(struct requests *requests, struct carrier *carrier)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    struct reading *reading = connection->tcp->reading;
    const struct segment *segment = &piece->segment;
    const bool waited = reading && reading->waited;
    if (reading && piece->fresh > 0)
        reading->waited = false;
    if (!is_sought(requests, connection) || piece->fresh < segment->payload_bytes)
        return;
    const bool begins_turn = turns_begin(requests, connection, piece);
    if (!begins_turn && !is_clients(segment))
        return;
    const size_t known = MAX(segment->captured_bytes, piece->known_bytes);
    const size_t whole = MAX(segment->payload_bytes, known);
    const struct parser *parser = reading_recognise(segment->payload, known, whole);
    if (!parser) {
        parser = recognise_behind_rest(connection, segment);
        if (parser && knows_roles(requests, connection, parser))
            reading_claim(requests, parser, carrier, true, false);
        else if (begins_turn)
            count_turn(connection, NULL, segment);
        return;
    }
    if (!knows_roles(requests, connection, parser) ||
        !is_believed(connection, parser, segment->payload, known, whole)) {
        if (begins_turn)
            count_turn(connection, parser, segment);
        return;
    }
    const struct standing standing = piece->standing ? *piece->standing : reading_standing(connection, piece);
    /* What made no sense may have been several requests, or several answers. */
    const bool was_lost = reading && reading->last_parser == parser && !waited;
    reading = reading_of(requests, carrier);
    /* The capture has the connection's beginning, and there nobody had asked, and the server answered; or bytes that
     * asked are missing. */
    bool missed =
        was_lost || (connection->tcp->connect.number &&
                     ((connection_greeting(connection) && !parser->recognise_greeting && !connection->has_greeted) ||
                      sequence_lacks(reading_sequence(reading, true), SEQUENCE_FIRST, piece->start)));
    reading_begin(reading, parser, true, false);
    struct flow *asked = &reading->flow[true], *answered = &reading->flow[false];
    /* with its SYN (RFC 7413) the client asks before the server has said anything */
    const bool is_first = segment->flags & SEGMENT_SYN;
    answered->placed = is_first || segment->flags & SEGMENT_ACK;
    if (piece->after_gap || missed || !standing.is_alone) {
        answered->placed = false;
        reading->has_gap = true;
        resync_open_gap(reading_resync(reading), INT64_MIN);
        reading->unread[true] = INT64_MAX;
    } else if (!connection->tcp->connect.number && !parser->has_ids && !is_behind_prelude(connection, piece)) {
        reading->began_unseen = !reading->makes_sense;
        resync_open_gap(reading_resync(reading), INT64_MIN);
        resync_close_gap(reading_resync(reading), 0);
    }
    reading->begun = piece->start;
    answered->at = is_first ? SEQUENCE_FIRST : standing.server_read;
    reading->first_ack = segment->ack;
    asked->at = piece->start;
    asked->placed = true;
}

void
reading_recognise_protocol(struct requests *requests, struct carrier *carrier)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    note_roles(requests, carrier);
    if (piece->payload->sender != connection->client)
        note_greeting(connection, piece);
    else if (piece->segment.captured_bytes > 0)
        recognise_client(requests, carrier);
}

void
reading_claim(struct requests *requests, const struct parser *parser, struct carrier *carrier, bool from_client,
              bool decrypted)
{
    const struct piece *piece = carrier->piece;
    const struct connect *connect = &piece->payload->connection->tcp->connect;
    struct reading *reading = reading_of(requests, carrier);
    reading_begin(reading, parser, from_client, decrypted);
    if (decrypted)
        return;
    reading->first_ack = piece->segment.ack;
    reading->has_gap = true;
    for (unsigned side = 0; side < 2; side++) {
        struct flow *flow = &reading->flow[side];
        flow->at = side == from_client ? piece->start : reading_end(reading, side);
        flow->placed = flow->at == SEQUENCE_FIRST && (side ? connect->number != 0 : connect->syn_ack_seen);
    }
}
