/* framing-late.h
 * Messages whose bytes the capture has late: they go on where they were given up, and come before others that had begun
 * by then. For framing.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAMING_LATE_H
#define LATENCY_FRAMING_LATE_H

#include "framing.h"

/* What is under way does not go on. */
void framing_break(struct connection *connection, bool from_client);

/* MESSAGE_RESUME and MESSAGE_INSERT of framing.h. */
void framing_resume(struct connection *connection, bool from_client);
void framing_insert(struct requests *requests, struct connection *connection, const struct message *message);

#endif
