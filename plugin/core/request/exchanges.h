/* exchanges.h
 * Connections whose messages a parser finds: each message that has an answer is a request of its own, many in flight.
 *
 * Whoever reads the messages tells where they begin and end, in the order in which the capture has them, while the
 * segment that carries them is being taken or right after. An answer belongs to the request with the same key that has
 * waited longest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXCHANGES_H
#define LATENCY_EXCHANGES_H

#include "event.h"
#include "request.h"
#include "../tcp/payload.h"

/* Returns when the bytes of what is told were captured: with the carrier, but where a message ends because its rest is
 * missing, when it began. */
static inline struct instant
exchanges_instant(const struct carrier *carrier, struct instant begun)
{
    return carrier->arrives ? begun : segment_instant(&carrier->piece->segment);
}

/* Takes the next event, which became known with the carrier, and notes in event->arrives whether the carrier has been
 * taken. EVENT_CLAIM and EVENT_ROLES come before it has; EVENT_TLS, EVENT_HELD and EVENT_PRELUDE are not for here. */
void exchanges_tell(struct requests *requests, struct carrier *carrier, struct event *event);

/* For turns_take(): new payload of a claimed connection. */
void exchanges_take(struct requests *requests, struct carrier *carrier, bool from_client);

/* The server's stream ends with this piece. What answers and has not ended is truncated, unless the capture does not
 * have its last bytes. */
void exchanges_take_end(struct requests *requests, const struct piece *piece);

/* Whether messages are in parts, which interleave. */
static inline bool
exchanges_are_in_parts(const struct connection *connection)
{
    enum { IN_PARTS = 1U << PROTOCOL_HTTP2 | 1U << PROTOCOL_HTTP3 | 1U << PROTOCOL_FASTCGI | 1U << PROTOCOL_TDS };
    _Static_assert(PROTOCOL_COUNT <= 32, "IN_PARTS has a bit for each");
    return IN_PARTS >> connection->exchanges.protocol & 1;
}

/* Returns whether the answers of its turns may still be withdrawn: see struct claim. */
bool exchanges_may_withdraw(const struct connection *connection);

/* Frees what was allocated for the connection. */
void exchanges_forget(struct requests *requests, struct connection *connection);

#endif
