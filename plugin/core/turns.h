/* turns.h
 * Requests and responses told apart by turns: the client speaks, the server speaks (docs/measuring.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TURNS_H
#define LATENCY_TURNS_H

#include "request.h"

/* Takes the connection's next segment. With payload it adds an item to its frame: ITEM_REQUEST, ITEM_RESPONSE,
 * ITEM_UNSOLICITED or ITEM_STRAY. `ipid_step`: from continuity_take(); NULL if there is none. */
void turns_take(struct requests *requests, struct connection *connection, const struct segment *segment,
                const struct ipid_step *ipid_step);

#endif
