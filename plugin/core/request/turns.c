/* turns.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "turns.h"

#include "exchanges_messages.h"
#include "operation.h"

/* Who closes so soon after asking awaits no answer. */
#define FAREWELL_NS INT64_C(10000000)

/* A server that was silent for so many times as long as the request took, and so long at least, pushes something new.
 */
enum { PUSH_TIMES = 8 };
#define PUSH_NS INT64_C(50000000)

/* Bytes that its sender had sent before; or that come after the stream has gone on without them, and are nobody's. */
static void
take_repeated(struct requests *requests, struct connection *connection, const struct piece *piece, bool from_client)
{
    bool is_known = piece->payload->packet.fresh == 0;
    const struct proxied *proxied = from_client ? connection->tcp->proxied : NULL;
    const int64_t start = proxied ? MAX(piece->start, proxied->end) : piece->start;
    struct request *request = is_known ? request_at(connection, from_client, start) : NULL;
    struct run nowhere = run_begin(piece->start);
    if (!request) {
        requests_add_packet(requests, &nowhere, piece, is_known || from_client ? ITEM_UNREQUESTED : ITEM_UNSOLICITED);
        return;
    }
    request_add_packet(requests, request, piece, from_client);
    request->retransmissions++;
}

/* The connection's last request, unless its answer is not to be had by turns. */
static struct request *
last_request(const struct connection *connection)
{
    struct request *request = connection->request;
    bool is_over = request && request->by_messages && !connection->exchanges.goes_on;
    return is_over ? NULL : request;
}

/* What the client said first is missing, and with it what it speaks: nobody knows where its requests begin and end
 * until the server has spoken. */
static bool
is_of_gap(const struct request *request)
{
    return request->ending == ENDING_LOST && request->open && !request_is_cut_off(request);
}

/* Whether what the server says now is not its response. */
static bool
is_given_up(const struct request *request)
{
    return request->ending == ENDING_TIMED_OUT || request->ending == ENDING_LOST || request_is_cut_off(request);
}

bool
turns_begin(const struct requests *requests, const struct connection *connection, const struct piece *piece)
{
    const struct request *request = last_request(connection);
    return !request || request->response.first_frame || is_given_up(request) ||
           request_has_timed_out(requests, request, piece->segment.time_ns) ||
           tls_turn_ends(request, piece->segment.operation);
}

/* Begins a request, which says by itself what it asks for if nobody knows. */
static struct request *
begin(struct requests *requests, struct connection *connection, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    const char *operation = segment->operation;
    char text[OPERATION_ROOM];
    if (!operation && requests->read_operation(segment->payload, segment->captured_bytes, text) > 0)
        operation = text;
    return request_begin(requests, connection, segment_instant(segment), operation, piece->start, segment->frame);
}

static void
take_client_payload(struct requests *requests, struct connection *connection, const struct piece *piece)
{
    struct request *request = last_request(connection);
    if (turns_begin(requests, connection, piece) && !(request && is_of_gap(request))) {
        bool is_first = !connection->request;
        /* of a connection that was reset only the last requests are remembered */
        if (request && !request->response.first_frame && request_is_cut_off(request))
            request_update(requests, request, piece->segment.frame);
        request = begin(requests, connection, piece);
        request->open = is_first && piece->after_gap;
        if (request->open)
            request->ending = ENDING_LOST;
    }
    request_asks_more(request, segment_instant(&piece->segment), piece->fresh);
    request_add_packet(requests, request, piece, true);
}

static void
note_greeting(struct greeting *greeting, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    if (!greeting->frame) {
        greeting->frame = segment->frame;
        greeting->first_ns = greeting->last_ns = segment->time_ns;
    }
    greeting->last_ns = MAX(greeting->last_ns, segment->time_ns);
    greeting->bytes += piece->fresh;
}

/* Whether new payload of the server is no part of the response, which was complete long before. What fills a hole was
 * sent again, and what finds no room has been waiting. A message that began as one goes on as long as it likes. */
static bool
is_push(const struct request *request, const struct piece *piece)
{
    bool is_handshake = request->tls == TLS_HANDSHAKE || request->tls == TLS_HANDSHAKE_GOES_ON;
    const struct connection *connection = request->connection;
    if (!request->response.first_frame || request->by_messages || is_handshake || !piece->payload->packet.in_order ||
        connection->tcp->sender[connection->client].is_full)
        return false;
    int64_t silence_ns = piece->segment.time_ns - request->response.row.last_ns;
    return silence_ns > MAX(PUSH_TIMES * request_last_byte(request), PUSH_NS);
}

static void
take_server_payload(struct requests *requests, struct connection *connection, const struct piece *piece)
{
    struct request *request = last_request(connection);
    if (request && tls_turn_precedes(connection, &piece->segment))
        request = connection->requests[connection->n_requests - 2];
    else if (request && is_push(request, piece))
        request = NULL;
    if (request && is_of_gap(request))
        request->open = false;
    if (request && is_given_up(request))
        request = NULL;
    if (request && !request->response.first_frame)
        request_is_answered(request, segment_instant(&piece->segment), piece->start);
    if (request) {
        request_add_packet(requests, request, piece, false);
        request_answers_more(request, segment_instant(&piece->segment), piece->fresh);
    } else {
        requests_add_packet(requests, &requests_unsolicited(requests, connection)->run, piece, ITEM_UNSOLICITED);
    }
}

void
turns_take_end(struct requests *requests, struct connection *connection, bool from_client, const struct piece *piece)
{
    struct request *request = last_request(connection);
    const struct segment *fin = &piece->segment;
    if (!request || connection->session == SESSION_MESSAGES || request->response.first_frame || is_given_up(request) ||
        request->is_farewell || !(from_client || connection->is_ssh) || fin->time_ns - request->first_ns >= FAREWELL_NS)
        return;
    request->is_farewell = true;
    /* One that was kept came before the server's. */
    request->closes_second = connection_is_closed(connection) && !piece->standing && !connection->is_ssh;
    request_update(requests, request, fin->frame);
}

void
turns_take_reset(struct requests *requests, struct connection *connection, uint32_t frame)
{
    struct request *request = last_request(connection);
    if (!request || !request->is_farewell || !request->closes_second)
        return;
    request->is_farewell = false;
    request_update(requests, request, frame);
}

inline void
turns_take(struct requests *requests, struct carrier *carrier)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    bool from_client = piece->payload->sender == connection->client;
    if (piece->fresh == 0) {
        take_repeated(requests, connection, piece, from_client);
        return;
    }
    if (!from_client && !connection->request)
        note_greeting(&requests_unsolicited(requests, connection)->greeting, piece);
    if (connection->session == SESSION_MESSAGES) {
        exchanges_take(requests, carrier, from_client);
    } else {
        struct request *request = last_request(connection);
        if (request && !request->response.first_frame && !is_given_up(request))
            exchanges_has_timed_out(requests, request, piece->segment.time_ns, piece->segment.frame);
        if (from_client)
            take_client_payload(requests, connection, piece);
        else
            take_server_payload(requests, connection, piece);
    }
}
