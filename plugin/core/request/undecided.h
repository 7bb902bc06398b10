/* undecided.h
 * Answers of which it is not known yet which request they answer: kept until it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_UNDECIDED_H
#define LATENCY_UNDECIDED_H

#include "request.h"

/* A new one, beginning with `segment`, whose payload is at `start`; a request but for its number, which is 0, of which
 * only the answer means anything. */
struct request *undecided_begin(struct requests *requests, struct connection *connection, const struct segment *segment,
                                int64_t start);

/* An item of the frame is part of it. */
void undecided_note(const struct request *answer, struct item *item, uint32_t frame);

/* All but the `skipped` oldest, in their order, answer what waits with `key`, and the keys that follow. */
void undecided_place(struct requests *requests, struct connection *connection, uint64_t key, uint64_t skipped);

void undecided_drop(struct requests *requests, struct connection *connection);

#endif
