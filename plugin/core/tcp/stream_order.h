/* stream_order.h
 * What segments say of a stream: where it begins, what of it comes next, and what is missing before that. For stream.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STREAM_ORDER_H
#define LATENCY_STREAM_ORDER_H

#include "held.h"
#include "stream.h"

struct direction {
    int64_t next;    /* offset after what has been delivered */
    int64_t acked;   /* up to which the other end has acknowledged */
    int64_t excused; /* up to which nobody waits */
    int64_t fin;     /* offset of the FIN, which counts as a byte; INT64_MAX before one */
    int64_t first;   /* offset of what was delivered first; INT64_MIN before that */
    struct held_parts held;
    int64_t fin_ns;   /* meaningful with a fin */
    int64_t since_ns; /* if it waits, as: */
    uint32_t since_segment;
    uint32_t fin_frame;
    uint32_t first_ack; /* of the other end, before anything of this one; meaningful if has_first_ack */
    bool has_first_ack : 1;
    bool waits : 1; /* for an acknowledged hole at `next` */
    bool seen : 1;  /* the capture has segments of this end */
    bool ended : 1; /* and that has been delivered */
};

struct stream {
    struct connection *connection;
    struct direction direction[2]; /* by the index of their endpoints */
    uint32_t segments;
    GList *waiting; /* its link in the queue of the capture; NULL: it waits for nothing */
};

/* Takes what a segment's header says of both directions. */
void stream_note_header(struct stream *stream, uint8_t sender, const struct segment *segment);

/* Where the payload's direction begins, if this is the first of it. */
void stream_begin(struct stream *stream, const struct payload *payload);

/* Whether bytes are missing that the segment says its sender has. */
bool stream_is_early(const struct stream *stream, uint8_t sender, const struct segment *segment);

/* The side whose held part comes next; -1 for none. */
int stream_next_side(const struct stream *stream);

/* The end of the hole at a side's `next`; `next` if there is none. */
int64_t stream_hole_end(const struct stream *stream, uint8_t side);

/* Of that, the part that the capture will not have. */
int64_t stream_gap_end(const struct stream *stream, uint8_t side);

#endif
