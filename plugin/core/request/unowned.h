/* unowned.h
 * Messages of which it is not known yet whose they are: heads, the beginnings of messages that a segment has cut before
 * they say what they are, and answers that are undecided, of which it is not known which requests they answer. Their
 * frames are kept until it is.
 *
 * A message begins with the first frame that has any of its bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_UNOWNED_H
#define LATENCY_UNOWNED_H

#include "exchanges.h"

struct undecided;

/* Of a longer head the frames in between are nobody's. */
enum { HEAD_FRAMES = 8 };

/* The carrier ends with a part of a message on that side: the first, or one more. */
void head_add(struct requests *requests, struct carrier *carrier, bool from_client);

/* The row of packets that the piece being taken goes on with; NULL if no head does. */
const struct run *head_row(const struct connection *connection, bool from_client);

/* When the message begins: with the carrier, unless there is a head. */
struct instant head_begin(const struct carrier *carrier, bool from_client);

/* The head is of this request, or of its response: so are its frames. */
void head_own(struct requests *requests, struct connection *connection, bool from_client, struct request *request);

/* What began asks nothing and answers nothing. */
void head_drop(struct requests *requests, struct connection *connection, bool from_client);

/* Takes an answer's message (MESSAGE_UNDECIDED) in the carrier: begins it, if it is not the one under way, or goes on
 * with it. */
void undecided_take(struct requests *requests, struct carrier *carrier, const struct message *message);

/* Adds a piece that belongs to the answer under way, and its item. */
void undecided_add_packet(struct requests *requests, struct undecided *answer, const struct piece *piece);

/* Limits the answer under way to its first `bytes`. */
void undecided_limit(struct undecided *answer, uint64_t bytes);

/* All but the `skipped` oldest, in their order, answer what waits with `key`, and the keys that follow; the frame shows
 * it. */
void undecided_assign(struct requests *requests, struct connection *connection, uint64_t key, uint64_t skipped,
                      uint32_t frame);

void undecided_drop(struct requests *requests, struct connection *connection);

#endif
