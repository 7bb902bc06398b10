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
    int64_t start; /* offset of the first frame's first byte in its sender's sequence */
    int64_t low;   /* of the lowest new byte of its frames, and after the highest: what belongs to it */
    int64_t end;
    int64_t last_ns; /* of the last frame */
    bool after_first;
    bool last_short; /* the last frame was not filled, and not the first */
};

/* What a payload segment is to the sequence of its sender. */
struct place {
    int64_t start;
    int64_t end;
    uint32_t fresh;                    /* new bytes */
    bool in_order;                     /* it begins where the highest byte seen ended */
    const struct ipid_step *ipid_step; /* from continuity_take(); NULL if there is none */
};

/* A row without frames yet; the first will begin at `start`. */
struct run run_begin(int64_t start);

/* Adds a packet to the row and writes into `item` what it is there. */
void run_add(struct run *run, const struct segment *segment, const struct place *place,
             const struct continuity *continuity, const struct settings *settings, struct item *item);

/* Whether a packet `offset` bytes into its row begins a chunk. */
bool run_is_chunk_boundary(int64_t offset, const struct settings *settings);

#endif
