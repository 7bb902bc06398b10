/* tls_turn.h
 * What in turns is TLS's own, as far as records show it to who has no keys: handshakes and alerts. These are no
 * requests.
 *
 * Of TLS 1.3 they show less: but for the hellos, a handshake's records and alerts say that they are application data.
 * The client's handshake ends with a record of a length of its own, and an alert is as long as two bytes of data. Early
 * data count as a part of the handshake. New keys, session tickets, and the messages with which a client authenticates
 * itself if they are packed in one record, cannot be told.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_TURN_H
#define LATENCY_TLS_TURN_H

#include "../tcp/segment.h"

struct connection;
struct request;
struct requests;

enum tls_turn {
    TLS_NONE,
    TLS_HANDSHAKE, /* it begins */
    TLS_HANDSHAKE_GOES_ON,
    TLS_ALERT,
    TLS_DATA /* but it may be an alert */
};

/* Of a turn that begins with that operation, after `before`; NULL if that is the connection's first. */
enum tls_turn tls_turn_of(const char *operation, const struct request *before);

/* What the turn is, by what is known of it now: TLS_NONE for a request. It becomes one when more than an alert has been
 * said, and remains one. */
enum tls_turn tls_turn_role(const struct request *request);

/* Takes the next segment of the client with new payload, which is at `offset`. Returns what it asks for as far as that
 * is not what it begins with, or segment->operation; NULL otherwise. */
const char *tls_turn_take(struct requests *requests, struct connection *connection, const struct segment *segment,
                          int64_t offset);

/* Whether a segment that asks for this ends the turn under way, a handshake: a request begins with it. */
bool tls_turn_ends(const struct request *turn, const char *operation);

/* Whether a server's segment goes on with the handshake before the connection's last request, for it was sent before
 * the server had any of that. */
bool tls_turn_precedes(const struct connection *connection, const struct segment *segment);

#endif
