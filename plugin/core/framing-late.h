/* framing-late.h
 * Messages whose bytes the capture has late: they go on where they were given up, and come before others that had begun
 * by then. For framing.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAMING_LATE_H
#define LATENCY_FRAMING_LATE_H

#include "request.h"

/* What is under way late on that side, or may be; NULL for nothing. */
struct request *framing_late(const struct connection *connection, bool asks);
void framing_note_late(struct connection *connection, bool asks, struct request *request);

/* What is under way does not go on. */
void framing_break(struct connection *connection, bool from_client);

/* MESSAGE_RESUME and MESSAGE_INSERT of framing.h. */
void framing_resume(struct connection *connection, bool from_client);
void framing_insert(struct requests *requests, struct connection *connection, uint64_t key, uint64_t count);

#endif
