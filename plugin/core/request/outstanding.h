/* outstanding.h
 * What was asked last, by its number, as far as it may matter yet. For resync.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OUTSTANDING_H
#define LATENCY_OUTSTANDING_H

#include <stdbool.h>
#include <stdint.h>

#include <wsutil/wmem/wmem.h>

/* A request; or a gap, which stands for up to `missing` of them. */
struct slot {
    int64_t offset; /* see resync_ask() */
    uint64_t looks;
    uint32_t missing;
    bool is_gap;
    bool possible; /* the next answer can belong to it */
};

/* The slots of the numbers from `first` to `asked`, which is the next request's. */
struct outstanding {
    wmem_allocator_t *scope;
    struct slot *slots;
    uint32_t room; /* a power of two */
    uint64_t first, asked;
};

void outstanding_open(struct outstanding *outstanding, wmem_allocator_t *scope);
void outstanding_close(struct outstanding *outstanding);

static inline struct slot *
outstanding_at(const struct outstanding *outstanding, uint64_t number)
{
    return &outstanding->slots[number & (outstanding->room - 1)];
}

/* The next number is asked. Those below `needed` but the last may be forgotten. */
void outstanding_add(struct outstanding *outstanding, struct slot slot, uint64_t needed);

#endif
