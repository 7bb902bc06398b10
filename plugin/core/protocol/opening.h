/* opening.h
 * The beginning of a client's turn, cut before it shows a protocol: kept until more of it does, so that the request
 * begins with its first frame, and as what it is.
 *
 * It is read as it is as soon as anything else follows in its connection, and with the capture's end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OPENING_H
#define LATENCY_OPENING_H

#include "../request/request.h"
#include "../tcp/payload.h"

/* Of a longer one nothing more is expected. */
enum { OPENING_BYTES = 64 };

struct openings;

/* Called for what was kept. */
typedef void (*opening_deliver)(void *data, const struct piece *piece);

/* Per capture; lives in the requests' scope. */
struct openings *openings_new(struct requests *requests, opening_deliver deliver, void *data);

/* The next piece of a connection's stream. True if it is kept; else what was kept has been delivered. */
bool opening_keeps(struct openings *openings, const struct piece *piece);

/* Nothing more follows in the connection: delivers what is kept. */
void opening_end(struct openings *openings, struct connection *connection);

/* Adds the connections of which something is kept. */
void openings_add_open(const struct openings *openings, GPtrArray *connections);

/* Frees what is kept of the connection, undelivered. */
void opening_forget(struct openings *openings, struct connection *connection);

#endif
