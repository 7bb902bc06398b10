/* tls_turn.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_turn.h"

#include <string.h>

#include "request.h"
#include "tls_records.h"

enum { CHANGE_CIPHER_SPEC = 20, HANDSHAKE = 22, APPLICATION_DATA = 23, HEARTBEAT = 24 };

/* RFC 8446 §4: a message of the handshake begins with its type and its length. */
enum { CLIENT_HELLO = 1, MESSAGE_HEADER_BYTES = 4 };

/* RFC 8446 §5.2: what a record of TLS 1.3 has besides the message, with the ciphers of §B.4 but CCM_8. */
enum { HIDDEN = 1 + 16 };

/* §4.4.4: the end of a handshake has a hash. */
enum { FINISHED_SHA256 = 4 + 32 + HIDDEN, FINISHED_SHA384 = 4 + 48 + HIDDEN };

/* §6: an alert, in a record alone. */
enum { ALERT_ALONE = TLS_HEADER_BYTES + 2 + HIDDEN };

/* The client's side of a handshake. */
struct tls_client {
    int64_t next;       /* offset in the client's sequence at which a record begins */
    int64_t hello_end;  /* what the server had said before the hello */
    int64_t flight_end; /* likewise, before what the client hides first */
    bool hides;         /* has sent a part of the handshake that says it is application data */
    bool is_over;
};

static const char handshake[] = "TLS Handshake", data[] = "TLS Application Data";

static bool
is_handshake(enum tls_turn turn)
{
    return turn == TLS_HANDSHAKE || turn == TLS_HANDSHAKE_GOES_ON;
}

enum tls_turn
tls_turn_of(const char *operation, const struct request *before)
{
    if (strncmp(operation, "TLS ", strlen("TLS ")) != 0)
        return TLS_NONE;
    if (strcmp(operation, handshake) == 0 || strcmp(operation, "TLS Change Cipher Spec") == 0)
        return before && is_handshake(before->tls) ? TLS_HANDSHAKE_GOES_ON : TLS_HANDSHAKE;
    if (strcmp(operation, "TLS Alert") == 0)
        return TLS_ALERT;
    return strcmp(operation, data) == 0 ? TLS_DATA : TLS_NONE;
}

/* A client that closes a connection says so, and so does the server then: nothing follows. */
enum tls_turn
tls_turn_role(const struct request *request)
{
    const struct request *last = request->connection->request;
    if (request->tls != TLS_DATA)
        return request->tls;
    bool is_answered_alike =
        request->response.bytes == ALERT_ALONE && last && last->number == request->number && !last->by_messages;
    return request->request_bytes == ALERT_ALONE && (!request->response.p0_frame || is_answered_alike) ? TLS_ALERT
                                                                                                       : TLS_NONE;
}

static bool
is_record(const uint8_t *header)
{
    return header[0] >= CHANGE_CIPHER_SPEC && header[0] <= HEARTBEAT && header[1] == 3 && header[2] <= 4;
}

static bool
begins_with(const struct segment *segment, uint8_t type)
{
    return segment->captured_bytes >= TLS_HEADER_BYTES && is_record(segment->payload) && segment->payload[0] == type;
}

/* A hello is never encrypted, so its length is that of its record. */
static bool
is_hello(const uint8_t *record, size_t captured)
{
    const uint8_t *message = record + TLS_HEADER_BYTES;
    unsigned bytes = (unsigned)record[3] << 8 | record[4];
    return captured >= TLS_HEADER_BYTES + MESSAGE_HEADER_BYTES && record[0] == HANDSHAKE &&
           message[0] == CLIENT_HELLO &&
           ((unsigned)message[1] << 16 | (unsigned)message[2] << 8 | message[3]) + MESSAGE_HEADER_BYTES == bytes;
}

static int64_t
server_end(const struct connection *connection)
{
    const struct sequence *sequence = &connection->tcp->sender[!connection->client].sequence;
    return sequence->known ? sequence->end : SEQUENCE_FIRST;
}

/* Whether the record is application data. */
static bool
take_record(struct tls_client *tls, const struct connection *connection, const uint8_t *record, size_t captured)
{
    unsigned bytes = (unsigned)record[3] << 8 | record[4];
    /* Up to TLS 1.2, what is encrypted still says what it is. In 1.3 only a second hello does. */
    if (record[0] == HANDSHAKE && !is_hello(record, captured))
        tls->is_over = true;
    if (record[0] != APPLICATION_DATA || tls->is_over)
        return record[0] == APPLICATION_DATA;
    /* Early data are answered somewhere behind the server's part of the handshake. */
    if (server_end(connection) == tls->hello_end)
        return false;
    if (tls->hides && server_end(connection) > tls->flight_end)
        return tls->is_over = true;
    tls->hides = true;
    tls->flight_end = server_end(connection);
    tls->is_over = bytes == FINISHED_SHA256 || bytes == FINISHED_SHA384;
    return false;
}

static const char *
follow(struct tls_client *tls, const struct connection *connection, const struct segment *segment, int64_t offset)
{
    const int64_t end = segment->payload_bytes, captured = segment->captured_bytes;
    bool hides = begins_with(segment, APPLICATION_DATA) && offset == tls->next, has_data = false;
    int64_t at = tls->next - offset;
    bool is_lost = at < 0;
    while (!is_lost && at < end) {
        is_lost = at + TLS_HEADER_BYTES > captured || !is_record(segment->payload + at);
        if (is_lost)
            break;
        has_data |= take_record(tls, connection, segment->payload + at, (size_t)(captured - at));
        at += TLS_HEADER_BYTES + (segment->payload[at + 3] << 8 | segment->payload[at + 4]);
    }
    tls->next = offset + at;
    tls->is_over |= is_lost;
    if (has_data)
        return data;
    return hides ? handshake : NULL;
}

const char *
tls_turn_take(struct requests *requests, struct connection *connection, const struct segment *segment, int64_t offset)
{
    if (segment->operation || segment->captured_bytes < TLS_HEADER_BYTES)
        return segment->operation;
    if (is_record(segment->payload) && is_hello(segment->payload, segment->captured_bytes) &&
        (!connection->tcp->tls || connection->tcp->tls->is_over)) {
        if (!connection->tcp->tls)
            connection->tcp->tls = wmem_new(requests->scope, struct tls_client);
        *connection->tcp->tls = (struct tls_client){ .next = offset, .hello_end = server_end(connection) };
    }
    if (connection->tcp->tls && !connection->tcp->tls->is_over)
        return follow(connection->tcp->tls, connection, segment, offset);
    bool goes_on = connection->request && is_handshake(connection->request->tls);
    return goes_on && begins_with(segment, APPLICATION_DATA) ? data : NULL;
}

bool
tls_turn_ends(const struct request *turn, const char *operation)
{
    return is_handshake(turn->tls) && operation && strcmp(operation, data) == 0;
}

bool
tls_turn_precedes(const struct connection *connection, const struct segment *segment)
{
    const struct sequence *sequence = &connection->tcp->sender[connection->client].sequence;
    const struct request *request = connection->request;
    if (connection->n_requests < 2 || request->tls != TLS_DATA || request->response.p0_frame ||
        !(segment->flags & SEGMENT_ACK))
        return false;
    return is_handshake(connection->requests[connection->n_requests - 2]->tls) &&
           sequence_offset(sequence, segment->ack) <= request->asking.start;
}
