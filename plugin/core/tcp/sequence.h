/* sequence.h
 * The bytes one sender of a TCP connection has sent so far: which of a segment's bytes are new.
 *
 * 32-bit sequence numbers become 64-bit offsets, so that ranges order and subtract past the wrap (RFC 9293 §3.4).
 * Bytes left out by an overtaking segment are holes; the oldest is forgotten, and counts as seen, when there
 * are more than SEQUENCE_HOLES.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SEQUENCE_H
#define LATENCY_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <wsutil/wmem/wmem.h>

enum { SEQUENCE_HOLES = 32 };

/* The offset of a sender's first byte, if it is known where it began. */
#define SEQUENCE_FIRST (INT64_C(1) << 32)

struct hole {
    int64_t start;
    int64_t end;
};

struct sequence {
    int64_t end; /* offset after the highest byte seen */
    uint32_t end_seq;
    bool known; /* false until sequence_start() */
    uint8_t n_holes;
    uint8_t room;
    struct hole *holes; /* in ascending order; NULL until there is one */
};

/* The next byte is `seq`. With `history`, bytes before it may still turn up as new ones (no handshake was seen). */
void sequence_start(struct sequence *sequence, uint32_t seq, bool history, wmem_allocator_t *scope);

/* `seq` is the first byte, after all: none before it is new. Behind all holes it is another connection's. */
void sequence_begin_at(struct sequence *sequence, uint32_t seq, wmem_allocator_t *scope);

/* Frees what it allocated in `scope`. */
void sequence_clear(struct sequence *sequence, wmem_allocator_t *scope);

/* The offset of `seq`, taken within 2^31 of the highest byte seen. */
int64_t sequence_offset(const struct sequence *sequence, uint32_t seq);

/* Notes `bytes` bytes sent from offset `start` and returns how many of them are new. */
uint32_t sequence_add(struct sequence *sequence, int64_t start, uint32_t bytes, wmem_allocator_t *scope);

/* Whether bytes are missing between the two offsets. */
bool sequence_lacks(const struct sequence *sequence, int64_t from, int64_t to);

#endif
