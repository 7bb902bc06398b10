/* blocks.h
 * --every: the tables of so many seconds at a time, as they pass.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_BLOCKS_H
#define SCAN_BLOCKS_H

#include "outputs.h"

/* Borrows the outputs. */
struct blocks {
    struct outputs *outputs;
    int64_t length_ns; /* 0: there are none */
    int64_t from_ns;   /* where the block begins, if it has begun */
    bool has_begun;
};

/* To be called before a frame is taken: prints a block that ends before it. Of a time without frames there is none. */
void blocks_pass(struct blocks *blocks, const struct frame *frame);

/* The last one: true if there was one to print. */
bool blocks_finish(struct blocks *blocks);

#endif
