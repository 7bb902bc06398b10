/* quic_stream.h
 * One direction of a stream of QUIC: puts its bytes in order (RFC 9000 §2.2).
 *
 * What comes before the bytes in front of it is held. A hole that the other side cannot have, for the stream has long
 * gone on, is the capture's: then it is a gap.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_QUIC_STREAM_H
#define LATENCY_QUIC_STREAM_H

#include <glib.h>

#include "../tcp/segment.h"

/* Bytes, and pieces, held of a direction, and how long a hole is waited for, from when bytes behind it came. */
enum { QUIC_HELD_MOST = 4 * 1024 * 1024, QUIC_PIECES_MOST = 4096 };
#define QUIC_HOLE_NS INT64_C(1000000000)

/* Zeroed at first. */
struct quic_stream {
    uint64_t next; /* offset of the first byte that has not been told */
    uint64_t end;  /* of the stream; meaningful if `has_end` */
    GSList *held;  /* of struct held_bytes, by offset; see quic_stream.c */
    size_t n_held; /* bytes */
    unsigned n_pieces;
    int64_t held_ns; /* since when there are any, behind the first hole */
    struct instant end_came;
    bool has_end;
    bool is_over; /* its end has been told */
};

/* Is told bytes in order, the last ones with `ends`; or a gap of `gap` bytes before what is told next. `came`: when
 * these bytes came, behind a hole that was given up; NULL: they are told at once. */
typedef void quic_stream_tell(void *data, const uint8_t *bytes, size_t length, uint64_t gap, bool ends,
                              const struct instant *came);

/* Takes the bytes of a frame that come now, and tells what follows. */
void quic_stream_take(struct quic_stream *stream, uint64_t offset, const uint8_t *bytes, size_t length, bool ends,
                      struct instant now, quic_stream_tell *tell, void *data);

/* Gives up holes that have been waited for since before that time. Returns whether there was any. */
bool quic_stream_give_up(struct quic_stream *stream, int64_t before_ns, quic_stream_tell *tell, void *data);

void quic_stream_clear(struct quic_stream *stream);

#endif
