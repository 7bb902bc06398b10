/* ca_stream.h
 * One direction of a circuit: which of its bytes have been taken for messages, and where one may begin.
 *
 * Captures lose, repeat and reorder segments, and begin in the middle of messages. Positions are TCP sequence
 * numbers, compared modulo 2^32.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_STREAM_H
#define LATENCY_CA_STREAM_H

#include <stdbool.h>
#include <stdint.h>

enum { CA_STREAM_HOLES = 4 };

/* Bytes not seen; a message begins at `start` if `aligned`. */
struct ca_hole {
    uint32_t start;
    uint32_t end;
    bool aligned;
};

struct ca_stream {
    struct ca_hole holes[CA_STREAM_HOLES]; /* empty ones have start == end */
    uint32_t first;                        /* the lowest byte taken, before which there is no hole */
    uint32_t next;                         /* after the highest byte taken */
    uint8_t next_hole;
    bool begun;
    bool aligned; /* a message begins at `next` */
    bool has_isn;
    bool has_origin;
    uint32_t isn;       /* the SYN's sequence number on the wire */
    uint32_t origin;    /* what positions count from, on the wire */
    uint32_t large_end; /* of a message, so large that it is not worth keeping; 0 before the first */
};

enum ca_place {
    CA_ALIGNED,  /* a message begins here */
    CA_UNALIGNED /* one may begin here, or not: it must be plausible to be believed */
};

/* What is known about the position `at`, where bytes are handed over. */
enum ca_place ca_stream_place(const struct ca_stream *stream, uint32_t at);

/* Takes the bytes from `start` to `end`: one message, or bytes skipped (`aligned` false). False if they have been taken
 * before. */
bool ca_stream_take(struct ca_stream *stream, uint32_t start, uint32_t end, bool aligned);

/* The first message begins, or began, at `start`. */
void ca_stream_begin(struct ca_stream *stream, uint32_t start);

/* Whether some of the bytes from `start` to `end` have not been taken. */
bool ca_stream_misses(const struct ca_stream *stream, uint32_t start, uint32_t end);

/* Whether a message at `at` fills a gap. */
bool ca_stream_fills(const struct ca_stream *stream, uint32_t at);

/* Whether `at` lies after a place where a message begins, and bytes between have not been seen: what is at `at` can be
 * read once they have. */
bool ca_stream_may_wait(const struct ca_stream *stream, uint32_t at);

/* Where messages begin that have not been taken, and how far they may be missed; returns how many. */
unsigned ca_stream_missed(const struct ca_stream *stream, struct ca_hole missed[CA_STREAM_HOLES + 1]);

#endif
