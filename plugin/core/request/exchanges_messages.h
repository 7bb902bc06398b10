/* exchanges_messages.h
 * What a message that asks or answers does to its request, and what of messages is under way.
 *
 * Messages may be parts of what asks or answers, between those of others (HTTP/2): a request is looked up by its key
 * for each part, until both sides have said their last.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXCHANGES_MESSAGES_H
#define LATENCY_EXCHANGES_MESSAGES_H

#include "exchanges.h"

/* The message is in the carrier, whose item becomes its request's, if it is nobody's yet. */
void exchanges_note_item(struct requests *requests, struct carrier *carrier, struct request *request, bool asks);

/* The frame changes the request: updates it, unless the frame has an item of it. */
void exchanges_note_change(struct requests *requests, struct request *request, uint32_t frame);

/* Takes a message that begins or ends in the carrier. */
void exchanges_take_message(struct requests *requests, struct carrier *carrier, const struct message *message);

/* What is under way does not go on, as the frame shows. */
void exchanges_break(struct requests *requests, struct connection *connection, bool from_client, uint32_t frame);

/* The answer's beginning comes too late for the request, which no longer waits: the frame shows it. */
bool exchanges_has_timed_out(struct requests *requests, struct request *request, int64_t begun_ns, uint32_t frame);

#endif
