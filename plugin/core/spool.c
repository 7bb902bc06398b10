/* spool.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "spool.h"

#include <errno.h>
#include <string.h>

enum { MEMORY_BYTES = 32 << 20, FIRST_ROOM = 256 };

struct spool {
    FILE *file;
    int64_t end; /* of the file */
    size_t held; /* bytes in memory */
    GQueue in_memory;
    int error;
};

/* Stands before a chain's bytes in the file. */
struct block {
    int64_t before; /* the block before, as in struct chain */
    uint32_t length;
};

struct spool *
spool_new(FILE *file)
{
    struct spool *spool = g_new0(struct spool, 1);
    spool->file = file;
    return spool;
}

void
spool_free(struct spool *spool)
{
    g_free(spool);
}

int
spool_error(const struct spool *spool)
{
    return spool->error;
}

static void
forget_bytes(struct spool *spool, struct chain *chain)
{
    if (!chain->bytes)
        return;
    g_queue_unlink(&spool->in_memory, &chain->link);
    spool->held -= chain->room;
    g_free(chain->bytes);
    chain->bytes = NULL;
    chain->used = chain->room = 0;
}

static void
spill(struct spool *spool, struct chain *chain)
{
    const struct block block = { chain->block, chain->used };
    if (fwrite(&block, sizeof block, 1, spool->file) != 1 ||
        fwrite(chain->bytes, 1, chain->used, spool->file) != chain->used)
        spool->error = spool->error ? spool->error : errno;
    chain->block = spool->end + 1;
    spool->end += (int64_t)(sizeof block + chain->used);
    forget_bytes(spool, chain);
}

static void
spill_all(struct spool *spool)
{
    if (fseeko(spool->file, spool->end, SEEK_SET) != 0)
        spool->error = spool->error ? spool->error : errno;
    while (!g_queue_is_empty(&spool->in_memory))
        spill(spool, g_queue_peek_head(&spool->in_memory));
    if (fflush(spool->file) != 0)
        spool->error = spool->error ? spool->error : errno;
}

void
chain_append(struct spool *spool, struct chain *chain, const void *bytes, uint32_t length)
{
    if (!chain->bytes) {
        chain->link.data = chain;
        g_queue_push_tail_link(&spool->in_memory, &chain->link);
    }
    if (chain->room - chain->used < length) {
        uint32_t room = MAX(MAX(chain->room * 2, chain->used + length), FIRST_ROOM);
        chain->bytes = g_realloc(chain->bytes, room);
        spool->held += room - chain->room;
        chain->room = room;
    }
    memcpy(chain->bytes + chain->used, bytes, length);
    chain->used += length;
    if (spool->held > MEMORY_BYTES)
        spill_all(spool);
}

bool
chain_is_empty(const struct chain *chain)
{
    return !chain->bytes && !chain->block;
}

static bool
read_block(struct spool *spool, int64_t position, struct block *block)
{
    if (fseeko(spool->file, position - 1, SEEK_SET) == 0 && fread(block, sizeof *block, 1, spool->file) == 1)
        return true;
    spool->error = spool->error ? spool->error : EIO;
    return false;
}

void
chain_read(struct spool *spool, const struct chain *chain,
           void (*take)(void *data, const uint8_t *bytes, size_t length), void *data)
{
    GArray *blocks = g_array_new(FALSE, FALSE, sizeof(int64_t)); /* the last first */
    struct block block = { chain->block, 0 };
    while (block.before) {
        g_array_append_val(blocks, block.before);
        if (!read_block(spool, block.before, &block))
            break;
    }
    for (unsigned i = blocks->len; i-- > 0 && !spool->error;) {
        if (!read_block(spool, g_array_index(blocks, int64_t, i), &block))
            break;
        uint8_t *bytes = g_malloc(block.length);
        if (fread(bytes, 1, block.length, spool->file) == block.length)
            take(data, bytes, block.length);
        else
            spool->error = EIO;
        g_free(bytes);
    }
    g_array_free(blocks, TRUE);
    if (chain->bytes)
        take(data, chain->bytes, chain->used);
}

void
chain_clear(struct spool *spool, struct chain *chain)
{
    forget_bytes(spool, chain);
    chain->block = 0;
}
