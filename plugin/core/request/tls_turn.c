/* tls_turn.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_turn.h"

#include <string.h>

#include "request.h"
#include "tls_cursor.h"

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
    struct tls_cursor cursor;
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
    return request->request_bytes == ALERT_ALONE && (!request->response.first_frame || is_answered_alike) ? TLS_ALERT
                                                                                                          : TLS_NONE;
}

/* What a payload has of its first record; false if none begins it. */
static bool
find_first(const struct segment *segment, struct tls_cursor *cursor, struct tls_part *part)
{
    *cursor = tls_cursor_begin(0);
    return tls_cursor_next(cursor, segment, 0, part);
}

static bool
begins_with_data(const struct segment *segment)
{
    struct tls_cursor cursor;
    struct tls_part part;
    return find_first(segment, &cursor, &part) && cursor.type == TLS_APPLICATION_DATA;
}

/* A hello is never encrypted, so its length is that of its record. */
static bool
is_hello(const struct tls_cursor *cursor, const struct tls_part *part, const struct segment *segment)
{
    const uint8_t *message = segment->payload + part->at;
    if (cursor->is_sslv2)
        return part->at >= TLS_HEADER_BYTES && TLS_HEADER_BYTES + part->captured >= TLS_SSLV2_BYTES &&
               tls_may_be_sslv2(message - TLS_HEADER_BYTES, TLS_HEADER_BYTES + part->captured);
    return cursor->type == TLS_HANDSHAKE_RECORD && part->captured >= MESSAGE_HEADER_BYTES &&
           message[0] == CLIENT_HELLO &&
           ((unsigned)message[1] << 16 | (unsigned)message[2] << 8 | message[3]) + MESSAGE_HEADER_BYTES ==
               cursor->bytes;
}

static bool
begins_with_hello(const struct segment *segment)
{
    struct tls_cursor cursor;
    struct tls_part part;
    return find_first(segment, &cursor, &part) && is_hello(&cursor, &part, segment);
}

static int64_t
server_end(const struct connection *connection)
{
    const struct sequence *sequence = &connection->tcp->sender[!connection->client].sequence;
    return sequence->known ? sequence->end : SEQUENCE_FIRST;
}

/* Takes the record that begins with the part. Returns whether it is application data. */
static bool
take_record(struct tls_client *tls, const struct connection *connection, const struct segment *segment,
            const struct tls_part *part)
{
    const uint32_t bytes = tls->cursor.bytes;
    const bool is_data = tls->cursor.type == TLS_APPLICATION_DATA;
    /* Up to TLS 1.2, what is encrypted still says what it is. In 1.3 only a second hello does. */
    if (tls->cursor.type == TLS_HANDSHAKE_RECORD && !is_hello(&tls->cursor, part, segment))
        tls->is_over = true;
    if (!is_data || tls->is_over)
        return is_data;
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
    bool hides = false, has_data = false;
    struct tls_part part;
    while (tls_cursor_next(&tls->cursor, segment, offset, &part)) {
        hides |= part.begins && part.at == TLS_HEADER_BYTES && tls->cursor.type == TLS_APPLICATION_DATA;
        has_data |= part.begins && take_record(tls, connection, segment, &part);
    }
    tls->is_over |= tls->cursor.is_lost;
    if (has_data)
        return data;
    return hides ? handshake : NULL;
}

const char *
tls_turn_take(struct requests *requests, struct connection *connection, const struct segment *segment, int64_t offset)
{
    if (segment->operation || segment->captured_bytes < TLS_HEADER_BYTES)
        return segment->operation;
    if ((!connection->tcp->tls || connection->tcp->tls->is_over) && begins_with_hello(segment)) {
        if (!connection->tcp->tls)
            connection->tcp->tls = wmem_new(requests->scope, struct tls_client);
        *connection->tcp->tls =
            (struct tls_client){ .cursor = tls_cursor_begin(offset), .hello_end = server_end(connection) };
    }
    if (connection->tcp->tls && !connection->tcp->tls->is_over)
        return follow(connection->tcp->tls, connection, segment, offset);
    bool goes_on = connection->request && is_handshake(connection->request->tls);
    return goes_on && begins_with_data(segment) ? data : NULL;
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
    if (connection->n_requests < 2 || request->tls != TLS_DATA || request->response.first_frame ||
        !(segment->flags & SEGMENT_ACK))
        return false;
    return is_handshake(connection->requests[connection->n_requests - 2]->tls) &&
           sequence_offset(sequence, segment->ack) <= request->asking.start;
}
