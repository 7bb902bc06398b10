/* pool.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pool.h"

enum { FIRST_ROOM = 16 };

void
pool_init(struct pool *pool, wmem_allocator_t *scope, size_t record_bytes)
{
    *pool = (struct pool){ .scope = scope, .record_bytes = record_bytes };
}

uint32_t
pool_add(struct pool *pool)
{
    uint32_t block = pool->count / POOL_BLOCK;
    if (block == pool->room) {
        pool->room = MAX(pool->room * 2, FIRST_ROOM);
        pool->blocks = wmem_realloc(pool->scope, pool->blocks, pool->room * sizeof *pool->blocks);
    }
    if (pool->count % POOL_BLOCK == 0)
        pool->blocks[block] = wmem_alloc0(pool->scope, POOL_BLOCK * pool->record_bytes);
    return ++pool->count;
}
