/* replay_connection.h
 * A connection of which nothing more will come: its attempt to connect, and its handshake of TLS.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_REPLAY_CONNECTION_H
#define LATENCY_MERGE_REPLAY_CONNECTION_H

#include "totals.h"

/* Adds what they have come to at `now_ns`. */
void replay_connection_count(struct totals *totals, const struct connection *connection, int64_t now_ns);

#endif
