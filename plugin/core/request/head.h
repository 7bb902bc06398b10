/* head.h
 * The beginning of a message that a segment has cut before it says what it is: kept until more of it does.
 *
 * A message begins with the first frame that has any of its bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HEAD_H
#define LATENCY_HEAD_H

#include "request.h"

/* Of a longer one the frames in between are nobody's. */
enum { HEAD_FRAMES = 8 };

/* The segment taken last ends with a part of a message on that side: the first, or one more. */
void head_add(struct requests *requests, struct connection *connection, bool from_client);

/* The row of packets that the segment being taken goes on with; NULL if no head does. */
const struct run *head_row(const struct connection *connection, bool from_client);

/* The segment with which the message begins, and the offset of its payload in its sender's sequence: the one taken
 * last, unless there is a head. */
struct segment head_begin(const struct requests *requests, const struct connection *connection, bool from_client,
                          int64_t *start);

/* The head is of this request, or of its response, or of an undecided answer: so are its frames. */
void head_own(struct requests *requests, struct connection *connection, bool from_client, struct request *request);

/* What began asks nothing and answers nothing. */
void head_drop(struct requests *requests, struct connection *connection, bool from_client);

#endif
