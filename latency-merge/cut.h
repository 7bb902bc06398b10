/* cut.h
 * Whether the end of a capture has cut a connection where what its pieces say of messages is not what the whole would
 * say: within a message, with requests outstanding, with its order lost, before what its client has said is known, or
 * so that the next piece recognises it later.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_CUT_H
#define LATENCY_MERGE_CUT_H

#include "core/request/event.h"
#include "core/tcp/payload.h"

/* Of a connection. All zero at first. */
struct cut {
    bool goes_on;      /* in a capture after its first */
    bool is_broken;    /* what came last has broken something off */
    bool under_way;    /* a message was, when the capture before ended */
    bool awaits_claim; /* messages had been recognised until then, and have not yet been again */
    bool had_messages; /* a capture before has told some of the connection */
    bool is_answering; /* and a response had begun */
    bool was_released; /* what was said made no sense, and turns went on */
    bool is_noted;     /* it was cut so */
};

/* The capture ends: before messages that are recognised are released. */
void cut_end_capture(struct cut *cut, const struct connection *connection);

/* Whether messages are recognised again, in a later capture, behind what made no sense: the whole would not know whose
 * answer comes next. */
bool cut_follows_nonsense(const struct cut *cut, const struct event *event);

/* What comes is of the next capture. */
void cut_begin_capture(struct cut *cut);

/* An event is told of the connection, `at` the piece with whose bytes it was in its file; or else later. */
void cut_take_event(struct cut *cut, const struct connection *connection, const struct event *event, bool at);

/* A piece, and its messages, have been taken. */
void cut_take_piece(struct cut *cut, const struct piece *piece);

/* A segment has been read. */
void cut_take_segment(struct cut *cut, const struct connection *connection, const struct segment *segment);

#endif
