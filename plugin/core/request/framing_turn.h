/* framing_turn.h
 * For framing.c: what becomes of a turn when a connection's messages begin to be requests, or cease to be.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAMING_TURN_H
#define LATENCY_FRAMING_TURN_H

#include "request.h"
#include "../tcp/payload.h"

struct run *framing_run(struct request *request, bool asks);

/* The message is in the carrier, whose item becomes its request's, if it is nobody's yet. */
void framing_note_item(struct requests *requests, struct carrier *carrier, struct request *request, bool asks);

/* The frame changes the request: updates it, unless the frame has an item of it. */
void framing_note_change(struct requests *requests, struct request *request, uint32_t frame);

struct message;

/* Of what MESSAGE_BREAK ends: the segment in which it breaks may have more bytes than the message. Before
 * framing_break(). */
void framing_limit(const struct connection *connection, const struct message *message);

/* What is under way does not go on, as the frame shows. */
void framing_break(struct requests *requests, struct connection *connection, bool from_client, uint32_t frame);

/* A turn that has no answer yet will get one that nobody can tell from others. NULL: none. */
void framing_lose_turn(struct requests *requests, struct request *turn, uint32_t frame);

/* A turn that began before the segment and has no answer yet is answered by the server's next payload. NULL: none. */
void framing_leave_turn(struct connection *connection, struct request *turn);

/* That payload. Returns whose it is; NULL if it answers nothing. */
struct request *framing_end_turn(struct requests *requests, struct connection *connection, const struct piece *piece);

/* It will not be answered. */
void framing_drop_turn(struct connection *connection);

/* The carrier, if it is nobody's, answers the request; or it goes on with a turn, or begins one with that operation. */
void framing_answer_turn(struct requests *requests, struct carrier *carrier, struct request *request);
void framing_ask_turn(struct requests *requests, struct carrier *carrier, const char *operation);

#endif
