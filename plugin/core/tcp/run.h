/* run.h
 * The payload frames of a request, or of a response, as one row of packets: what each is next to the one before it
 * (docs/measuring.md). Retransmissions are part of the row.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_RUN_H
#define LATENCY_RUN_H

#include "continuity.h"
#include "item.h"

struct run {
    int64_t start; /* offset of the first byte, of the frame that it begins with, in its sender's sequence */
    int64_t low;   /* of the lowest new byte of its frames, and after the highest: what belongs to it */
    int64_t end;
    int64_t last_ns;                  /* of the last frame */
    uint32_t first_frame, last_frame; /* lowest and highest; 0 without frames */
    uint32_t begin_frame;             /* which has its first byte; others may be before it in the capture */
    uint16_t first_flags;             /* of the first frame's item */
    bool last_short;                  /* the last one was not filled, and it does not begin with that */
};

/* What its sender had sent last, of new payload, when a segment was captured. */
struct row_before {
    int64_t ns;
    uint32_t frame; /* 0 for nothing */
    bool was_short;
};

/* What a payload segment was, when it was captured, to what its sender had sent. Nothing that is read later changes it.
 */
struct packet {
    int64_t start;
    int64_t end;
    uint32_t fresh; /* new bytes */
    bool in_order;  /* it begins where the highest byte seen ended */
    bool is_short;  /* not filled */
    bool has_ipid;  /* its IP ID could be foreseen: continuity_take() */
    struct ipid_step ipid_step;
    bool counts_ipids; /* the sender is a counter of them, so far */
    struct row_before before;
};

/* Returns a row without frames yet, of bytes that begin at `start` unless a packet that is added has earlier ones. */
struct run run_begin(int64_t start);

/* Adds a packet to the row, in the order of the stream, and writes into `item` what it is there. `segment`: its new
 * bytes, which begin at `start` in its sender's sequence. */
void run_add(struct run *run, const struct segment *segment, int64_t start, const struct packet *packet,
             const struct settings *settings, struct item *item);

/* The packet that is all of the row `part` so far, and `item`'s, goes on with the row, after packets of others. */
void run_go_on(struct run *run, const struct run *part, const struct settings *settings, struct item *item);

/* Writes into `item` what the packet is by itself, whatever row it belongs to. */
void run_note_packet(const struct packet *packet, const struct settings *settings, struct item *item);

/* Whether a packet `offset` bytes into its row begins a chunk. */
bool run_is_chunk_boundary(int64_t offset, const struct settings *settings);

#endif
