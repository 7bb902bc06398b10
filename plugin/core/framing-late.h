/* framing-late.h
 * Messages whose bytes the capture has late: they go on where they were given up, and come before others that had begun
 * by then. For framing.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAMING_LATE_H
#define LATENCY_FRAMING_LATE_H

#include "framing.h"

/* The segment taken last changes the request: amends it, unless the frame has an item of it. */
void framing_note_change(struct requests *requests, struct request *request);

/* `under_way`, one of struct framing's, does not go on. */
void framing_let_go(struct requests *requests, struct request **under_way);

/* The same for what is under way and, if it is an answer, for its request. */
void framing_break(struct requests *requests, struct connection *connection, bool from_client);

/* MESSAGE_RESUME and MESSAGE_INSERT of framing.h. */
void framing_resume(struct requests *requests, struct connection *connection, bool from_client);
void framing_insert(struct requests *requests, struct connection *connection, const struct message *message);

#endif
