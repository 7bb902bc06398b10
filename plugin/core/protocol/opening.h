/* opening.h
 * The beginning of what a client says, held until it is known what it is: until more of it shows a protocol, or until
 * the server's answer shows whether it is a request of the protocol that it looks like. What is held is then read in
 * the order in which it came, so that each request begins with its first frame, and as what it is.
 *
 * What stays unknown is read by turns: when the server answers otherwise, when more than a bound is held of the
 * connection, when it is the oldest and more than a bound is held of all, when something is missing, and with the end
 * of what the server says, of the connection and of the capture. The client's end does the same, unless it is a FIN, a
 * protocol has shown, and the server, whose answer tells, has not closed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OPENING_H
#define LATENCY_OPENING_H

#include "../request/request.h"
#include "../tcp/payload.h"

/* Most bytes of a client that show no protocol yet; of a longer beginning nothing more is expected. */
enum { OPENING_BYTES = 64 };

/* Most bytes and pieces of both sides that are held of a connection until its server's answer tells, and bytes of all.
 */
enum { OPENING_MOST = 65536, OPENING_PIECES = 256, OPENINGS_MOST = 16 << 20 };

struct openings;

/* Called for what was held. */
typedef void (*opening_deliver)(void *data, const struct piece *piece);

/* Called for a piece whose first `bytes` are a prelude (prelude.h). */
typedef void (*opening_pass)(void *data, const struct piece *piece, uint32_t bytes);

/* Per capture; lives in the requests' scope. */
struct openings *openings_new(struct requests *requests, opening_deliver deliver, opening_pass pass, void *data);

/* Takes the next piece of a connection's stream. Returns whether it is held, or has been passed; else what was held has
 * been delivered. What is held of other connections may be delivered to make room. */
bool opening_holds(struct openings *openings, const struct piece *piece);

/* Takes the next piece of a connection whose messages are told instead of read (latency-merge). `is_held`: the capture
 * held it, as EVENT_HELD says; what the server sent before it had any of that is not held. Returns whether it is
 * held; else what was held has been delivered. */
bool opening_holds_told(struct openings *openings, const struct piece *piece, bool is_held);

/* Delivers what is held of a connection, if anything is; `ends`: nothing more of it follows. */
void opening_end(struct openings *openings, struct connection *connection, bool ends);

/* Adds the connections of which something is held. */
void openings_add_open(const struct openings *openings, GPtrArray *connections);

/* Frees what is held of the connection, undelivered. */
void opening_forget(struct openings *openings, struct connection *connection);

#endif
