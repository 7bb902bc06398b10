/* websocket_pairs.h
 * Which messages of a WebSocket ask, and which answer them, by the ids of JSON-RPC and GraphQL in their texts; where
 * latency.websocket_ids wants that.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WEBSOCKET_PAIRS_H
#define LATENCY_WEBSOCKET_PAIRS_H

#include "../parser.h"

enum { WEBSOCKET_KEY_BYTES = 4 };

/* A connection's. */
struct websocket_pairs;

struct websocket_pairs *websocket_pairs_new(struct reading *reading);
void websocket_pairs_free(struct reading *reading, struct websocket_pairs *pairs);

/* Returns whether anything has asked. */
bool websocket_pairs_has_asked(const struct websocket_pairs *pairs);

/* Returns whether texts are to be read; not any more where something is missing. */
bool websocket_pairs_wants(const struct websocket_pairs *pairs);

/* Notes the key of the client's frame that follows. */
void websocket_pairs_unmask(struct websocket_pairs *pairs, const uint8_t key[static WEBSOCKET_KEY_BYTES]);

/* A text of that side begins, and goes on; take() returns whether it is known what it says, of which it then has told.
 */
void websocket_pairs_begin(struct websocket_pairs *pairs, bool from_client);
bool websocket_pairs_take(struct reading *reading, struct websocket_pairs *pairs, bool from_client,
                          const uint8_t *bytes, size_t length);

/* Returns whether it is not known yet. */
bool websocket_pairs_is_open(const struct websocket_pairs *pairs, bool from_client);

/* The text ends, with what has been taken; `cut`: the capture lacks the rest. */
void websocket_pairs_end(struct reading *reading, struct websocket_pairs *pairs, bool from_client, bool cut);

/* A message of that side passes that nobody reads. */
void websocket_pairs_miss(struct reading *reading, struct websocket_pairs *pairs, bool from_client);

/* Gives up all that waits: it is lost. */
void websocket_pairs_give_up(struct reading *reading, struct websocket_pairs *pairs);

/* Gives up all that waits, and from now on nothing asks. */
void websocket_pairs_stop(struct reading *reading, struct websocket_pairs *pairs);

#endif
