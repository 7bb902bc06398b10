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

/* The message is in the frame: the segment's item becomes its request's, if it is nobody's yet. */
void framing_note_item(struct requests *requests, struct request *request, bool asks);

/* The segment taken last changes the request: updates it, unless the frame has an item of it. */
void framing_note_change(struct requests *requests, struct request *request);

/* What is under way does not go on. */
void framing_break(struct requests *requests, struct connection *connection, bool from_client);

/* A turn that began before the segment and has no answer yet is answered by the server's next payload. NULL: none. */
void framing_leave_turn(struct connection *connection, struct request *turn);

/* That payload. Returns whose it is; NULL if it answers nothing. */
struct request *framing_end_turn(struct requests *requests, struct connection *connection, const struct piece *piece);

/* It will not be answered. */
void framing_drop_turn(struct connection *connection);

/* The segment being taken, if it is nobody's, answers the request; or it goes on with a turn, or begins one with that
 * operation. */
void framing_answer_turn(struct requests *requests, struct request *request);
void framing_ask_turn(struct requests *requests, struct connection *connection, const char *operation);

#endif
