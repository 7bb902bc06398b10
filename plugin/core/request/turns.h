/* turns.h
 * Requests and responses by turns: the client speaks, the server speaks (docs/measuring.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TURNS_H
#define LATENCY_TURNS_H

#include "request.h"
#include "../tcp/payload.h"

/* Whether the client's piece begins a turn: the one before is answered, or given up. */
bool turns_begin(const struct requests *requests, const struct connection *connection, const struct piece *piece);

/* Takes what follows in a connection's stream. Adds an item to its frame: ITEM_REQUEST, ITEM_RESPONSE,
 * ITEM_UNSOLICITED or ITEM_UNREQUESTED, which is then the carrier's. */
void turns_take(struct requests *requests, struct carrier *carrier);

/* One side has sent its FIN behind all its bytes. What the client said last without waiting for an answer, and has
 * none, is a farewell: OUTCOME_CLOSED_BY_CLIENT. The server may have closed before. In SSH the client disconnects, and
 * the server's FIN alone says so. */
void turns_take_end(struct requests *requests, struct connection *connection, bool from_client,
                    const struct piece *piece);

/* An RST ends the connection: where the server had closed before the client, it says that it has not read what the
 * client said last, which is no farewell. */
void turns_take_reset(struct requests *requests, struct connection *connection, uint32_t frame);

#endif
