/* framing_work.h
 * What of a connection's messages is under way: begun, and not ended.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAMING_WORK_H
#define LATENCY_FRAMING_WORK_H

#include "request.h"

struct head;
struct undecided;

/* Is there while messages of a connection have begun and not ended, which is so of few connections at a time. */
struct framing_work {
    struct request *under_way[2]; /* whose answer, and which, has begun and not ended */
    struct undecided *undecided;  /* likewise, an answer of which it is not known whose it is; see unowned.h */
    struct head *head[2];         /* likewise: of what has begun and may be one; see unowned.h */
    uint64_t before[2];           /* bytes of these before their message */
    struct request *turn;         /* that had not been answered when messages were; NULL: none */
    struct framing_work *next;    /* spare one */
};

/* To read: of a connection without, nothing is under way. */
const struct framing_work *framing_work(const struct connection *connection);

/* Before a message is taken the connection gets it, and after that keeps it only if something is under way. */
void framing_work_begin(struct requests *requests, struct connection *connection);
void framing_work_end(struct requests *requests, struct connection *connection);

bool framing_is_in_parts(const struct connection *connection);

#endif
