/* framing_parts.h
 * For framing.c: messages that are parts of what asks or answers, between those of others (HTTP/2). A request is looked
 * up by its key for each part, until both sides have said their last.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAMING_PARTS_H
#define LATENCY_FRAMING_PARTS_H

#include "framing.h"

/* What has the message's bytes. Of one that ends because its rest is missing these are where it began. */
const struct segment *framing_carrier(const struct carrier *carrier, const struct message *message,
                                      const struct segment *begun);

bool framing_is_in_parts(const struct connection *connection);

/* Nobody up to it waits, but what was late. */
bool framing_is_settled(const struct request *request);

/* The answer's beginning comes too late for the request, which no longer waits. */
bool framing_has_timed_out(struct requests *requests, const struct carrier *carrier, struct request *request,
                           int64_t begun_ns);

/* The first part of an answer, or one more of what asks or answers; NULL: it is nobody's. */
struct request *framing_begin_part(struct requests *requests, struct carrier *carrier, const struct message *message);
void framing_end_part(struct requests *requests, struct request *request, const struct message *message);

/* MESSAGE_PROMISES, MESSAGE_STOPS, MESSAGE_UPGRADE */
void framing_promise(struct requests *requests, struct carrier *carrier, const struct message *message);
void framing_stop(struct requests *requests, const struct carrier *carrier, const struct message *message);
void framing_upgrade(struct requests *requests, const struct carrier *carrier, const struct message *message);

/* The server's stream ends in the frame: so do the answers that have begun. */
void framing_truncate_parts(struct requests *requests, const struct connection *connection, uint32_t frame);

#endif
