/* unplaced.h
 * Answers of which it is not known yet which request they answer: kept until it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_UNPLACED_H
#define LATENCY_UNPLACED_H

#include "overtaking.h"

/* A new one, beginning in the segment taken last; a request but for its number, which is 0, of which only the answer
 * means anything. */
struct request *unplaced_begin(struct requests *requests, struct connection *connection);

/* An item of the segment taken last is part of it. */
void unplaced_note(struct requests *requests, const struct request *answer, struct item *item, uint32_t position);

/* All but the `skipped` oldest, in their order, answer what waits with `key`, and the keys that follow. */
void unplaced_place(struct requests *requests, struct connection *connection, uint64_t key, uint64_t skipped);

void unplaced_drop(struct requests *requests, struct connection *connection);

/* The frames of the answer that has been placed with the request in the segment taken last; NULL if none has. Borrowed
 * until the next segment is taken. */
const struct overtaken *unplaced_frames(const struct connection *connection, const struct request *request,
                                        unsigned *count);

#endif
