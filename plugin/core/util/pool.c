/* pool.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pool.h"

enum { BLOCK = 256, FIRST_ROOM = 16 };

void
pool_init(struct pool *pool, wmem_allocator_t *scope, size_t record_bytes)
{
    *pool = (struct pool){ .scope = scope, .record_bytes = record_bytes };
}

uint32_t
pool_add(struct pool *pool)
{
    uint32_t block = pool->count / BLOCK;
    if (block == pool->room) {
        pool->room = MAX(pool->room * 2, FIRST_ROOM);
        pool->blocks = wmem_realloc(pool->scope, pool->blocks, pool->room * sizeof *pool->blocks);
    }
    if (pool->count % BLOCK == 0)
        pool->blocks[block] = wmem_alloc0(pool->scope, BLOCK * pool->record_bytes);
    return ++pool->count;
}

void *
pool_at(const struct pool *pool, uint32_t number)
{
    if (number == 0)
        return NULL;
    return pool->blocks[(number - 1) / BLOCK] + (number - 1) % BLOCK * pool->record_bytes;
}
