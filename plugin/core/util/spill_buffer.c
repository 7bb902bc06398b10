/* spill_buffer.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "spill_buffer.h"

#include <errno.h>
#include <string.h>

enum { MEMORY_BYTES = 32 << 20, FIRST_ROOM = 32 }; /* most requests have a packet or two */

struct spill_buffer {
    FILE *file;
    int64_t end;         /* of the file */
    size_t memory_bytes; /* bytes in memory */
    GQueue in_memory;
    int error;
};

/* Stands before a chain's bytes in the file. */
struct block {
    int64_t before; /* the block before, as in struct chain */
    uint32_t length;
};

struct spill_buffer *
spill_buffer_new(FILE *file)
{
    struct spill_buffer *spill_buffer = g_new0(struct spill_buffer, 1);
    spill_buffer->file = file;
    return spill_buffer;
}

void
spill_buffer_free(struct spill_buffer *spill_buffer)
{
    g_free(spill_buffer);
}

int
spill_buffer_error(const struct spill_buffer *spill_buffer)
{
    return spill_buffer->error;
}

static void
forget_bytes(struct spill_buffer *spill_buffer, struct chain *chain)
{
    if (!chain->bytes)
        return;
    g_queue_unlink(&spill_buffer->in_memory, &chain->link);
    spill_buffer->memory_bytes -= chain->room;
    g_free(chain->bytes);
    chain->bytes = NULL;
    chain->used = chain->room = 0;
}

static void
spill(struct spill_buffer *spill_buffer, struct chain *chain)
{
    const struct block block = { chain->block, chain->used };
    if (fwrite(&block, sizeof block, 1, spill_buffer->file) != 1 ||
        fwrite(chain->bytes, 1, chain->used, spill_buffer->file) != chain->used)
        spill_buffer->error = spill_buffer->error ? spill_buffer->error : errno;
    chain->block = spill_buffer->end + 1;
    spill_buffer->end += (int64_t)(sizeof block + chain->used);
    forget_bytes(spill_buffer, chain);
}

static void
spill_all(struct spill_buffer *spill_buffer)
{
    if (fseeko(spill_buffer->file, spill_buffer->end, SEEK_SET) != 0)
        spill_buffer->error = spill_buffer->error ? spill_buffer->error : errno;
    while (!g_queue_is_empty(&spill_buffer->in_memory))
        spill(spill_buffer, g_queue_peek_head(&spill_buffer->in_memory));
    if (fflush(spill_buffer->file) != 0)
        spill_buffer->error = spill_buffer->error ? spill_buffer->error : errno;
}

void
chain_append(struct spill_buffer *spill_buffer, struct chain *chain, const void *bytes, uint32_t length)
{
    if (!chain->bytes) {
        chain->link.data = chain;
        g_queue_push_tail_link(&spill_buffer->in_memory, &chain->link);
    }
    if (chain->room - chain->used < length) {
        uint32_t room = MAX(MAX(chain->room * 2, chain->used + length), FIRST_ROOM);
        chain->bytes = g_realloc(chain->bytes, room);
        spill_buffer->memory_bytes += room - chain->room;
        chain->room = room;
    }
    memcpy(chain->bytes + chain->used, bytes, length);
    chain->used += length;
    if (spill_buffer->memory_bytes > MEMORY_BYTES)
        spill_all(spill_buffer);
}

bool
chain_is_empty(const struct chain *chain)
{
    return !chain->bytes && !chain->block;
}

static bool
read_block(struct spill_buffer *spill_buffer, int64_t position, struct block *block)
{
    if (fseeko(spill_buffer->file, position - 1, SEEK_SET) == 0 &&
        fread(block, sizeof *block, 1, spill_buffer->file) == 1)
        return true;
    spill_buffer->error = spill_buffer->error ? spill_buffer->error : EIO;
    return false;
}

void
chain_read(struct spill_buffer *spill_buffer, const struct chain *chain,
           void (*take)(void *data, const uint8_t *bytes, size_t length), void *data)
{
    GArray *blocks = g_array_new(FALSE, FALSE, sizeof(int64_t)); /* the last first */
    struct block block = { chain->block, 0 };
    while (block.before) {
        g_array_append_val(blocks, block.before);
        if (!read_block(spill_buffer, block.before, &block))
            break;
    }
    for (unsigned i = blocks->len; i-- > 0 && !spill_buffer->error;) {
        if (!read_block(spill_buffer, g_array_index(blocks, int64_t, i), &block))
            break;
        uint8_t *bytes = g_malloc(block.length);
        if (fread(bytes, 1, block.length, spill_buffer->file) == block.length)
            take(data, bytes, block.length);
        else
            spill_buffer->error = EIO;
        g_free(bytes);
    }
    g_array_free(blocks, TRUE);
    if (chain->bytes)
        take(data, chain->bytes, chain->used);
}

void
chain_clear(struct spill_buffer *spill_buffer, struct chain *chain)
{
    forget_bytes(spill_buffer, chain);
    chain->block = 0;
}
