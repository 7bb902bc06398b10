/* pool.h
 * Many records of one size, named by numbers of 32 bits: half a pointer each, and no allocator's header.
 *
 * Records never move and live until the pool's scope ends; there is no way to free one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_POOL_H
#define LATENCY_POOL_H

#include <stddef.h>
#include <stdint.h>

#include <wsutil/wmem/wmem.h>

struct pool {
    wmem_allocator_t *scope;
    char **blocks;
    size_t record_bytes;
    uint32_t count;
    uint32_t room; /* for blocks */
};

void pool_init(struct pool *pool, wmem_allocator_t *scope, size_t record_bytes);

/* Number of a new, zeroed record; the first is 1, so that 0 can mean none. */
uint32_t pool_add(struct pool *pool);

enum { POOL_BLOCK = 256 }; /* records */

/* NULL for 0. */
static inline void *
pool_at(const struct pool *pool, uint32_t number)
{
    if (number == 0)
        return NULL;
    return pool->blocks[(number - 1) / POOL_BLOCK] + (number - 1) % POOL_BLOCK * pool->record_bytes;
}

#endif
